package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitsides"
)

// sideObjects are the objects of the entities' files on the three sides.
type sideObjects struct {
	*Resolution
	git    *gitControl
	listed *[3]map[entity.ID]string // by git; nil until a text is asked for that says more than what the entity is
}

// of returns the objects of an entity's file in the base, ours and theirs, "" for none.
func (s *sideObjects) of(id entity.ID) (objects [3]string, err error) {
	for i, side := range s.sides {
		has := false
		if objects[i], has = side.Object(id); has {
			continue
		}
		if _, is := side.Source.Get(id); is || slices.Contains(side.Unread(), id) {
			return s.listedOf(id)
		}
	}
	return objects, nil
}

func (s *sideObjects) listedOf(id entity.ID) (objects [3]string, err error) {
	if s.listed == nil {
		s.listed = new([3]map[entity.ID]string)
		for i, revisions := range [3][]string{s.Operation.Bases, {s.Operation.Ours}, {s.Operation.Theirs}} {
			if s.listed[i], err = gitsides.ObjectsIn(s.git.Git, revisions); err != nil {
				return objects, err
			}
		}
	}
	for i, of := range s.listed {
		objects[i] = of[id]
	}
	return objects, nil
}
