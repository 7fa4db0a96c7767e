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
	left := make(map[entity.ID][]string)
	for _, name := range m.Deleted() {
		if id, ok := layout.EntityOf(name); ok {
			left[id] = append(left[id], name)
		}
	}
	if len(left) == 0 {
		return nil // as in most merges: their trees are not looked at
	}
	files, ours := make(Files), objectsOf(m, 1)
	for _, f := range m.Tree(2, worldform.TextQuery()).Files {
		if id, ok := layout.EntityOf(f.Name); ok && ours[f.Name] != "" {
			for _, name := range left[id] {
				files[name] = f.Name
			}
		}
	}
	return files
}

// objectsOf returns the objects of a side of a merge, by the file.
func objectsOf(m *vcs.SVNMerge, side int) map[string]string {
	objects := make(map[string]string)
	for _, f := range m.Tree(side, worldform.TextQuery()).Files {
		objects[f.Name] = f.Object
	}
	return objects
}

// Side returns what a world consists of on a side of a merge, with the files where the
// entities' are now.
func (files Files) Side(m *vcs.SVNMerge, side int) *vcs.Tree {
	tree := m.Tree(side, worldform.TextQuery())
	if side == 2 || len(files) == 0 {
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
	if len(files) == 0 {
		return
	}
	listed := make(map[string]int)
	for i, f := range x.Files {
		if f.Stage == 0 {
			listed[f.Name] = i
		}
	}
	ours, theirs := objectsOf(m, 1), objectsOf(m, 2)
	for _, to := range files {
		i, ok := listed[to]
		if !ok || x.Files[i].Object != ours[to] || ours[to] == theirs[to] {
			continue
		}
		x.Files[i].Object = theirs[to]
		if !slices.Contains(x.Edited, to) {
			x.Edited = append(x.Edited, to)
		}
	}
}
