package gitapplied

import (
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// Nothing says, for people, why there is nothing of git's to resolve. What git has merged of
// more than two branches at once is told: resolve brings two together.
func Nothing(root string) string {
	const nothing = "git has no merge, rebase, cherry-pick, revert or stash in progress, and what it did last was none"
	c, err := vcs.Git{Dir: root}.Caller()
	if err != nil {
		return nothing
	}
	parents, err := c.Line("rev-list", "--parents", "-n", "1", "HEAD", "--")
	if n := len(strings.Fields(parents)) - 1; err == nil && n > 2 {
		return fmt.Sprintf("git has merged %d branches at once, line by line, and worldfs resolve brings two together: worldfs check lists what does not fit together; "+
			"to have them merged as a world, git reset --keep HEAD~1, then merge one after the other", n)
	}
	return nothing
}
