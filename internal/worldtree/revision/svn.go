package revision

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// What svn calls the revision before, and that of, the last commit that changed something.
const (
	prev      = "PREV"
	committed = "COMMITTED"
)

// svn returns the world of one of svn's revisions. What svn calls PREV and COMMITTED is of
// one file or directory by itself: of a directory it says nothing about the files in it.
// Those of a world are of all that is in it.
func (n *Namer) svn(rev string) (string, error) {
	if rev != prev && rev != committed {
		return "svn:" + rev, nil
	}
	last, err := n.lastCommitted()
	if err != nil {
		return "", fmt.Errorf("svn revision %s: %w", rev, err)
	}
	if rev == prev {
		last--
	}
	return fmt.Sprint("svn:", last), nil
}

// lastCommitted returns the revision of the last commit that changed something in the
// world, as far as the working copy has it.
func (n *Namer) lastCommitted() (int, error) {
	env := tool.Environment(nil, "LC_ALL=C.UTF-8", "LANGUAGE=")
	out, err := tool.New(context.Background(), n.Dir, env, "svnversion", "--committed", "--no-newline", n.Dir).Text()
	if err != nil {
		return 0, err
	}
	return parseVersion(string(out))
}

// parseVersion reads what svnversion says, such as 4 or 3:7MS, and returns the last number.
func parseVersion(said string) (int, error) {
	_, last, mixed := strings.Cut(said, ":")
	if !mixed {
		last = said
	}
	last = strings.TrimRight(last, "MSP\n")
	rev, err := strconv.Atoi(last)
	if err != nil {
		return 0, fmt.Errorf("nothing of the world is committed yet (svnversion says %q)", said)
	}
	return rev, nil
}
