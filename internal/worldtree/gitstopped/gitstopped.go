// Package gitstopped finds where git stands still in the middle of something: a merge, a
// rebase, a cherry-pick, a revert, a patch, or a command of which git keeps no note and that
// left files unmerged, such as stash pop. Often no file of the working tree shows it.
//
// Files in git's own directory tell. Where none does, git is not asked.
package gitstopped

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitplace"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Operation is what git has stopped in the middle of.
type Operation struct {
	Name     string // as git calls it; "" where it keeps no note of it
	Unmerged int    // files of the world that are unmerged
	Others   int    // other files of the repository that are
	Next     string // the command that goes on once none is; "" where none is needed
}

// begun are the files in git's directory that tell, and the operations that have begun then.
// A rebase is over and above the merges and picks that it makes.
var begun = []struct{ file, name string }{
	{"rebase-merge", "rebase"}, {"rebase-apply/applying", "am"}, {"rebase-apply", "rebase"},
	{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"},
}

// Of returns what git has stopped in the middle of in a world, nil where it has not.
func Of(dir *worlddir.Dir) (*Operation, error) {
	gitDir := gitplace.GitDir(dir.Root)
	if gitDir == "" {
		return nil, nil
	}
	op := &Operation{Name: named(gitDir)}
	if op.Name == "" && !has(gitDir, "AUTO_MERGE") { // which git writes where it leaves files unmerged
		return nil, nil
	}
	if err := op.count(dir.Root); err != nil {
		return nil, err
	}
	switch {
	case op.Name == "" && op.Unmerged+op.Others == 0:
		return nil, nil
	case op.Name == "merge":
		op.Next = "git commit"
	case op.Name != "":
		op.Next = "git " + op.Name + " --continue"
	}
	if op.Unmerged+op.Others == 0 {
		op.Next = vcs.Git{Dir: dir.Root}.GoesOn(op.Next)
	}
	return op, nil
}

// named returns the operation that has begun by what lies in git's directory, "" for none.
func named(gitDir string) string {
	for _, b := range begun {
		if has(gitDir, b.file) {
			return b.name
		}
	}
	// Of several commits one was committed by hand, and the others are still to come.
	todo, err := os.ReadFile(filepath.Join(gitDir, "sequencer", "todo"))
	switch {
	case err != nil:
		return ""
	case strings.HasPrefix(string(todo), "revert"):
		return "revert"
	}
	return "cherry-pick"
}

func has(gitDir, name string) bool {
	_, err := os.Lstat(filepath.Join(gitDir, filepath.FromSlash(name)))
	return err == nil
}

// count counts the unmerged files of the repository that a world is in.
func (o *Operation) count(root string) error {
	git, err := vcs.Git{Dir: root}.Caller()
	if err != nil {
		return err
	}
	top := strings.Repeat("../", strings.Count(git.Prefix(), "/")) + "."
	lines, err := git.List("-C", top, "ls-files", "--unmerged", "-z")
	if err != nil {
		return fmt.Errorf("find what is unmerged in git: %w", err)
	}
	seen := make(map[string]bool)
	for _, line := range lines {
		_, name, _ := strings.Cut(line, "\t")
		switch below, inside := strings.CutPrefix(name, git.Prefix()); {
		case seen[name]: // it stands there for each side
		case inside && isWorlds(below):
			o.Unmerged++
		default:
			o.Others++
		}
		seen[name] = true
	}
	return nil
}

// isWorlds reports whether a file, named from the world directory, is of the world: worldfs
// resolve merges those.
func isWorlds(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	switch first {
	case worlddir.EntitiesName, worlddir.TypesName, worlddir.RangesName, worlddir.ConfigName:
		return true
	}
	return false
}

// Finding says what has stopped, and what to type next.
func (o *Operation) Finding() entity.Finding {
	steps := o.steps()
	mend := steps[0]
	if o.Unmerged == 0 && o.Others > 0 {
		mend = "git status"
	}
	return entity.Finding{Code: entity.CodeVCSUnmerged, File: ".git", Mend: mend,
		Message: fmt.Sprintf("%s, and %s: %s%s", o.what(), o.unmerged(), strings.Join(steps, ", then "), o.back())}
}

func (o *Operation) what() string {
	if o.Name == "" {
		return "git has stopped in what it keeps no note of, such as git stash pop"
	}
	return "git " + o.Name + " has stopped"
}

func (o *Operation) unmerged() string {
	switch {
	case o.Unmerged == 0 && o.Others == 0:
		return "no file is unmerged"
	case o.Others == 0:
		return files(o.Unmerged, "of the world")
	case o.Unmerged == 0:
		return files(o.Others, "that worldfs does not merge")
	}
	return files(o.Unmerged, "of the world") + ", and " + files(o.Others, "that worldfs does not merge")
}

func files(n int, which string) string {
	if n == 1 {
		return "1 file " + which + " is unmerged"
	}
	return fmt.Sprintf("%d files %s are unmerged", n, which)
}

// steps are the commands to type, one after the other.
func (o *Operation) steps() (steps []string) {
	if o.Unmerged > 0 {
		steps = append(steps, "worldfs resolve")
	}
	if o.Others > 0 {
		steps = append(steps, "settle those files and git add them")
	}
	if o.Next != "" {
		steps = append(steps, o.Next)
	}
	return steps
}

// back says how all is taken back.
func (o *Operation) back() string {
	switch {
	case o.Name == "":
		return ""
	case o.Name == "am" && o.Unmerged+o.Others == 0: // it merges only where it is asked to
		return "; where the patch did not apply, git am --abort, then git am -3"
	}
	return "; git " + o.Name + " --abort takes it back"
}
