package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Undo takes back what real tools did here, the latest first, and leaves what they have brought:
// also after the daemon was killed in the middle, and unmounted.
func TestUndoAmongRealTools(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		t.Run(place, func(t *testing.T) {
			b := gitWorldOf(t, place)
			lamp := config.entityPath("6005")
			b.run("git", "clone", "-q", ".", "../bob")
			bob := b.cd("../bob")
			bob.set(1002, `entity_name = "bobs"`)
			bob.commit("Bob")

			b.run("vim", "-u", "NONE", "-es", "-c", "%s/3.431000/4.5/", "-c", "wq", lamp)
			b.holds(6005, "radius == 4.5")
			b.run("git", "pull", "-q", "--ff-only", "../bob", "main") // brought in between
			b.holds(1002, `entity_name == "bobs"`)
			b.run("sed", "-i", "s/bunker door/hatch/", config.entityPath("6555"))
			b.holds(6555, `entity_name == "hatch"`)
			b.run("git", "stash", "-q") // takes both edits away
			b.holds(6005, "radius != 4.5")
			b.run("git", "stash", "pop", "-q")
			b.holds(6005, "radius == 4.5")
			b.holds(6555, `entity_name == "hatch"`)
			b.set(6001, `entity_name = "mine"`)
			if b.mounted() {
				b.run("worldfs", "sync")
				b.kill()
				b.run("worldfs", "status") // it is cleared
				b.run("worldfs", append([]string{"mount"}, map[string][]string{"cover": {"--cover", "."}}[place]...)...)
			}

			require.Contains(t, b.run("worldfs", "undo"), "6001")
			b.holds(6001, `entity_name != "mine"`)
			require.Contains(t, b.run("worldfs", "redo"), "6001")
			b.holds(6001, `entity_name == "mine"`)
			b.run("worldfs", "undo")
			b.holds(6555, `entity_name == "hatch"`)
			b.holds(1002, `entity_name == "bobs"`)
			b.try("worldfs", "undo", "--since", "1h", "--yes")
			b.holds(1002, `entity_name == "bobs"`) // what git brought stays
			require.Equal(t, 60, len(b.names("entities")))
			_, status := b.try("worldfs", "undo", "1002")
			require.NotZero(t, status, "it is not one's own")
			b.holds(1002, `entity_name == "bobs"`)
		})
	}
}

// gitWorldOf is a world of 60 entities in git, for a test that does not wait.
func gitWorldOf(t *testing.T, place string) *bench { return resolveWorldOf(t, place, 60).ownIDs() }
