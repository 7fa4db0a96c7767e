package resolve

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/lostedits"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// lostDays is for how many days it is known what a merge has cost.
const lostDays = 14

// Search is how to find out what merges have cost.
type Search struct {
	Keep  Keep
	Note  func(string) // told what the person should know
	Most  int          // how many operations are looked at that were not before; 0 for all
	Again bool         // those are looked at, too, that could not be before
}

// FindLost finds out what the merges and rebases of git's, and the updates and merges of
// svn's, have cost in the last 14 days, each once: what was found is kept. later is how many are left to a later call. One that
// cannot be looked at is told once, and keeps nothing from being found out of the others.
func FindLost(dir *worlddir.Dir, s Search) (lost []*Lost, later int, err error) {
	known, err := lostedits.Read(dir)
	switch {
	case errors.Is(err, keptfile.ErrDamaged):
		s.Note(fmt.Sprintf("%v: what merges have cost is found out again, and what was dismissed of it is told again", err))
	case err != nil:
		return nil, 0, err
	}
	types, _, err := typefile.ReadDir(dir.TypesPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, err
	}
	finished, later := s.finished(dir, known)
	var found []*lostedits.Record
	for _, f := range finished {
		found = append(found, s.lookAt(dir, f, types, known))
	}
	svn := svnLosses{dir: dir, types: types, keep: s.Keep, note: s.Note, known: known}
	now, err := svn.find()
	if err != nil {
		s.Note(fmt.Sprintf("what svn's updates have cost cannot be found out: %v", err))
	}
	found = append(found, svn.found...)
	err = lostedits.Update(dir, s.Keep, func(kept *lostedits.Records) error {
		kept.Forget(since())
		for _, o := range found {
			if old := kept.Get(o.Key); old == nil || old.Skipped != "" {
				kept.Put(o)
			}
		}
		known = kept
		return nil
	})
	if err == nil {
		err = svn.forget()
	}
	if err != nil { // a full disk, or a state that cannot be changed
		s.Note(fmt.Sprintf("what merges have cost is found out anew by each command, since it cannot be kept: %v", err))
		for _, o := range found {
			known.Put(o)
		}
	}
	return append(now, recorded(known, types)...), later, nil
}

func since() time.Time { return time.Now().AddDate(0, 0, -lostDays) }

// finished returns what is to be looked at.
func (s Search) finished(dir *worlddir.Dir, known *lostedits.Records) (finished []vcs.Finished, later int) {
	finished, err := vcs.Git{Dir: dir.Root}.FinishedSince(since())
	if err != nil && !errors.Is(err, vcs.ErrNoRepository) && !errors.Is(err, vcs.ErrNoTool) {
		s.Note(fmt.Sprintf("what merges have cost is found out only as far as git can read what was: %v; git fsck tells more", err))
	}
	finished = slices.DeleteFunc(finished, func(f vcs.Finished) bool {
		o := known.Get(f.Commit)
		return o != nil && (o.Skipped == "" || !s.Again)
	})
	if s.Most > 0 && len(finished) > s.Most {
		finished, later = finished[:s.Most], len(finished)-s.Most
	}
	return finished, later
}

// lookAt returns what one operation has cost, or why that cannot be found out.
func (s Search) lookAt(dir *worlddir.Dir, f vcs.Finished, types *entity.Types, known *lostedits.Records) *lostedits.Record {
	l := &Lost{Kind: f.Kind, Commit: f.Commit, By: leftconflict.Author{Name: f.Author, Time: f.Time}, key: f.Commit}
	var err error
	if l.Changes, err = lostBy(dir, f, types); err == nil {
		return l.record()
	}
	o := l.record()
	o.Skipped = err.Error()
	instead := f.Compare() + " show it by lines, as far as git can"
	if errors.Is(err, vcs.ErrShallow) {
		instead = "then"
	}
	s.Note(fmt.Sprintf("what the %s %.7s%s has cost cannot be found out: %v; %s, and worldfs resolve --restore-lost looks again", f.Kind, f.Commit, l.By, err, instead))
	return o
}
