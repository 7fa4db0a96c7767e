package resolve

import (
	"bytes"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// Of a merge that git has gone through with, it does not say which files it could not
// merge and a person did. That is found out by having git merge them once more: what
// comes out otherwise than it was committed is a person's.

// classifyDone adds whose the files are of entities that both sides changed and that are
// not as the merged world has them, or about which there is a conflict.
func (r *Resolution) classifyDone(working *worldform.World, states map[entity.ID]state) error {
	inConflict := make(map[entity.ID]bool)
	for _, c := range r.Merged.Conflicts {
		inConflict[c.ID] = true
	}
	names := r.files.names()
	var ids []entity.ID
	for id := range changedByBoth(r.sides) {
		if states[id] == untouched && !r.past.followed.Moved(id) && (!r.isHome(working, id) || inConflict[id]) {
			ids = append(ids, id)
		}
	}
	if err := r.readTexts(ids, names, r.files.object); err != nil {
		return err
	}
	for _, id := range ids {
		git, err := r.isByGit(id, names[id], r.files.object)
		if err != nil {
			return err
		}
		if !git {
			states[id] = persons
		}
	}
	return nil
}

// changedByBoth returns the entities that both the second and the third side changed.
func changedByBoth(sides [3]*worldform.World) map[entity.ID]bool {
	ours, both := make(map[entity.ID]bool), make(map[entity.ID]bool)
	for b, e := range entity.Differing(sides[0].Source, sides[1].Source) {
		ours[idOf(b, e)] = true
	}
	for b, e := range entity.Differing(sides[0].Source, sides[2].Source) {
		if id := idOf(b, e); ours[id] {
			both[id] = true
		}
	}
	return both
}

func idOf(a, b *entity.Entity) entity.ID {
	if a != nil {
		return a.ID
	}
	return b.ID
}

// isHome reports whether the working copy has an entity as the merged world does.
func (r *Resolution) isHome(working *worldform.World, id entity.ID) bool {
	merged, in := r.Merged.Get(id)
	have, has := working.Source.Get(id)
	return in == has && (!in || merged.Same(have))
}

// isByGit reports whether the file of an entity is what git makes of the three texts by
// itself, or an earlier call has written it. object tells which contents are looked at.
func (r *Resolution) isByGit(id entity.ID, names []string, object func(name string) string) (bool, error) {
	if len(names) != 1 {
		return false, nil
	}
	if wrote, ok := r.past.Wrote[names[0]]; ok {
		return wrote == object(names[0]), nil
	}
	if r.isCommon(id) { // to git it is new on each side that has it
		return r.isOf(id, names[0], r.sides[1:]...), nil
	}
	if p := renumbered.Stays(r.Merged.Renumbered, id); p != merge.Neither { // another of this ID has got a new one
		return r.isOf(id, names[0], r.sides[p]), nil
	}
	texts, err := r.textsOf(id, names[0], object)
	if texts == nil || err != nil {
		return false, err // git makes nothing of it by itself
	}
	if merged, clean := filemerge.MergeLines(texts[0], texts[1], texts[2]); clean && bytes.Equal(merged, texts[3]) {
		return true, nil // without a process of git's for each file
	}
	merged, clean, err := textmerge.ByGit(texts[0], texts[1], texts[2])
	if err != nil || clean && string(merged) == string(texts[3]) {
		return err == nil, err
	}
	return r.isByDriver(id, [3][]byte(texts), func(merged []byte, clean bool) bool {
		return clean && string(merged) == string(texts[3])
	}), nil
}

// isOf reports whether the file of an entity is as one of some sides has it.
func (r *Resolution) isOf(id entity.ID, name string, sides ...*worldform.World) bool {
	return slices.ContainsFunc(sides, func(side *worldform.World) bool {
		object, ok := side.Object(id)
		return ok && object == r.files.object(name)
	})
}

// textsOf returns the texts that the three sides have of an entity, and the contents of its file,
// nil if one has none, or one that says more than what the entity is.
func (r *Resolution) textsOf(id entity.ID, name string, have func(name string) string) (texts [][]byte, err error) {
	if texts, read := r.texts[id]; read {
		return texts, nil
	}
	for f, err := range r.index.Tree(nil).Read(r.textsListed(id, name, have)) {
		if err != nil {
			return nil, err
		}
		texts = append(texts, f.Data)
	}
	return texts, nil
}

// textsListed returns where the texts of textsOf are.
func (r *Resolution) textsListed(id entity.ID, name string, have func(name string) string) (listed []vcs.Listed) {
	objects, ok := r.objects(id)
	if !ok {
		return nil
	}
	for _, object := range objects {
		listed = append(listed, vcs.Listed{Name: name, Object: object})
	}
	if have(name) == "" {
		return nil
	}
	return append(listed, vcs.Listed{Name: name, Object: have(name)})
}

// readTexts has textsOf know the texts of entities, by one process.
func (r *Resolution) readTexts(ids []entity.ID, names map[entity.ID][]string, have func(name string) string) error {
	r.texts = make(map[entity.ID][][]byte)
	var listed []vcs.Listed
	var of []entity.ID // the entity of each
	for _, id := range ids {
		if len(names[id]) != 1 {
			continue
		}
		for _, l := range r.textsListed(id, names[id][0], have) {
			listed, of = append(listed, l), append(of, id)
		}
	}
	if len(listed) == 0 {
		return nil
	}
	i := 0
	for f, err := range r.index.Tree(nil).Read(listed) {
		if err != nil {
			return err
		}
		r.texts[of[i]] = append(r.texts[of[i]], f.Data)
		i++
	}
	return nil
}
