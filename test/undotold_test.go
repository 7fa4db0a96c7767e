package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// svn has nothing to hear of a deletion that undo has taken back, told by hand or not.
func TestADeletionThatIsUndoneIsNotToldToSVN(t *testing.T) {
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		t.Run(place, func(t *testing.T) {
			b := svnTeamOf(t, place).ann
			for range 2 {
				b.run("worldfs", "rm", "6001", "--yes")
				require.Contains(t, b.run("worldfs", "status"), "1 deletion that it does not know of yet")
				b.run("worldfs", "undo", "6001", "--yes")
				require.NotContains(t, b.run("worldfs", "status"), "that it does not know of yet")
			}
			b.run("worldfs", "rm", "6001", "--yes")
			b.run("svn", "delete", "-q", "--keep-local", b.file(6001))
			b.run("svn", "commit", "-q", "-m", "away")
			b.run("svn", "update", "-q")
			b.run("worldfs", "undo", "6001", "--yes")
			b.holds(6001, "true")
			require.NotContains(t, b.run("worldfs", "status"), "that it does not know of yet")
			b.run("worldfs", "vcs", "sync")
			require.Equal(t, "A", b.states("svn")[b.file(6001)])
		})
	}
}
