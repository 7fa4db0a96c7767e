// Package gitapplied finds what git has brought together by a command of which it keeps no
// note: a patch (git am -3, git apply -3), a commit that is picked and not committed (git
// cherry-pick -n), local edits that went along to another branch (git checkout -m), a stash
// that was dropped while files were unmerged by it, commits that were picked or reverted
// without stopping, a stash that was taken in without a conflict. Of commits the reflog tells;
// which ones they were, their messages, or the authors and times that the copies have too. Of
// a stash the files tell: they are what git makes of it.
//
// All that tells of the others is the index: it has the three sides of each file that is unmerged,
// and of the others what came of them. Two commits are made of that, which no branch has:
// what there was before, as a child of HEAD, and what comes in, as a child of that. A ref of
// the working tree keeps them, since the index forgets a side when a file is resolved.
package gitapplied

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// The commands, by what they do.
const (
	Patching vcs.OperationKind = "am"
	Applying vcs.OperationKind = "apply"
	Carrying vcs.OperationKind = "checkout"
)

// ref keeps what comes in. Its subject is the kind of the operation.
const ref = "refs/worktree/worldfs/applied"

// ErrPatch says that git stopped at a patch and merged nothing of it.
var ErrPatch = errors.New("git am has stopped, and no file is unmerged: git am --continue goes on where the patch is in the index; else git am --abort, then git am -3 with the same patch, which has git merge it")

// Find returns the operation, nil if there is none. unmerged says that files are unmerged and
// that nothing else is in progress.
func Find(root string, unmerged bool) (*vcs.Operation, error) {
	c, err := vcs.Git{Dir: root}.Caller()
	if err != nil {
		return nil, err
	}
	f := finder{Caller: c}
	if f.head, err = c.Line("rev-parse", "--verify", "--quiet", "HEAD^{commit}"); vcs.IsNo(err) {
		return nil, nil // nothing was committed yet
	} else if err != nil {
		return nil, err
	}
	if !unmerged && !f.has(ref) && !f.isPatching() {
		return f.wentThrough(unmerged)
	}
	if err := f.readStages(); err != nil {
		return nil, err
	}
	op, err := f.kept()
	switch {
	case op != nil || err != nil:
		return op, err
	case !unmerged && f.isPatching():
		return nil, ErrPatch
	}
	if op, err = f.wentThrough(unmerged); op != nil || err != nil || !unmerged {
		return op, err
	}
	return f.made()
}

// wentThrough is what git went through with. Files are unmerged by it since an earlier call found
// conflicts in them, or by something else.
func (f *finder) wentThrough(unmerged bool) (*vcs.Operation, error) {
	for _, find := range []func() (*vcs.Operation, error){f.picked, f.popped} {
		op, err := find()
		is := op != nil
		if is && unmerged && err == nil {
			is, err = f.comesOf(op.Theirs)
		}
		if is || err != nil {
			return op, err
		}
	}
	return nil, nil
}

// finder finds it in one repository.
type finder struct {
	*vcs.Caller
	head   string
	stages []stage // of files that are unmerged, or were
}

func (f *finder) has(name string) bool {
	_, err := os.Lstat(filepath.Join(f.GitDir(), name))
	return err == nil
}

func (f *finder) isPatching() bool { return f.has("rebase-apply/applying") }

// kept is the operation that an earlier call has found, if git is where it was.
func (f *finder) kept() (*vcs.Operation, error) {
	out, err := f.Line("rev-list", "--no-walk=unsorted", ref, ref+"^", ref+"^^", "--")
	if err != nil {
		return nil, nil // it was not kept, or git has cleared it up
	}
	commits := strings.Fields(out)
	if len(commits) != 3 || commits[2] != f.head || len(f.stages) == 0 {
		return nil, nil
	}
	if is, err := f.comesOf(commits[0]); !is || err != nil {
		return nil, err
	}
	kind, err := f.Line("log", "-1", "--format=%s", commits[0])
	return f.operation(vcs.OperationKind(kind), commits[1], commits[0]), err
}

// made is the operation as the index has it.
func (f *finder) made() (*vcs.Operation, error) {
	kind, by := f.kind()
	if kind == Carrying || by == unknown {
		if op := f.droppedStash(); op != nil {
			return op, nil
		}
	}
	dir, err := os.MkdirTemp("", "worldfs-applied-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	before, err := f.commit(kind, by, f.head, 1, func(c *vcs.Caller, _ string) error {
		_, err := c.Call(nil, "read-tree", f.head)
		return err
	}, filepath.Join(dir, "before"))
	if err != nil {
		return nil, err
	}
	comesIn, err := f.commit(kind, by, before, 3, func(_ *vcs.Caller, index string) error {
		data, err := os.ReadFile(f.indexFile())
		if err != nil {
			return err
		}
		return os.WriteFile(index, data, 0o600)
	}, filepath.Join(dir, "index"))
	if err != nil {
		return nil, err
	}
	if _, err := f.Call(nil, "update-ref", ref, comesIn); err != nil {
		return nil, err
	}
	return f.operation(kind, before, comesIn), nil
}

func (f *finder) indexFile() string { return filepath.Join(f.GitDir(), "index") }

// commit makes a commit of an index that begin makes, with one side of what is unmerged.
func (f *finder) commit(kind vcs.OperationKind, by person, parent string, side int, begin func(c *vcs.Caller, index string) error, index string) (string, error) {
	c := f.With("GIT_INDEX_FILE=" + index)
	if err := begin(c, index); err != nil {
		return "", err
	}
	if _, err := c.Call(f.onSide(side), "update-index", "-z", "--index-info"); err != nil {
		return "", fmt.Errorf("read what is unmerged in git: %w", err)
	}
	tree, err := c.Line("write-tree", "--missing-ok") // a partial clone lacks what was never asked for
	if err != nil {
		return "", err
	}
	return f.With(by.environment()...).Line("commit-tree", tree, "-p", parent, "-m", string(kind))
}

func (f *finder) operation(kind vcs.OperationKind, before, comesIn string) *vcs.Operation {
	op := &vcs.Operation{Kind: kind, Bases: []string{before}, Ours: f.head, Theirs: comesIn, Mine: kind == Carrying, Next: "git commit", Begun: f.begun()}
	switch {
	case kind == Patching:
		op.Next = "git am --continue"
	case f.has("rebase-merge") || f.has("rebase-apply"):
		op.Next = "git rebase --continue"
	}
	return op
}

// begun returns when git wrote the files: the newest of what it writes then, and not again
// before that is over.
func (f *finder) begun() (begun time.Time) {
	for _, name := range []string{"AUTO_MERGE", "logs/HEAD", "rebase-apply/applying"} {
		if info, err := os.Lstat(filepath.Join(f.GitDir(), name)); err == nil && info.ModTime().After(begun) {
			begun = info.ModTime()
		}
	}
	return begun
}
