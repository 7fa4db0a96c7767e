package revision

import (
	"errors"
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Here returns which revision the world that is here was checked out from, as git:COMMIT
// or svn:NUMBER, and of git whether something of the world is otherwise than there. It
// returns "" where the world is in no version control, or nothing was committed yet.
func (n *Namer) Here() (name string, modified bool, err error) {
	switch n.system() {
	case ofGit:
		return n.gitHere()
	case ofSVN:
		number, err := (vcs.SVN{Dir: n.Dir}).Updated()
		if err != nil {
			return "", false, unlessNowhere(err)
		}
		return fmt.Sprint("svn:", number), false, nil
	}
	return "", false, nil
}

func (n *Namer) gitHere() (name string, modified bool, err error) {
	git := vcs.Git{Dir: n.Dir}
	commit, err := git.Resolve("HEAD")
	if err != nil {
		return "", false, unlessNowhere(err)
	}
	caller, err := git.Caller()
	if err != nil {
		return "", false, err
	}
	changed, err := caller.Call(nil, "status", "--porcelain", "--",
		worlddir.ConfigName, worlddir.RangesName, worlddir.TypesName, worlddir.EntitiesName)
	return "git:" + commit, len(changed) > 0, err
}

func unlessNowhere(err error) error {
	if isNowhere(err) || errors.Is(err, vcs.ErrNoTool) {
		return nil
	}
	return err
}

// Fixed returns the name of a revision that never means another one: git:main as
// git:COMMIT, svn:BASE as svn:NUMBER.
func (n *Namer) Fixed(name string) (string, error) {
	if rev, ok := strings.CutPrefix(name, "git:"); ok {
		commit, err := (vcs.Git{Dir: n.Dir}).Resolve(rev)
		return "git:" + commit, err
	}
	if name == "svn:BASE" {
		number, err := (vcs.SVN{Dir: n.Dir}).Updated()
		return fmt.Sprint("svn:", number), err
	}
	return name, nil
}
