// Package arrivals finds out what came with an update of svn and does not go with what was
// edited in the working copy.
//
// Of what an update has changed without a conflict, svn does not tell what it was: it is the
// same on all three sides. Where it does not go with what was edited here, that is known all
// the same. A ref of such an entity to one that was deleted here, or one that closes a circle
// with refs of entities that were edited here, came with the update; and what an edited entity
// refers to, and is nowhere, the update has removed.
package arrivals

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// Update is an update of svn in which nothing was in conflict.
type Update struct {
	base, ours, theirs entity.Source
	edited             map[entity.ID]bool // here: what theirs has otherwise, or not
	deleted            map[entity.ID]bool // here
}

// New returns an update by what is known of it: the base, ours, and theirs, which has all that
// came. isDeleted reports whether an entity that ours lacks was deleted here.
func New(base, ours, theirs entity.Source, isDeleted func(entity.ID) bool) *Update {
	u := &Update{base, ours, theirs, make(map[entity.ID]bool), make(map[entity.ID]bool)}
	for ours, theirs := range entity.Differing(u.ours, u.theirs) {
		if ours != nil {
			u.edited[ours.ID] = true
		} else if isDeleted(theirs.ID) {
			u.deleted[theirs.ID] = true
		}
	}
	return u
}

// Missing returns what edited entities refer to and no side has.
func (u *Update) Missing() map[entity.ID]bool {
	out := make(map[entity.ID]bool)
	for id := range u.edited {
		e, _ := u.ours.Get(id)
		merge.EachRef(e, func(to entity.ID, _ bool) {
			if !has(u.ours, to) && !has(u.theirs, to) && !has(u.base, to) {
				out[to] = true
			}
		})
	}
	return out
}

// Amended returns the entities that came with refs that do not go with what was edited here,
// without those refs.
func (u *Update) Amended() map[entity.ID]*entity.Entity {
	out := make(map[entity.ID]*entity.Entity)
	circles := u.circles()
	if len(u.deleted)+len(circles) == 0 {
		return out
	}
	for e := range u.ours.All() {
		if !u.isTheirs(e) {
			continue
		}
		without := merge.WithoutRefs(e, func(to entity.ID, direct bool) bool {
			return u.deleted[to] || direct && circles[link{e.ID, to}]
		})
		if without != e {
			out[e.ID] = without
		}
	}
	return out
}

// isTheirs reports whether an entity is the same on all sides.
func (u *Update) isTheirs(e *entity.Entity) bool {
	base, in := u.base.Get(e.ID)
	return !u.edited[e.ID] && in && base.Same(e)
}

// link is a direct ref.
type link struct{ from, to entity.ID }

// circles returns the direct refs of circles that go through one that was made here.
func (u *Update) circles() map[link]bool {
	out := make(map[link]bool)
	for id := range u.edited {
		for _, to := range directRefs(u.ours, id) {
			if slices.Contains(directRefs(u.theirs, id), to) {
				continue
			}
			for _, l := range u.way(to, id) {
				out[l] = true
			}
		}
	}
	return out
}

// way returns the direct refs that lead from one entity to another, none if none do.
func (u *Update) way(from, to entity.ID) (way []link) {
	came := map[entity.ID]entity.ID{from: 0}
	for queue := []entity.ID{from}; len(queue) > 0; queue = queue[1:] {
		if at := queue[0]; at == to {
			for at != from {
				way = append(way, link{came[at], at})
				at = came[at]
			}
			return way
		}
		for _, next := range directRefs(u.ours, queue[0]) {
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

func has(w entity.Source, id entity.ID) bool {
	_, ok := w.Get(id)
	return ok
}
