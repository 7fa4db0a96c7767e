package gitsides

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// NotAlike is the object of what several revisions do not have alike.
const NotAlike = "not alike"

// ObjectsIn returns the objects of entities' files as git lists them in revisions. An entity that
// these do not have alike has NotAlike.
func ObjectsIn(git vcs.Git, revisions []string) (map[entity.ID]string, error) {
	objects := make(map[entity.ID]string)
	for i, rev := range revisions {
		q := worldform.TextQuery()
		q.Rev = rev
		tree, err := git.Tree(q)
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
				objects[id] = NotAlike
			}
		}
		for id := range objects {
			if objects[id] != now[id] {
				objects[id] = NotAlike
			}
		}
	}
	return objects, nil
}
