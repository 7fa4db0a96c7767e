package vcs

import (
	"os"
	"path/filepath"
	"strings"
)

// goingOn are the commands that go on with what git has stopped at, and what lies in its
// directory where it has stopped at a commit of which it makes none that is empty. A rebase that
// merges passes over one by itself.
var goingOn = map[string]string{
	"git cherry-pick --continue": "CHERRY_PICK_HEAD",
	"git revert --continue":      "REVERT_HEAD",
	"git am --continue":          "rebase-apply/applying",
	"git rebase --continue":      "rebase-apply",
}

// GoesOn returns the command that goes on, where git refuses to do so by next: a rebase while
// edits are not staged, and what is left empty. Nothing that is not staged is lost by it.
func (g Git) GoesOn(next string) string {
	name, ok := goingOn[next]
	if !ok {
		return next
	}
	caller, err := g.Caller()
	if err != nil {
		return next
	}
	_, err = caller.Call(nil, "diff", "--quiet", "--ignore-submodules")
	unstaged := IsNo(err)
	if unstaged && next == "git rebase --continue" {
		return "git add -u && " + next
	}
	if _, err := os.Lstat(filepath.Join(caller.GitDir(), filepath.FromSlash(name))); err != nil || unstaged && name == "rebase-apply/applying" {
		return next
	}
	if _, err := caller.Call(nil, "diff", "--cached", "--quiet", "HEAD"); err != nil {
		return next // there is something to commit
	}
	return strings.TrimSuffix(next, "--continue") + "--skip"
}
