package resolve

import (
	"bytes"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// What git has left in the working copy is what its index has, but for what a person has
// added there since, or committed with the merge: that is no more git's than what is not added.

// readLeft finds out what git has left of the files that a person has added since.
func (r *Resolution) readLeft() error {
	git, ok := r.control.(*gitControl)
	if !ok || r.Operation.Kind == vcs.Pulling {
		return r.readMadeBySVN()
	}
	r.files.sides = &sideObjects{Resolution: r, git: git}
	r.files.left, r.files.added = make(map[string]vcs.Listed), make(map[string]bool)
	since := "HEAD"
	if r.Operation.Done {
		if err := r.readCommitted(git); err != nil {
			return err
		}
		since = r.Operation.Ours
	}
	if err := r.readMadeTypes(git, since); err != nil {
		return err
	}
	return r.readMade()
}

// readCommitted reads what git has committed of what the index has otherwise.
func (r *Resolution) readCommitted(git *gitControl) error {
	q := indexQuery()
	changed, err := git.StagedChanges("HEAD", q)
	if err != nil || len(changed) == 0 {
		return err
	}
	q.Rev = "HEAD"
	tree, err := git.Tree(q)
	if err != nil {
		return err
	}
	committed := make(map[string]vcs.Listed)
	for _, f := range tree.Files {
		committed[f.Name] = f
	}
	for _, name := range changed {
		if _, unmerged := r.files.unmerged[name]; !unmerged && !r.isWritten(name) {
			r.files.left[name] = committed[name]
		}
	}
	return nil
}

// isWritten reports whether the index has of a file what an earlier call has written.
func (r *Resolution) isWritten(name string) bool {
	wrote, ok := r.past.Wrote[name]
	return ok && wrote == r.files.staged[name].Object
}

// readMade finds out what git makes of the entities of which a side alone changed something:
// those that both did are looked at by classifyAdded.
func (r *Resolution) readMade() error {
	names := r.files.names()
	for id := range r.idsOf(names) {
		name := r.dir.Settings.Shard.Name(id)
		if len(names[id]) > 0 {
			name = names[id][0]
		}
		staged := r.files.staged[name]
		if committed, other := r.files.left[name]; other { // what is added since is no more git's
			staged.Listed = committed
		}
		wrote, written := r.past.Wrote[name]
		if len(names[id]) > 1 || !r.isMerged(name) || written && wrote == staged.Object || r.past.followed.Moved(id) {
			continue
		}
		objects, err := r.files.sides.of(id)
		if err != nil {
			return err
		}
		made, ok := filemerge.Alike(objects)
		if !ok || staged.Object == made || staged.Object != "" && r.isOfRenamed(id, staged.Listed) {
			continue
		}
		r.files.left[name] = vcs.Listed{Name: name, Kind: staged.Kind, Object: made}
	}
	return nil
}

// readMadeBySVN has what theirs alone changed in an svn merge be as svn has written it: with no
// index it would be taken for an edit of the person's, and stand where the merged world has more.
// Declarations are a person's where they are otherwise than svn makes them of the three sides.
func (r *Resolution) readMadeBySVN() error {
	svn, ok := r.control.(svnControl)
	if !ok || r.Operation.Kind != vcs.Merging {
		return nil
	}
	r.files.left = make(map[string]vcs.Listed)
	names := r.files.names()
	for id := range r.idsOf(names) {
		name, theirs := r.dir.Settings.Shard.Name(id), r.objectOf(2, id)
		if ours := r.objectOf(1, id); ours == r.objectOf(0, id) && ours == r.files.staged[name].Object && ours != theirs && r.isMerged(name) && !r.isWritten(name) {
			r.files.left[name] = vcs.Listed{Name: name, Object: theirs}
		}
	}
	sides, err := objectsOfTypes(func(side int) (*vcs.Tree, error) { return svn.Tree(side, typesQuery()), nil })
	if err != nil {
		return err
	}
	r.files.added = make(map[string]bool)
	for _, side := range sides {
		for name := range side {
			have, objects := r.files.object(name), [3]string{sides[0][name], sides[1][name], sides[2][name]}
			if _, written := r.past.Wrote[name]; written || !r.isMerged(name) {
				continue
			}
			made, alike := filemerge.Alike(objects)
			r.files.added[name] = alike && made != have || !alike && (have == "" || !r.mergesTo(objects, vcs.Listed{Name: name, Object: have}))
		}
	}
	return nil
}

// idsOf returns the entities of the index, the working tree and the sides.
func (r *Resolution) idsOf(names map[entity.ID][]string) map[entity.ID]bool {
	ids := make(map[entity.ID]bool)
	for id := range names {
		ids[id] = true
	}
	for _, side := range r.sides[1:] {
		for e := range side.Source.All() {
			ids[e.ID] = true
		}
	}
	return ids
}

// isMerged reports whether git has met no conflict in a file, nor does it lie untold.
func (r *Resolution) isMerged(name string) bool {
	_, unmerged := r.files.unmerged[name]
	return !unmerged && !r.files.resolved[name]
}

// isOfRenamed reports whether a text is what git makes of an entity that one side created,
// taking it for one that this side deleted and the other changed.
func (r *Resolution) isOfRenamed(id entity.ID, staged vcs.Listed) bool {
	if _, had := r.sides[0].Source.Get(id); had {
		return false
	}
	for i, side := range r.sides[1:] {
		other := r.sides[2-i]
		object, created := side.Object(id)
		if !created || has(other.Source, id) {
			continue
		}
		for was, now := range entity.Differing(r.sides[0].Source, other.Source) {
			if was == nil || now == nil || has(side.Source, was.ID) {
				continue
			}
			if r.mergesTo([3]string{r.objectOf(0, was.ID), object, r.objectOf(2-i, was.ID)}, staged) {
				return true
			}
		}
	}
	return false
}

func (r *Resolution) objectOf(side int, id entity.ID) string {
	object, _ := r.sides[side].Object(id)
	return object
}

// mergesTo reports whether a text is what comes of merging three, by git itself or by its
// merge driver.
func (r *Resolution) mergesTo(objects [3]string, want vcs.Listed) bool {
	var listed []vcs.Listed
	for _, object := range objects {
		if object == "" {
			return true // that is not known
		}
		listed = append(listed, vcs.Listed{Name: want.Name, Kind: want.Kind, Object: object})
	}
	var texts [][]byte
	tree := r.index.Tree(nil)
	for f, err := range tree.Read(append(listed, want)) {
		if err != nil {
			return true
		}
		texts = append(texts, f.Data)
	}
	if merged, clean := filemerge.MergeLines(texts[0], texts[1], texts[2]); clean && bytes.Equal(merged, texts[3]) {
		return true
	}
	f := filemerge.File{Root: r.dir.Root, Name: want.Name, Base: texts[0], Ours: texts[1], Theirs: texts[2]}
	merged, clean, err := f.Merge()
	return err == nil && clean && bytes.Equal(merged, texts[3])
}

// readMadeTypes is readMade of the files of declarations, and of those that both sides changed,
// of what the index has otherwise than a revision.
func (r *Resolution) readMadeTypes(git *gitControl, since string) error {
	q := typesQuery()
	changed, err := git.StagedChanges(since, q)
	changed = slices.DeleteFunc(changed, func(name string) bool { return !r.isMerged(name) || r.isWritten(name) })
	if err != nil || len(changed) == 0 || len(r.Operation.Bases) != 1 {
		return err
	}
	sides, err := objectsOfTypes(func(side int) (*vcs.Tree, error) {
		q.Rev = [3]string{r.Operation.Bases[0], r.Operation.Ours, r.Operation.Theirs}[side]
		return git.Tree(q)
	})
	if err != nil {
		return err
	}
	for _, name := range changed {
		staged := r.files.staged[name]
		objects := [3]string{sides[0][name], sides[1][name], sides[2][name]}
		switch made, ok := filemerge.Alike(objects); {
		case ok && made != staged.Object:
			r.files.left[name] = vcs.Listed{Name: name, Kind: staged.Kind, Object: made}
		case !ok && staged.Object != "" && !r.mergesTo(objects, staged.Listed):
			r.files.added[name] = true
		}
	}
	return nil
}

// objectsOfTypes returns the objects of the files of declarations on the three sides.
func objectsOfTypes(read func(side int) (*vcs.Tree, error)) (sides [3]map[string]string, err error) {
	for i := range sides {
		tree, err := read(i)
		if err != nil {
			return sides, err
		}
		sides[i] = make(map[string]string)
		for _, f := range tree.Files {
			sides[i][f.Name] = f.Object
		}
	}
	return sides, nil
}

func typesQuery() vcs.Query {
	q := vcs.Query{Names: []string{strings.TrimSuffix(typesPrefix, "/")}, Limit: typefile.MaxSize}
	q.Want = func(name string) bool { return strings.HasPrefix(name, typesPrefix) }
	return q
}
