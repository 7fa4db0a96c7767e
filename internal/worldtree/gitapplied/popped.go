package gitapplied

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// poppedRef keeps a stash that was found to be taken in, since what the person does with the
// files afterwards hides it: a commit whose parents are the one that HEAD was, and the stash.
const poppedRef = "refs/worktree/worldfs/popped"

// mostStashes is how many stashes are looked at, the newest first.
const mostStashes = 20

// popped is a stash that git has taken in without a conflict, onto another commit than it was
// made on, and HEAD is still that. git notes nothing of it, but makes the same once more: what
// is here is what comes of the two.
func (f *finder) popped() (*vcs.Operation, error) {
	stash, err := f.findPopped()
	if err != nil {
		return nil, err
	}
	if stash != nil {
		kept, err := f.With(unknown.environment()...).Line("commit-tree", f.head+"^{tree}", "-p", f.head, "-p", stash[0], "-m", string(vcs.Unstashing))
		if err == nil {
			_, err = f.Call(nil, "update-ref", poppedRef, kept)
		}
		return f.unstashed(stash[0], stash[1]), err
	}
	out, err := f.Line("rev-list", "--no-walk=unsorted", poppedRef+"^1", poppedRef+"^2", poppedRef+"^2^", "--")
	if kept := strings.Fields(out); err == nil && len(kept) == 3 && kept[0] == f.head {
		return f.unstashed(kept[1], kept[2]), nil
	}
	return nil, nil
}

// findPopped returns the stash and what it was made on, nil where there is none.
func (f *finder) findPopped() ([]string, error) {
	if _, err := f.Call(nil, "diff-index", "--quiet", "HEAD", "--"); !vcs.IsNo(err) {
		return nil, err // nothing is here but what was committed
	}
	stashes, err := f.stashesNotHere()
	if err != nil {
		return nil, err
	}
	top, err := f.Line("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	for _, s := range stashes {
		if is, err := f.isHere(top, s[0]); is || err != nil {
			return s[:], err
		}
	}
	return nil, nil
}

func (f *finder) unstashed(stash, base string) *vcs.Operation {
	return &vcs.Operation{Kind: vcs.Unstashing, Bases: []string{base}, Ours: f.head, Theirs: stash, Mine: true, Done: true}
}

// stashesNotHere returns the newest stashes, dropped or not, each with what it was made on,
// that were made on a commit before HEAD.
func (f *finder) stashesNotHere() ([][2]string, error) {
	all, err := f.allStashes()
	if err != nil {
		return nil, err
	}
	all = all[:min(len(all), mostStashes)]
	return slices.DeleteFunc(all, func(s [2]string) bool {
		_, err := f.Call(nil, "merge-base", "--is-ancestor", s[1], f.head)
		return s[1] == f.head || err != nil
	}), nil
}

// isHere reports whether the files below the top of the tree that a stash changes are what git
// makes of it and HEAD.
func (f *finder) isHere(top, stash string) (bool, error) {
	tree, err := f.Line("merge-tree", "--write-tree", "--no-messages", f.head, stash)
	if err != nil {
		return false, nil // it conflicts, or git is older than 2.38
	}
	changed, err := f.List("-C", top, "diff-tree", "-r", "-z", "--no-renames", f.head, tree)
	if err != nil || len(changed) == 0 {
		return false, err
	}
	var names, objects []string
	for i := 0; i+1 < len(changed); i += 2 {
		words, name := strings.Fields(changed[i]), changed[i+1]
		if len(words) != 5 || strings.Contains(name, "\n") {
			return false, nil
		}
		_, err := os.Lstat(filepath.Join(top, filepath.FromSlash(name)))
		switch isGone := words[4] == "D"; {
		case isGone != os.IsNotExist(err):
			return false, nil
		case !isGone:
			names, objects = append(names, name), append(objects, words[3])
		}
	}
	if len(names) == 0 {
		return true, nil
	}
	out, err := f.Call(lines(names), "-C", top, "hash-object", "--stdin-paths")
	if err != nil {
		return false, fmt.Errorf("compare the files with a stash: %w", err)
	}
	return slices.Equal(strings.Fields(string(out)), objects), nil
}
