package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
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
		for i := range s.listed {
			if s.listed[i], err = s.list(i); err != nil {
				return objects, err
			}
		}
	}
	for i, of := range s.listed {
		objects[i] = of[id]
	}
	return objects, nil
}

// notAlike is the object of what several bases do not have alike: what git makes of those is
// not known.
const notAlike = "not alike"

// list lists a side.
func (s *sideObjects) list(side int) (map[entity.ID]string, error) {
	objects := make(map[entity.ID]string)
	for i, rev := range [3][]string{s.Operation.Bases, {s.Operation.Ours}, {s.Operation.Theirs}}[side] {
		q := worldform.TextQuery()
		q.Rev = rev
		tree, err := s.git.Tree(q)
		if err != nil {
			return nil, err
		}
		now := make(map[entity.ID]string)
		for _, f := range tree.Files {
			if id, ok := layout.EntityOf(f.Name); ok {
				now[id] = f.Object
			}
		}
		if i == 0 {
			objects = now
			continue
		}
		for id := range now {
			if objects[id] != now[id] {
				objects[id] = notAlike
			}
		}
		for id := range objects {
			if objects[id] != now[id] {
				objects[id] = notAlike
			}
		}
	}
	return objects, nil
}
