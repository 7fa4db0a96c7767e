package pull

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/osfile"
	"github.com/worldfs/worldfs/internal/worldtree/pullrecord"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/resolvelock"
	"github.com/worldfs/worldfs/internal/worldtree/svnrecord"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// svnPull is an update of svn: what is here is not committed, and stays so. svn makes the
// update, and what it merges by itself gives way to the merged world.
type svnPull struct {
	*Incoming
	root   string
	update *vcs.SVNAhead
}

func (in *Incoming) lookBySVN(root string) error {
	update, err := (vcs.SVN{Dir: root}).Ahead(resolve.WholeQuery())
	if err != nil {
		return err
	}
	s := &svnPull{in, root, update}
	if err := checkLeft(root, s.edited); err != nil {
		return err
	}
	in.way, in.Upstream, in.Outside = s, "svn", update.Outside
	for _, c := range update.Commits {
		in.Commits = append(in.Commits, Commit{ID: "r" + c.Revision, Author: c.Author, Time: c.Time, Subject: c.Subject})
	}
	if in.Nothing() {
		return nil
	}
	r, err := in.Merged()
	if err != nil {
		return err
	}
	sides := r.Sides()
	in.Loss.Had = sides[0].Source.Len()
	for old, e := range entity.Differing(sides[0].Source, sides[2].Source) {
		if old != nil && e == nil {
			in.Loss.Gone++
		}
	}
	return nil
}

func (s *svnPull) ahead() (*resolve.Preview, error) {
	return resolve.AheadOfSVN(s.root, s.update, s.options.resolving())
}

func (s *svnPull) take() (*Taken, error) {
	if err := s.checkTypes(); err != nil {
		return nil, err
	}
	if err := checkReach(s.root); err != nil {
		return nil, err
	}
	unlock, err := lockSVN(s.root)
	if err != nil {
		return nil, err
	}
	defer unlock()
	record, err := s.update.Record()
	if err != nil {
		return nil, err
	}
	p := &pullrecord.Record{Revision: s.update.Revision, SVN: record}
	if err := p.Write(worlddir.Known(s.root, entity.GUID{}), s.options.Keep); err != nil {
		return nil, err
	}
	taken := &Taken{Commits: len(s.Commits)}
	taken.Resolution, taken.Done, err = finishSVN(s.root, p, s.options)
	return taken, err
}

// finishSVN does what a record says. All of it may be done already, or half of it.
func finishSVN(root string, p *pullrecord.Record, o Options) (*resolve.Resolution, resolve.Done, error) {
	var done resolve.Done
	if err := checkReach(root); err != nil {
		return nil, done, err
	}
	svn := vcs.SVN{Dir: root}
	if err := svn.Update(p.Revision); err != nil {
		return nil, done, fmt.Errorf("have svn update to %s: %w", p.Revision, err)
	}
	dir := worlddir.Known(root, entity.GUID{})
	if err := svn.Pin(resolve.WholeQuery(), p.SVN, svnrecord.Keeper(dir, o.Keep)); err != nil {
		return nil, done, err
	}
	unlock, err := resolvelock.Lock(root, o.Note)
	if err != nil {
		return nil, done, err
	}
	defer unlock()
	r, err := resolve.Open(root, o.resolving())
	if err != nil {
		return nil, done, err
	}
	if done, err = r.Apply(); err != nil {
		return r, done, err
	}
	return r, done, (&pullrecord.Record{Ended: true}).Write(dir, o.Keep)
}

// checkReach refuses an update where svn cannot rename files from its .svn onto entities,
// since a mount is between them: it would end half way, and leave the working copy locked.
func checkReach(root string) error {
	top, err := (vcs.SVN{Dir: root}).Root()
	if err != nil {
		return err
	}
	entities := worlddir.Known(root, entity.GUID{}).EntitiesPath()
	from, err := os.Stat(filepath.Join(top, ".svn"))
	if err != nil {
		return err
	}
	onto, err := os.Stat(entities)
	if err != nil || osfile.OnOneDevice(from, onto) {
		return nil // svn makes a directory that is gone
	}
	return fmt.Errorf("%w: %s is mounted without the .svn of %s, so svn cannot change the entities in it: worldfs unmount, and then pull; "+
		"worldfs mount --cover %s mounts them so that it can", ErrOutside, entities, top, top)
}

// lockSVN has one process pull at a time.
func lockSVN(root string) (unlock func(), err error) {
	top, err := (vcs.SVN{Dir: root}).Root()
	if err != nil {
		return nil, err
	}
	return lock(filepath.Join(top, ".svn"))
}
