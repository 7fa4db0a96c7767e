package pull

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/osfile"
	"github.com/worldfs/worldfs/internal/worldtree/pullrecord"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// take takes in what was looked at.
func (in *gitPull) take() (*Taken, error) {
	unlock, err := in.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := in.awaitIndex(); err != nil {
		return nil, err
	}
	switch head, err := in.git.Line("rev-parse", "--verify", "HEAD^{commit}"); {
	case err != nil:
		return nil, err
	case head != in.head:
		return nil, fmt.Errorf("%w: something was committed here, or pulled, since it was looked at: pull again", ErrOutside)
	}
	if in.isForward() {
		return &Taken{Commits: len(in.Commits)}, in.goForward()
	}
	if err := in.checkTypes(); err != nil {
		return nil, err
	}
	done, err := in.rebase()
	if err != nil {
		return nil, err
	}
	p := &pullrecord.Record{Head: in.head, Tip: done.tip, Bases: in.bases, Shared: in.shared, Mine: in.mine}
	c, err := in.checkout(done.tip)
	if err != nil {
		return nil, err
	}
	p.From, p.To = c.from, c.to
	in.noteStaged(p)
	if err := in.keepReachable(p); err != nil {
		return nil, err
	}
	dir := worlddir.Known(in.root, entity.GUID{})
	if err := p.Write(dir, in.options.Keep); err != nil {
		return nil, err
	}
	taken := &Taken{Commits: len(in.Commits), Made: done.made, Dropped: done.dropped, Merged: done.merged, Resolution: in.merged.Resolution}
	taken.Done, err = in.finish(p, in.merged)
	return taken, err
}

// goForward has git do what it does by itself.
func (in *gitPull) goForward() error {
	if err := locking(in.git, nil, "merge", "--ff-only", "--quiet", in.shared); err != nil {
		return fmt.Errorf("%w: %w", ErrOutside, err)
	}
	return nil
}

func (r *repository) lock() (unlock func(), err error) { return lock(r.git.GitDir()) }

// lock has one process pull at a time. dir is version control's own directory.
func lock(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "worldfs-pull.lock"), os.O_RDWR|os.O_CREATE|osfile.NoFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if err := osfile.TryLock(f, osfile.Exclusive); err != nil {
		f.Close()
		if errors.Is(err, osfile.ErrLocked) {
			return nil, errBusy
		}
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() { f.Close() }, nil
}

var errBusy = errors.New("another worldfs pull is at work in this clone")

// noteStaged notes what of the world the index has otherwise than HEAD.
func (in *gitPull) noteStaged(p *pullrecord.Record) {
	world := in.dirtyWorld(in.dirty)
	p.Staged = names(world, func(d dirty) bool { return d.staged && !d.edited })
	p.Told = names(world, func(d dirty) bool { return d.told })
	if partly := names(world, func(d dirty) bool { return d.staged && d.edited }); len(partly) > 0 {
		in.options.Note(fmt.Sprintf("staged and edited since, so not staged any more (git add): %s", strings.Join(partly, ", ")))
	}
}

// keepReachable has git keep what the person had, and what is to come, until another pull.
func (in *gitPull) keepReachable(p *pullrecord.Record) error {
	return in.updateRefs(fmt.Sprintf("update %s %s\nupdate %s %s\n", keptMine, p.Mine, keptTip, p.Tip))
}

// forget puts the record away, and what git kept for it.
func (in *gitPull) forget() error {
	if err := (&pullrecord.Record{Ended: true}).Write(worlddir.Known(in.root, entity.GUID{}), in.options.Keep); err != nil {
		return err
	}
	return in.updateRefs(fmt.Sprintf("delete %s\ndelete %s\n", keptMine, keptTip))
}

// The refs by which git keeps what the person had, and what is to come.
const (
	keptMine = "refs/worktree/worldfs/mine"
	keptTip  = "refs/worktree/worldfs/tip"
)

// updateRefs has git do what lines for git update-ref say: all of it, or nothing.
func (r *repository) updateRefs(lines string, options ...string) error {
	return locking(r.git, []byte(lines), append([]string{"update-ref", "--stdin"}, options...)...)
}

// finish does what a record says. All of it may be done already, or half of it.
func (in *gitPull) finish(p *pullrecord.Record, r *resolve.Preview) (done resolve.Done, err error) {
	if err := in.moveOutside(p); err != nil {
		return done, err
	}
	if done, err = r.TakeIn(); err != nil {
		return done, err
	}
	if err := in.moveBranch(p); err != nil {
		return done, err
	}
	if err := in.followIndex(p, r); err != nil {
		return done, err
	}
	p.Ended = true
	if len(r.Left) == 0 {
		return done, in.forget()
	}
	return done, p.Write(worlddir.Known(in.root, entity.GUID{}), in.options.Keep)
}

// moveOutside has the files besides the world be as they come in. Where the branch has moved
// on already, they are: the index may have conflicts by then, with which git moves nothing.
func (in *gitPull) moveOutside(p *pullrecord.Record) error {
	if p.From == p.To {
		return nil
	}
	head, err := in.git.Line("rev-parse", "--verify", "HEAD^{commit}")
	if err != nil || head == p.Tip {
		return err
	}
	all, err := in.diff(p.From, p.To)
	if err != nil {
		return err
	}
	_, names := in.outside(all)
	if err := in.move(in.git, checkout{p.From, p.To}, names); err != nil {
		return fmt.Errorf("bring the files besides the world to what came in: %w", err)
	}
	return nil
}

// moveBranch has the branch be where it is to be.
func (in *gitPull) moveBranch(p *pullrecord.Record) error {
	head, err := in.git.Line("rev-parse", "--verify", "HEAD^{commit}")
	if err != nil || head == p.Tip {
		return err
	}
	return in.updateRefs(fmt.Sprintf("update ORIG_HEAD %s\nupdate HEAD %s %s\n", p.Head, p.Tip, p.Head), "-m", "worldfs pull")
}

// followIndex has the index have the world as the branch does, but for what was staged and
// what is in conflict.
func (in *gitPull) followIndex(p *pullrecord.Record, r *resolve.Preview) error {
	names := []string{"world.toml", "id_ranges", "types", "entities"}
	if err := locking(in.git, nil, append([]string{"reset", "--quiet", "--"}, names...)...); err != nil {
		return fmt.Errorf("have git's index follow: %w", err)
	}
	for _, again := range []struct {
		names   []string
		options []string
	}{{p.Staged, []string{"--all"}}, {p.Told, []string{"--intent-to-add"}}} {
		names := slices.DeleteFunc(slices.Clone(again.names), func(name string) bool { return !in.differs(name) })
		if len(names) == 0 {
			continue
		}
		args := append([]string{"add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"}, again.options...)
		if err := locking(in.git, []byte(strings.Join(names, "\x00")+"\x00"), args...); err != nil {
			return fmt.Errorf("stage what was staged: %w", err)
		}
	}
	return r.UnmergeLeft()
}

// differs reports whether git can be told of a file: it is there, or was.
func (in *gitPull) differs(name string) bool {
	if _, err := os.Lstat(filepath.Join(in.root, filepath.FromSlash(name))); err == nil {
		return true
	}
	out, err := in.git.List("ls-files", "-z", "--", name)
	return err == nil && len(out) > 0
}
