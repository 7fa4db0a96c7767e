package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A text that a merge has marked and a person has broken since is not taken back to one without
// the conflict: the other side's edit would go with it, and the merge count as settled.
func TestUndoOfABrokenTextKeepsItsConflicts(t *testing.T) {
	t.Parallel()
	for name, place := range inTurn(t, map[string]string{"entities": "mounted", "cover": "cover", "unmounted": ""}) {
		t.Run(name, func(t *testing.T) {
			b, _ := sizesInConflict(t, place)
			path := config.entityPath("6555")
			b.write(path, strings.Replace(b.read(path), "\n72\n", "\nsoon\n", 1))
			require.Contains(t, b.run("worldfs", "status"), "[worldfs resolve]")
			for _, undo := range [][]string{{"undo", "6555"}, {"undo", "--any", "6555"}} {
				b.try("worldfs", undo...)
				require.Contains(t, b.read(path), "<<<<<<< ")
				b.left()
			}
			b.run("worldfs", "resolve", "--take", "shared", "6555")
			b.requireMerged("6")
		})
	}
}
