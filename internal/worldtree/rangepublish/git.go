package rangepublish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/support/tool"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// branch is the branch that is checked out, and the one of another repository that it follows.
type branch struct {
	*vcs.Caller
	name   string // refs/heads/…
	remote string
	merge  string // refs/heads/… there
	path   string // of id_ranges, from the top of the tree
}

func openBranch(root string) (*branch, error) {
	git, err := vcs.Git{Dir: root}.Caller()
	if err != nil {
		return nil, err
	}
	b := &branch{Caller: git, path: git.Prefix() + worlddir.RangesName}
	if b.name, err = b.Line("symbolic-ref", "-q", "HEAD"); err != nil {
		return nil, errors.New("git has no branch checked out: check one out that follows what others have")
	}
	short := strings.TrimPrefix(b.name, "refs/heads/")
	b.remote, err = b.Line("config", "branch."+short+".remote")
	if err == nil {
		b.merge, err = b.Line("config", "branch."+short+".merge")
	}
	if err != nil {
		return nil, fmt.Errorf("the branch %s follows none that others have: git push -u origin %s makes one", short, short)
	}
	return b, nil
}

func inGit(ctx context.Context, w *idalloc.World) (Result, error) {
	b, err := openBranch(w.Dir.Root)
	if err != nil {
		return Result{}, err
	}
	same, tip := 0, ""
	for tries := 0; tries < maxTries; tries++ {
		before := tip
		if tip, err = b.fetch(); err != nil {
			return Result{}, fmt.Errorf("learn what ranges others have: %w", err)
		}
		a, refused, err := b.try(ctx, w, tip)
		if err == nil && refused == nil {
			return a.Result, errors.Join(a.done(ctx), b.takeIn(a))
		}
		if err != nil {
			return Result{}, err
		}
		if same++; tip != before {
			same = 0
		}
		const maxSame = 8 // a lock of the other repository's that was held for a moment
		if same > maxSame || !isTooLate(refused) {
			return Result{}, fmt.Errorf("publish id_ranges: %w", refused)
		}
		if err := pause(ctx, same); err != nil {
			return Result{}, err
		}
	}
	return Result{}, errors.New("others were faster again and again: try once more")
}

// isTooLate reports whether a push was refused since the branch had moved on, or was moving.
func isTooLate(err error) bool {
	return tool.Says(err, "fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref", "incorrect old value", "stale info")
}

// fetch returns what the branch is at in the other repository.
func (b *branch) fetch() (tip string, err error) {
	if _, err := b.Call(nil, "fetch", "-q", "--no-tags", b.remote, b.merge); err != nil && !vcs.IsLocked(err) && !tool.Says(err, "cannot lock ref") {
		return "", err
	}
	return b.Line("rev-parse", "-q", "--verify", "@{upstream}^{commit}")
}

// try publishes on top of a commit. refused says why git did not push it.
func (b *branch) try(ctx context.Context, w *idalloc.World, tip string) (a *attempt, refused, err error) {
	own, err := rangefile.Read(w.Dir)
	if err != nil {
		return nil, nil, err
	}
	published, err := b.blob(tip)
	if err != nil {
		return nil, nil, err
	}
	if a, err = begin(ctx, w, published, own); err != nil {
		return nil, nil, err
	}
	if a.Commit, err = b.commit(tip, a.data, a.message()); err != nil {
		return nil, nil, errors.Join(err, a.giveUp(ctx))
	}
	if _, err := b.Call(nil, "push", "-q", b.remote, a.Commit+":"+b.merge); err != nil {
		return nil, err, a.giveUp(ctx)
	}
	return a, nil, nil
}

// blob returns id_ranges as a commit has it, nil if it has none.
func (b *branch) blob(commit string) ([]byte, error) {
	listed, err := b.Line("ls-tree", "--full-tree", commit, "--", b.path)
	if err != nil || listed == "" {
		return nil, err
	}
	return b.Call(nil, "cat-file", "blob", commit+":"+b.path)
}

// commit makes a commit that gives id_ranges another text.
func (b *branch) commit(parent string, data []byte, message string) (commit string, err error) {
	dir, err := os.MkdirTemp("", "worldfs-ids-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if data == nil {
		data = []byte{}
	}
	blob, err := b.Call(data, "hash-object", "-w", "--stdin")
	if err != nil {
		return "", err
	}
	index := b.With("GIT_INDEX_FILE=" + filepath.Join(dir, "index"))
	if _, err := index.Line("read-tree", parent); err != nil {
		return "", err
	}
	entry := "100644," + strings.TrimSpace(string(blob)) + "," + b.path
	if _, err := index.Line("update-index", "--add", "--cacheinfo", entry); err != nil {
		return "", err
	}
	tree, err := index.Line("write-tree")
	if err != nil {
		return "", err
	}
	return b.Line("commit-tree", tree, "-p", parent, "-m", message)
}

// takeIn brings what was published into the working tree, and into the branch: as the
// same commit where nothing else has to come in with it, else as one of the branch's own,
// which a later merge finds to be the same. In the middle of a merge nothing is done.
func (b *branch) takeIn(a *attempt) error {
	if b.isBusy() {
		a.Later = "git is in the middle of a merge or rebase"
		return nil
	}
	head, err := b.Line("rev-parse", "-q", "--verify", "HEAD^{commit}")
	if err != nil {
		return err
	}
	was, err := b.blob(head)
	if err != nil {
		return err
	}
	commit, with := a.Commit, a.in(was)
	if !b.isAhead(commit, head) {
		if commit = head; !bytes.Equal(with, was) {
			if commit, err = b.commit(head, with, a.message()); err != nil {
				return err
			}
		}
	}
	untouched := b.isIndexAt(head)
	if err := b.writeFile(a); err != nil {
		return err
	}
	if _, err := b.Call(nil, "update-ref", "-m", "worldfs ids claim", "HEAD", commit, head); err != nil {
		return fmt.Errorf("the range is published, and the branch could not be brought up to it: %w", err)
	}
	if untouched {
		return b.bringIndex(a)
	}
	return nil
}

// bringIndex has the index be as HEAD is, which the file in the working tree need not be.
func (b *branch) bringIndex(a *attempt) error {
	data, err := b.blob("HEAD")
	if err != nil {
		return err
	}
	if now, err := disk.ReadFile(a.world.Dir.RangesPath(), idrange.MaxSize); err == nil && bytes.Equal(now, data) {
		_, err = b.Call(nil, "add", "--", worlddir.RangesName) // with the file's times
		return err
	}
	object, err := b.Line("rev-parse", "HEAD:"+b.path)
	if err == nil {
		_, err = b.Call(nil, "update-index", "--add", "--cacheinfo", "100644,"+object+","+b.path)
	}
	return err
}

// isBusy reports whether git has stopped in the middle of something.
func (b *branch) isBusy() bool {
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"} {
		if _, err := os.Lstat(filepath.Join(b.GitDir(), name)); err == nil {
			return true
		}
	}
	return false
}

// isAhead reports whether a commit is HEAD with another id_ranges, and no more.
func (b *branch) isAhead(commit, head string) bool {
	if _, err := b.Call(nil, "merge-base", "--is-ancestor", head, commit); err != nil {
		return false
	}
	names, err := b.List("diff-tree", "-r", "--name-only", "--no-renames", "-z", head, commit)
	return err == nil && len(names) == 1 && names[0] == b.path
}

// isIndexAt reports whether the index has id_ranges as a commit does.
func (b *branch) isIndexAt(head string) bool {
	names, err := b.List("diff-index", "--cached", "--name-only", "-z", head, "--", worlddir.RangesName)
	return err == nil && len(names) == 0
}

// writeFile has the file in the working tree say what was published, besides what it says.
func (b *branch) writeFile(a *attempt) error {
	path := a.world.Dir.RangesPath()
	data, err := disk.ReadFile(path, idrange.MaxSize)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return rangefile.Change(a.world.Dir, data, a.in(data))
}
