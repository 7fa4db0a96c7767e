// Package svnmoved finds the files that an update or switch of svn across a change of shard
// has left in their old places: those that were edited here. svn has such a file in conflict,
// beside the one that it has brought to where the entity's file lies now.
//
// world.toml is the new one on all sides of such a merge by then, and has no entity's file in
// the old place. So the base and ours have the text of the old place in the new one.
package svnmoved

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// Files are such files, each with where the entity's file lies now.
type Files map[string]string

// Find returns the files that a merge has left in their old places. That files are resolved
// changes nothing about it.
func Find(m *vcs.SVNMerge) Files {
	if m.Operation().Kind == vcs.Merging {
		return nil // its sides have a world.toml each
	}
	var sides [3]map[string]bool
	places := make(map[entity.ID]string)
	for side := range sides {
		sides[side] = make(map[string]bool)
		for _, f := range m.Tree(side, worldform.TextQuery()).Files {
			sides[side][f.Name] = true
			if id, ok := layout.EntityOf(f.Name); ok && side == 2 {
				places[id] = f.Name
			}
		}
	}
	files := make(Files)
	for name := range sides[1] {
		id, ok := layout.EntityOf(name)
		if to := places[id]; ok && sides[0][name] && !sides[2][name] && sides[1][to] {
			files[name] = to
		}
	}
	return files
}

// Side returns what a world consists of on a side of a merge, with the files where the
// entities' are now.
func (files Files) Side(m *vcs.SVNMerge, side int) *vcs.Tree {
	tree := m.Tree(side, worldform.TextQuery())
	if side == 2 {
		return tree
	}
	came := make(map[string]string)
	for _, f := range tree.Files {
		if to, moved := files[f.Name]; moved {
			came[to] = f.Object
		}
	}
	tree.Files = slices.DeleteFunc(tree.Files, func(f vcs.Listed) bool { return files[f.Name] != "" })
	for i, f := range tree.Files {
		if object := came[f.Name]; object != "" {
			tree.Files[i].Object = object
		}
	}
	return tree
}

// NoteEdits has an index tell what a person has made since of the files that svn has brought:
// when the merge was first read that was taken for ours.
func (files Files) NoteEdits(m *vcs.SVNMerge, x *vcs.Index) {
	var objects [3]map[string]string
	for side := range objects {
		objects[side] = make(map[string]string)
		for _, f := range m.Tree(side, worldform.TextQuery()).Files {
			objects[side][f.Name] = f.Object
		}
	}
	for _, to := range files {
		ours, theirs := objects[1][to], objects[2][to]
		i := slices.IndexFunc(x.Files, func(f vcs.Staged) bool { return f.Name == to && f.Stage == 0 && f.Object == ours })
		if i < 0 || ours == theirs {
			continue
		}
		x.Files[i].Object = theirs
		if !slices.Contains(x.Edited, to) {
			x.Edited = append(x.Edited, to)
		}
	}
}
