package resolve

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// Lost is what a merge has cost: edits of one side that what came of it does not have.
type Lost struct {
	Kind    vcs.OperationKind
	Commit  string           // that came of it; "" while it is not committed
	By      Author           // of that
	Policy  bool             // they lost to the other side's by the world's policy, else nobody disputed them
	Changes entity.ChangeSet // that bring them back

	key string
}

// String returns how they were lost: thrown away by the merge 1a2b3c4 (Bob, yesterday).
func (l *Lost) String() string {
	s := "thrown away by the " + string(l.Kind)
	if l.Policy {
		s = "lost to the other side in the " + string(l.Kind)
	}
	if l.Commit != "" {
		s += fmt.Sprintf(" %.7s", l.Commit)
	}
	return s + l.By.String()
}

// lostDays is for how many days it is known what a merge has cost.
const lostDays = 14

// FindLost finds out what the merges and rebases of the last 14 days have cost, each
// once: what was found is kept. At most so many are looked at that were not before, 0 for
// all; later is how many are left to a later call. Of a world that git does not have
// there is nothing.
func FindLost(dir *worlddir.Dir, keep Keep, most int) (lost []*Lost, later int, err error) {
	known, err := readLost(dir)
	if err != nil {
		return nil, 0, err
	}
	since := time.Now().AddDate(0, 0, -lostDays)
	known.forget(since)
	finished, err := vcs.Git{Dir: dir.Root}.FinishedSince(since)
	if err != nil && !errors.Is(err, vcs.ErrNoRepository) && !errors.Is(err, vcs.ErrNoTool) {
		return nil, 0, err
	}
	finished = slices.DeleteFunc(finished, func(f vcs.Finished) bool { return known.has(f.Commit) })
	if most > 0 && len(finished) > most {
		finished, later = finished[:most], len(finished)-most
	}
	types, _, err := typefile.ReadDir(dir.TypesPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, err
	}
	for _, f := range finished {
		changes, err := lostBy(dir, f, types)
		if err != nil {
			return nil, 0, fmt.Errorf("find out what the %s %.7s has cost: %w", f.Kind, f.Commit, err)
		}
		known.add(&Lost{Kind: f.Kind, Commit: f.Commit, By: Author{f.Author, f.Time}, Changes: changes, key: f.Commit})
	}
	if err := known.write(dir, keep); err != nil {
		return nil, 0, err
	}
	return known.lost(types), later, nil
}

// lostBy returns the changes that bring back what an operation threw away.
func lostBy(dir *worlddir.Dir, f vcs.Finished, types *entity.Types) (entity.ChangeSet, error) {
	git := vcs.Git{Dir: dir.Root}
	op, err := git.OperationOf(f)
	if op == nil || err != nil {
		return nil, err
	}
	trees := [4]*vcs.Tree{{}} // base, ours, theirs, and what came of it
	for i, rev := range [4]string{strings.Join(op.Bases[:min(len(op.Bases), 1)], ""), op.Ours, op.Theirs, f.Commit} {
		q := worldform.TextQuery()
		if q.Rev = rev; rev == "" {
			continue // they have nothing in common
		}
		if trees[i], err = git.Tree(q); err != nil {
			return nil, err
		}
	}
	rules, _ := readRules(dir, op) // id_ranges that cannot be read are told elsewhere
	doubtful := notByGit(trees)
	// A program makes those anew, and one side's set stands.
	maps.DeleteFunc(doubtful, func(id entity.ID, _ bool) bool { return rules.Ranges.IsDisposable(id) })
	if len(doubtful) == 0 {
		return nil, nil
	}
	sides, err := (&gitControl{Git: vcs.Git{Dir: dir.Root}, op: op}).sides(dir.Root)
	if err != nil {
		return nil, err
	}
	result, err := worldform.OpenTree(trees[3], worldform.Options{Dir: dir.Root, Types: types, Like: sides[:]})
	if err != nil {
		return nil, err
	}
	return lostIn(sides, result, rules, func(id entity.ID) bool { return doubtful[id] })
}

// notByGit returns the entities that did not come out as the one side has them that
// changed them.
func notByGit(trees [4]*vcs.Tree) map[entity.ID]bool {
	var objects [4]map[entity.ID]string
	all := make(map[entity.ID]bool)
	for i, tree := range trees {
		objects[i] = make(map[entity.ID]string)
		for _, f := range tree.Files {
			if id, ok := entityOf(f.Name); ok {
				objects[i][id] = f.Object
				all[id] = true
			}
		}
	}
	for id := range all {
		base, ours, theirs, result := objects[0][id], objects[1][id], objects[2][id], objects[3][id]
		switch {
		case ours == theirs && result == ours, base == ours && result == theirs, base == theirs && result == ours:
			delete(all, id)
		}
	}
	return all
}

// lostIn returns the changes that bring back what came of nothing in a result: where it
// is as the base was although one side changed that and the other did not. It is looked
// for only in entities that are doubtful.
func lostIn(worlds [3]*worldform.World, result *worldform.World, rules merge.Options, doubtful func(entity.ID) bool) (lost entity.ChangeSet, err error) {
	sides := worldform.Sides(worlds)
	is := merge.Side{Types: result.Types, Entities: result.AsIn(sides[1].Entities)}
	// What is disputed comes back otherwise where ours stands than where theirs does.
	var back [2]entity.ChangeSet
	for i, policy := range []merge.Policy{merge.Mine, merge.Shared} {
		rules.Policy, rules.Rules = policy, nil
		merged, err := merge.Worlds(sides[0], sides[1], sides[2], rules)
		if err != nil {
			return nil, err
		}
		repaired := repairedIn(merged)
		restored, err := merge.Worlds(sides[0], is, merge.Side{Types: is.Types, Entities: carried(merged, is.Types, doubtful)}, merge.Options{Policy: merge.Mine})
		if err != nil {
			return nil, err
		}
		back[i] = slices.DeleteFunc(entity.Diff(is.Entities, restored), func(c entity.Change) bool {
			return !doubtful(c.ID) || repaired[matter{id: c.ID}] || repaired[matter{id: c.ID, field: c.Field}]
		})
	}
	return inBoth(back[0], back[1])
}

// carried returns a merged world with the entities that are doubtful as other types
// declare them: where a declaration was thrown away, what it declared cannot come back,
// but the rest can.
func carried(merged *merge.Result, types *entity.Types, doubtful func(entity.ID) bool) entity.Source {
	changes := make(map[entity.ID]*entity.Entity)
	for e := range merged.All() {
		if t := types.Get(e.Type()); t != nil && doubtful(e.ID) && t != merged.Types.Get(e.Type()) {
			changes[e.ID] = textcodec.Carry(e, t)
		}
	}
	return entity.NewOverlay(merged, changes)
}

// repairedIn returns what a merge made of itself: that is neither side's edit.
func repairedIn(r *merge.Result) map[matter]bool {
	repaired := make(map[matter]bool)
	for _, x := range r.Repairs {
		repaired[matter{id: x.ID, field: x.Field}] = true
	}
	for _, x := range r.Renumbered {
		repaired[matter{id: x.From}], repaired[matter{id: x.To}] = true, true
	}
	return repaired
}

// inBoth returns the changes that two sets have in common.
func inBoth(a, b entity.ChangeSet) (both entity.ChangeSet, err error) {
	text := func(c entity.Change) (string, error) {
		var out bytes.Buffer
		err := changeset.Format(&out, entity.ChangeSet{c})
		return out.String(), err
	}
	known := make(map[string]bool)
	for _, c := range b {
		s, err := text(c)
		if err != nil {
			return nil, err
		}
		known[s] = true
	}
	for _, c := range a {
		s, err := text(c)
		if err != nil {
			return nil, err
		}
		if known[s] {
			both = append(both, c)
		}
	}
	return both, nil
}

// lostByHand finds out what the person has thrown away who settled files of the operation
// that is not over.
func (r *Resolution) lostByHand(working *worldform.World, states map[entity.ID]state) error {
	r.Lost = nil
	byHand := func(id entity.ID) bool { return states[id] == persons && !r.unread[id] }
	if r.Operation.Done || !slices.ContainsFunc(slices.Collect(maps.Keys(states)), byHand) {
		return nil
	}
	changes, err := lostIn(r.sides, working, r.rules, byHand)
	if len(changes) > 0 {
		r.Lost = &Lost{Kind: r.Operation.Kind, Changes: changes}
	}
	return err
}

// Still drops from what was lost what the world does not lack any more: it has come
// back, or was changed since.
func Still(lost []*Lost, world entity.Source) (still []*Lost) {
	for _, l := range lost {
		l.Changes = slices.DeleteFunc(l.Changes, func(c entity.Change) bool { return !isLacking(world, c) })
		if len(l.Changes) > 0 {
			still = append(still, l)
		}
	}
	return still
}

// isLacking reports whether a world is as it was before a change.
func isLacking(world entity.Source, c entity.Change) bool {
	e, ok := world.Get(c.ID)
	switch {
	case c.Op == entity.OpCreate:
		return !ok
	case !ok:
		return false
	case c.Op == entity.OpDelete || c.Op == entity.OpReplace:
		return e.Same(c.Old)
	}
	return c.Fits(e) && !c.On(e).Same(e)
}
