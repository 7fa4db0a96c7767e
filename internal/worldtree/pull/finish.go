package pull

import (
	"errors"
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/pullrecord"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Finish finishes a pull of the world at root that was interrupted, and reports whether
// there was one. What git has done in the meantime stands: then the record is put away, and
// another pull takes in what is missing.
func Finish(root string, o Options) (*Taken, error) {
	o.complete()
	dir := worlddir.Known(root, entity.GUID{})
	p, err := pullrecord.Read(dir)
	if p == nil || p.Ended || err != nil {
		return nil, err
	}
	if err := dir.CheckState(); err != nil { // it may have come with the repository
		return nil, err
	}
	if p.SVN != nil {
		return finishOfSVN(root, o)
	}
	if op, _ := (vcs.Git{Dir: root}).Operation(); op != nil && !op.Done {
		return nil, nil // that comes first
	}
	r, err := find(root)
	if err != nil {
		return nil, err
	}
	unlock, err := r.lock()
	if errors.Is(err, errBusy) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer unlock()
	if p, err = pullrecord.Read(dir); p == nil || p.Ended || err != nil {
		return nil, err // another process has finished it
	}
	in := &gitPull{Incoming: &Incoming{options: o}, repository: r, head: p.Head, shared: p.Shared, bases: p.Bases, mine: p.Mine}
	head, err := r.git.Line("rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return nil, err
	}
	if head != p.Head && head != p.Tip {
		o.Note("a pull was interrupted, and git has moved on since: worldfs pull takes in what is missing; what you had before is the commit refs/worktree/worldfs/mine")
		p.Ended = true
		return nil, p.Write(dir, in.options.Keep)
	}
	o.Note("finishing a pull that was interrupted")
	taken := &Taken{}
	preview, err := in.ahead()
	if err == nil {
		taken.Resolution = preview.Resolution
		taken.Done, err = in.finish(p, preview)
	}
	if err != nil {
		return nil, fmt.Errorf("finish the pull that was interrupted: %w (what you had is the commit refs/worktree/worldfs/mine)", err)
	}
	return taken, nil
}

// finishOfSVN finishes an update of svn that was interrupted.
func finishOfSVN(root string, o Options) (*Taken, error) {
	unlock, err := lockSVN(root)
	if errors.Is(err, errBusy) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer unlock()
	p, err := pullrecord.Read(worlddir.Known(root, entity.GUID{}))
	if p == nil || p.Ended || err != nil {
		return nil, err // another process has finished it
	}
	switch at, err := (vcs.SVN{Dir: root}).Updated(); {
	case err != nil:
		return nil, err
	case p.IsBehind(at):
		o.Note("a pull was interrupted, and svn has updated further since: worldfs resolve settles what does not fit together")
		return nil, (&pullrecord.Record{Ended: true}).Write(worlddir.Known(root, entity.GUID{}), o.Keep)
	}
	o.Note("finishing a pull that was interrupted")
	taken := &Taken{}
	taken.Resolution, taken.Done, err = finishSVN(root, p, o)
	if err != nil {
		return nil, fmt.Errorf("finish the pull that was interrupted: %w", err)
	}
	return taken, nil
}
