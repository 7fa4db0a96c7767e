package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// Of what an update of svn has changed without a conflict, svn does not tell what it was: it
// is the same on all three sides. Where it does not go with what was edited here, that
// is known all the same. A ref of such an entity to one that was deleted here, or one that
// closes a circle with refs of entities that were edited here, came with the update; and
// what an edited entity refers to, and is nowhere, the update has removed.

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
	isDeleted := func(id entity.ID) bool { return s.IsDeleted(r.dir.Settings.Shard.Name(id)) }
	a := newArrivals(r.sides, isDeleted)
	for { // what was removed may refer to more that was
		found, err := s.pinRemoved(r.dir, a.missing())
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
		a = newArrivals(r.sides, isDeleted)
	}
	r.arrived = a.refs()
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

// arrivals finds out what came with an update.
type arrivals struct {
	base, ours, theirs entity.Source
	edited             map[entity.ID]bool // here: what theirs has otherwise, or not
	deleted            map[entity.ID]bool // here
}

func newArrivals(sides [3]*worldform.World, isDeleted func(entity.ID) bool) *arrivals {
	a := &arrivals{sides[0].Source, sides[1].Source, sides[2].Source, make(map[entity.ID]bool), make(map[entity.ID]bool)}
	for ours, theirs := range entity.Differing(a.ours, a.theirs) {
		if ours != nil {
			a.edited[ours.ID] = true
		} else if isDeleted(theirs.ID) {
			a.deleted[theirs.ID] = true
		}
	}
	return a
}

// missing returns what edited entities refer to and no side has.
func (a *arrivals) missing() map[entity.ID]bool {
	out := make(map[entity.ID]bool)
	for id := range a.edited {
		e, _ := a.ours.Get(id)
		merge.EachRef(e, func(to entity.ID, _ bool) {
			if !has(a.ours, to) && !has(a.theirs, to) && !has(a.base, to) {
				out[to] = true
			}
		})
	}
	return out
}

func has(w entity.Source, id entity.ID) bool {
	_, ok := w.Get(id)
	return ok
}

// refs returns the entities that came with the update, without the refs of them that do
// not go with what was edited here.
func (a *arrivals) refs() map[entity.ID]*entity.Entity {
	out := make(map[entity.ID]*entity.Entity)
	circles := a.circles()
	if len(a.deleted)+len(circles) == 0 {
		return out
	}
	for e := range a.ours.All() {
		if !a.isTheirs(e) {
			continue
		}
		without := merge.WithoutRefs(e, func(to entity.ID, direct bool) bool {
			return a.deleted[to] || direct && circles[link{e.ID, to}]
		})
		if without != e {
			out[e.ID] = without
		}
	}
	return out
}

// isTheirs reports whether an entity is the same on all sides.
func (a *arrivals) isTheirs(e *entity.Entity) bool {
	base, in := a.base.Get(e.ID)
	return !a.edited[e.ID] && in && base.Same(e)
}

// link is a direct ref.
type link struct{ from, to entity.ID }

// circles returns the direct refs of circles that go through one that was made here.
func (a *arrivals) circles() map[link]bool {
	out := make(map[link]bool)
	for id := range a.edited {
		for _, to := range directRefs(a.ours, id) {
			if slices.Contains(directRefs(a.theirs, id), to) {
				continue
			}
			for _, l := range a.way(to, id) {
				out[l] = true
			}
		}
	}
	return out
}

// way returns the direct refs that lead from one entity to another, none if none do.
func (a *arrivals) way(from, to entity.ID) (way []link) {
	came := map[entity.ID]entity.ID{from: 0}
	for queue := []entity.ID{from}; len(queue) > 0; queue = queue[1:] {
		if at := queue[0]; at == to {
			for at != from {
				way = append(way, link{came[at], at})
				at = came[at]
			}
			return way
		}
		for _, next := range directRefs(a.ours, queue[0]) {
			if _, seen := came[next]; !seen {
				came[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	return nil
}

func directRefs(w entity.Source, id entity.ID) (refs []entity.ID) {
	e, ok := w.Get(id)
	if !ok {
		return nil
	}
	merge.EachRef(e, func(to entity.ID, direct bool) {
		if direct {
			refs = append(refs, to)
		}
	})
	return refs
}
