package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An update that is taken back and made again, of other edits, is resolved anew.
func TestResolveTheSameUpdateAgain(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "cover"}) {
		t.Run(place, func(t *testing.T) {
			team := newSVNTeam(t, place)
			team.bob.set(6555, "position.x = 7")
			team.bob.run("rm", config.entityPath("6001"))
			team.bob.set(6005, "position.x = 7")
			team.bob.svnCommit("Bob")
			b := team.ann
			for i, x := range []string{"8", "9", "10"} {
				b.set(6555, "position.x = "+x)
				b.set(6001, "position.x = "+x)
				b.run("rm", config.entityPath("6005"))
				b.run("worldfs", "vcs", "sync")
				b.svnUpdate()
				out, code := b.try("worldfs", "resolve")
				require.Equal(t, 1, code, out)
				require.Contains(t, out, "6555")
				require.Contains(t, out, "yours "+x)
				require.Contains(t, out, "6001")
				require.Contains(t, out, "3 left to settle")
				side := []string{"mine", "shared", "mine"}[i]
				require.NotContains(t, b.run("worldfs", "resolve", "--take", side), "as you chose before")
				b.svnNoMore()
				_, err := b.try("worldfs", "show", "6001")
				require.Equal(t, side == "mine", err == 0)
				b.run("sh", "-c", "svn revert -q -R --remove-added . && svn update -q -r 2")
				b.run("worldfs", "status")
			}
		})
	}
}
