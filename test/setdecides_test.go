package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A person may decide a conflict by giving its field a value, or by deleting the entity. That is
// said, with what either side had, and undo brings the conflict back.
func TestASetSaysWhichConflictItDecides(t *testing.T) {
	t.Parallel()
	for name, place := range inTurn(t, map[string]string{"entities": "mounted", "cover": "cover", "unmounted": ""}) {
		t.Run(name, func(t *testing.T) {
			b, _ := sizesInConflict(t, place)
			all := func(call string) string { t.Helper(); return b.run("sh", "-c", "'"+binary+"' "+call+" 2>&1") }
			said := `this decides a conflict: Door 6555 "bunker door" map_size: yours 7 / shared 6`

			out := all(`set --dry-run --where "id == 6555" "entity_name = 'gate'"`)
			require.NotContains(t, out, "decides")
			out = all(`set --dry-run --where "id == 6555" "map_size = 9"`)
			require.Contains(t, out, said)
			b.requireSizes("7", "6")
			out = all(`set --where "type == 'Door'" "map_size = 9"`)
			require.Contains(t, out, said+"; worldfs undo 6555 brings it back\n")
			b.requireNoMarker()
			require.Contains(t, b.run("worldfs", "resolve"), "1 resolved")
			b.run("worldfs", "undo", "6555")
			b.requireSizes("7", "6")

			b.run("git", "commit", "-q", "-a", "--no-verify", "-m", "merged") // with its markers
			require.Contains(t, all("rm 6555"), said+"; worldfs undo 6555 brings it back\n")
			b.run("worldfs", "undo", "6555")
			b.requireSizes("7", "6")
			require.NotContains(t, all("rm 6005"), "decides")
			name := "; entity_name\n    \"bunker door\"\n"
			other := strings.ReplaceAll(name, "bunker", "oak")
			b.write(config.entityPath("6555"), strings.Replace(b.doorText(), name, "<<<<<<< yours\n"+name+"=======\n"+other+">>>>>>> shared\n", 1))
			out = all(`set --where "id > 6000" "entity_name = 'all'"`)
			require.Contains(t, out, `this decides a conflict: Door 6555 "bunker door" entity_name: yours "bunker door" / shared "oak door"`)
			require.NotContains(t, out, "map_size: yours")
			b.requireSizes("7", "6")
		})
	}
}
