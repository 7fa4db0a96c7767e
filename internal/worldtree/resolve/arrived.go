package resolve

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/arrivals"
	"github.com/worldfs/worldfs/internal/worldtree/svnmoved"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/textcodec"
)

// readUpdate finds out what svn does not tell of an update, and whether that is something
// where the update met no conflict.
func (r *Resolution) readUpdate() error {
	s, svn := r.control.(svnControl)
	if !svn || r.Operation.Kind == vcs.Merging {
		return nil
	}
	removed, err := r.findArrived(s)
	if err != nil {
		return err
	}
	if err := r.readAgain(); err != nil {
		return err
	}
	switch {
	case !s.IsThrough():
		return nil
	case !removed && len(r.arrived)+len(r.reread[1]) == 0:
		return errNothingOfSVN
	}
	return s.Keep()
}

// findArrived finds out what came with an update: entities as they are without what is
// theirs alone. Entities that theirs alone removed come to the other sides.
func (r *Resolution) findArrived(s svnControl) (removed bool, err error) {
	update := func() *arrivals.Update {
		return arrivals.New(r.sides[0].Source, r.sides[1].Source, r.sides[2].Source, svnmoved.IsDeleted(s.SVNMerge))
	}
	a := update()
	for { // what was removed may refer to more that was
		found, err := s.pinRemoved(r.dir, a.Missing())
		if err != nil {
			return false, err
		}
		if !found {
			break
		}
		removed = true
		if r.sides, err = s.sides(r.dir.Root); err != nil {
			return false, err
		}
		a = update()
	}
	r.arrived = a.Amended()
	return removed, nil
}

// pinRemoved has entities be on the sides that do not have them any more.
func (s svnControl) pinRemoved(dir *worlddir.Dir, missing map[entity.ID]bool) (found bool, err error) {
	if len(missing) == 0 {
		return false, nil
	}
	return s.PinRemoved(func(text []byte) string {
		_, _, id, err := textcodec.Header(text)
		if err != nil || !missing[id] {
			return ""
		}
		return dir.Settings.Shard.Name(id)
	})
}

func has(w entity.Source, id entity.ID) bool {
	_, ok := w.Get(id)
	return ok
}
