// Package svnmoved finds the files that an update or switch of svn across a change of shard
// has left in their old places: those that were edited or added here, and those that were
// deleted here. svn has such a file in conflict, or as it was, beside the one that it has
// brought to where the entity's file lies now.
//
// world.toml is the new one on all sides of such a merge by then, and has no entity's file in
// the old place. So the base and ours have what lay in the old place in the new one.
package svnmoved

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
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
	left := make(map[string]entity.ID)
	for _, name := range m.Gone() {
		if id, ok := layout.EntityOf(name); ok {
			left[name] = id
		}
	}
	if len(left) == 0 {
		return nil // as in most merges: their trees are not looked at
	}
	l, ok := layoutOf(m, 2)
	if ours, _ := layoutOf(m, 1); !ok || ours != l {
		return nil // ours has its world.toml still
	}
	files := make(Files)
	for name, id := range left {
		if to := l.Name(id); to != name {
			files[name] = to
		}
	}
	return files
}

// layoutOf returns where the entities' files lie by the world.toml of a side.
func layoutOf(m *vcs.SVNMerge, side int) (l layout.Layout, ok bool) {
	tree := m.Tree(side, worldform.TextQuery())
	i := slices.IndexFunc(tree.Files, func(f vcs.Listed) bool { return f.Name == worlddir.ConfigName })
	if i < 0 {
		return l, false
	}
	for f, err := range tree.Read(tree.Files[i : i+1]) {
		if err == nil {
			l, err = worlddir.ShardOf(f.Data)
		}
		ok = err == nil
	}
	return l, ok
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
// entities' are now. What svn has brought there is no other side's; what a mount has moved
// there is.
func (files Files) Side(m *vcs.SVNMerge, side int) *vcs.Tree {
	tree := m.Tree(side, worldform.TextQuery())
	if side == 2 || len(files) == 0 {
		return tree
	}
	had, brought, came := objectsOf(m, side), objectsOf(m, 2), make(map[string]string)
	for name, to := range files {
		if had[name] != "" || came[to] == "" {
			came[to] = had[name]
		}
	}
	tree.Files = slices.DeleteFunc(tree.Files, func(f vcs.Listed) bool {
		object, moved := came[f.Name]
		return files[f.Name] != "" || moved && (object != "" || brought[f.Name] != "")
	})
	for to, object := range came {
		if object != "" {
			tree.Files = append(tree.Files, vcs.Listed{Name: to, Object: object})
		}
	}
	if i := slices.IndexFunc(tree.Files, isEntity); i >= 0 { // they come last
		slices.SortFunc(tree.Files[i:], func(a, b vcs.Listed) int { return strings.Compare(a.Name, b.Name) })
	}
	return tree
}

// IsDeleted returns what reports whether an entity was deleted here, wherever its file lay, of
// those that ours does not have.
func IsDeleted(m *vcs.SVNMerge) func(entity.ID) bool {
	return func(id entity.ID) bool { return slices.ContainsFunc(layout.Places(id), m.IsDeleted) }
}

func isEntity(f vcs.Listed) bool {
	_, ok := layout.EntityOf(f.Name)
	return ok
}

// NoteEdits has an index tell what a person has made since of the files that svn has brought:
// when the merge was first read that was taken for ours.
func (files Files) NoteEdits(m *vcs.SVNMerge, x *vcs.Index) {
	noteUnknown(m, x)
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
		if !ok || theirs[to] == "" || x.Files[i].Object != ours[to] || ours[to] == theirs[to] {
			continue
		}
		x.Files[i].Object = theirs[to]
		if !slices.Contains(x.Edited, to) {
			x.Edited = append(x.Edited, to)
		}
	}
}

// noteUnknown has an index not have entities' files that svn does not know and that lie
// where no entity's file lies: they are a person's, and no part of the merge.
func noteUnknown(m *vcs.SVNMerge, x *vcs.Index) {
	isUnknown := func(f vcs.Staged) bool { return isEntity(f.Listed) && m.IsUnknown(f.Name) }
	if !slices.ContainsFunc(x.Files, isUnknown) {
		return
	}
	l, ok := layoutOf(m, 2)
	if !ok {
		return
	}
	x.Files = slices.DeleteFunc(x.Files, func(f vcs.Staged) bool {
		id, _ := layout.EntityOf(f.Name)
		if !isUnknown(f) || l.Name(id) == f.Name {
			return false
		}
		x.New = append(x.New, f.Name)
		return true
	})
	x.Edited = slices.DeleteFunc(x.Edited, x.IsNew)
}
