package resolve

import (
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
	"github.com/worldfs/worldfs/internal/worldtree/settledfile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// bringHome merges the merged world into the working copy: from what git, or an earlier
// call, left there to the merged world, and to what a person made of it.
func (r *Resolution) bringHome() (err error) {
	known, working, err := r.openWorking()
	if err != nil {
		return err
	}
	if err := r.readSaved(working); err != nil {
		return err
	}
	states, err := r.classifyAll(working)
	if err != nil {
		return err
	}
	types, err := r.typesBefore(known, working)
	if err != nil {
		return err
	}
	was, is := make(map[entity.ID]*entity.Entity), make(map[entity.ID]*entity.Entity)
	for _, id := range known.Unread() { // a text that a person has mended, if it is another in the working copy
		was[id], _ = r.Merged.Get(id)
	}
	for _, id := range working.Unread() {
		was[id], is[id] = nil, nil // only the merged world has it
	}
	for id, state := range states {
		if state == gitsUnread {
			continue
		}
		merged, _ := r.Merged.Get(id)
		was[id] = merged
		if have, ok := working.Source.Get(id); state == persons && ok && merged != nil {
			was[id] = settledfile.BeforeRepairs(have, merged, r.Merged.Repairs)
			is[id] = settledfile.WithUnsettled(have, merged, r.withoutOwn(have, working.Findings))
		} else if state == gits {
			is[id] = merged
		}
	}
	under(r, states, was)
	if err := r.yieldMerged(working, states, was); err != nil {
		return err
	}
	r.states = states
	theirs, carried := followPersons(r.Merged, is, states)
	r.carried = carried
	sides := [3]merge.Side{
		{Types: types, Entities: entity.NewOverlay(known.Source, was)},
		{Types: working.Types, Entities: entity.NewOverlay(working.Source, is)},
		{Types: r.Merged.Types, Entities: theirs},
	}
	r.home, err = merge.Worlds(sides[0], sides[1], sides[2], merge.Options{Policy: merge.Mine})
	if err != nil {
		return err
	}
	r.findLeft(working, states)
	r.findAuthors(r.files.names())
	return r.lostByHand(working, states)
}

// followPersons returns the merged world with what is mounted come along with what a person
// settled otherwise, and which entities have.
func followPersons(merged *merge.Result, is map[entity.ID]*entity.Entity, states map[entity.ID]state) (along entity.Source, carried []entity.ID) {
	settled := maps.Clone(is)
	maps.DeleteFunc(settled, func(id entity.ID, _ *entity.Entity) bool { return states[id] != persons })
	moved := follow.Of(merged, settled, nil)
	maps.Copy(moved.Carried, moved.Restored)
	return entity.NewOverlay(merged, moved.Carried), slices.Sorted(maps.Keys(moved.Carried))
}

// openWorking opens the worlds of what version control has left in the working tree, and of the
// working tree. What was pulled was left as what had been chosen merged it, and before as looked at.
func (r *Resolution) openWorking() (known, working *worldform.World, err error) {
	o := worldform.Options{Dir: r.dir.Root, Types: r.Merged.Types, Like: r.sides[:]}
	switch {
	case r.taking:
		known = r.sides[2]
	case r.Operation.Kind == vcs.Pulling:
		var left *merge.Result
		if left, err = mergedBy(r, r.past.Applied); err == nil {
			known = &worldform.World{Types: left.Types, Source: left}
		}
	default:
		known, err = worldform.OpenTree(r.files.placed(r.files.tree(false)), o)
	}
	if err != nil {
		return nil, nil, err
	}
	tree := r.files.tree(true)
	if r.taking { // the settings have come in already, and the files lie where the former said
		tree.Files = slices.DeleteFunc(tree.Files, func(f vcs.Listed) bool { return f.Name == worlddir.ConfigName })
	}
	if working, err = worldform.OpenTree(tree, o); err == nil && r.taking { // so have the types
		known, err = known.ReadUnder(working, r.index.Tree(nil))
	}
	return known, working, err
}

// classifyAll finds out whose the files are of entities that version control could not
// merge, or that a person has merged.
func (r *Resolution) classifyAll(working *worldform.World) (map[entity.ID]state, error) {
	if r.taking {
		return make(map[entity.ID]state), nil // it has merged nothing yet
	}
	states, err := r.classify(working)
	switch {
	case err != nil:
	case r.Operation.Kind == vcs.Pulling:
	case r.Operation.Done:
		err = r.classifyDone(working, states)
	default:
		err = r.classifyAdded(working, states)
	}
	if err != nil {
		return nil, err
	}
	return states, r.classifyUnread(working, states)
}

// state says whose a file's contents are.
type state int

const (
	untouched  state = iota // it is no conflict of git's
	gits                    // git's, or of an earlier call: it gives way
	gitsUnread              // git's, and it does not parse by the merged types: it gives way
	persons                 // a person has settled it
)

// classify finds out whose the files are of entities that git could not merge.
func (r *Resolution) classify(working *worldform.World) (map[entity.ID]state, error) {
	states := make(map[entity.ID]state)
	broken := working.Unread()
	edited, err := r.editedMarked(broken)
	if err != nil {
		return nil, err
	}
	for id, names := range r.files.names() {
		if r.files.dropped[id] || r.files.isAway(names) {
			states[id] = gits
			continue
		}
		for _, name := range names {
			if _, unmerged := r.files.unmerged[name]; r.files.moved[name] != "" || !unmerged && (!r.files.resolved[name] || isOfStep(r, id, name)) {
				continue
			}
			states[id] = persons
			if !edited[name] && (r.isOurs(name) || r.files.marked[name] && slices.Contains(broken, id)) {
				states[id] = gits
				break
			}
		}
	}
	return states, nil
}

// isOurs reports whether a file is as git, or an earlier call, has left it.
func (r *Resolution) isOurs(name string) bool {
	if wrote, ok := r.past.Wrote[name]; ok {
		return r.files.object(name) == wrote
	}
	return r.files.isGits(name)
}

// findLeft finds out what is left to people: conflicts of the merge that no person has
// settled in the file.
func (r *Resolution) findLeft(working *worldform.World, states map[entity.ID]state) {
	r.Left, r.Unread, r.unread, r.marked = nil, nil, make(map[entity.ID]bool), make(map[entity.ID]bool)
	for _, f := range working.Findings {
		if f.Code == entity.CodeConflict {
			r.marked[f.ID] = true
		}
	}
	r.Stands = slices.DeleteFunc(slices.Clone(r.home.Conflicts), func(c merge.Conflict) bool { return c.Field == "" && choseInStep(r, c.ID) })
	names := r.files.names()
	for _, id := range r.leftUnread(working, states) {
		r.unread[id] = true
		for _, name := range names[id] {
			if r.files.object(name) != "" {
				r.Unread = append(r.Unread, Unread{name, whyUnread(id, working, r.sides[1], r.sides[2])})
			}
		}
	}
	for _, c := range r.Merged.Conflicts {
		settled := states[c.ID] == persons && !isMarked(working, c)
		if e, ok := r.Merged.Get(c.ID); ok && c.Left && settled && !has(working.Source, c.ID) && !gaveUp(r, c.ID) && !choseInStep(r, c.ID) {
			r.Stands = append(slices.Clip(r.Stands), removed(e, c.Kind))
		}
		if c.ID == 0 {
			settled = r.settled[c.Type]
		}
		if c.Left && !settled {
			if states[c.ID] == persons {
				c = asEdited(r, c, working.Source)
			}
			r.Left = append(r.Left, c)
		}
	}
}

// asEdited returns a conflict with what a person has put in the place of ours.
func asEdited(r *Resolution, c merge.Conflict, working entity.Source) merge.Conflict {
	have, ok := working.Get(c.ID)
	if !ok || c.Path != c.Field || !isOwn(r, have, c.Field) {
		return c
	}
	if i := have.Layout.Index(c.Field); i >= 0 {
		c.Ours = merge.Version{Shape: &have.Layout.Fields[i].Shape, Value: have.Values[i]}
	}
	return c
}

const byRemoval = "as you removed it"

// removed returns an entity about which there is a conflict as one whose removal stands.
func removed(e *entity.Entity, about merge.Kind) merge.Conflict {
	changed := "both sides"
	if about == merge.Deleted || about == merge.DeletedAbove {
		changed = "one side" // the other had deleted it, or what it follows
	}
	return merge.Conflict{
		Kind: merge.Deleted, ID: e.ID, Type: e.Type(), Name: e.Name(), Theirs: merge.Version{Entity: e},
		Stands: merge.Ours, By: byRemoval, Why: "removed, although " + changed + " changed it",
	}
}

// gaveUp reports whether there is no value of an entity in conflict: its file is left as it
// is, or a person has removed it.
func gaveUp(r *Resolution, id entity.ID) bool {
	return r.unread[id] || slices.ContainsFunc(r.Stands, func(c merge.Conflict) bool { return c.ID == id && c.By == byRemoval })
}

// isMarked reports whether a world's texts have the markers of a conflict still.
func isMarked(w *worldform.World, c merge.Conflict) bool {
	return slices.ContainsFunc(w.Findings, func(f entity.Finding) bool {
		return f.Code == entity.CodeConflict && f.ID == c.ID && (f.Field == c.Field || c.Field == "")
	})
}
