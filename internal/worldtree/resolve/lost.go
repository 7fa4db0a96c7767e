package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/worldtree/gitsides"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/lostedits"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// Lost is what a merge has cost: edits of one side that what came of it does not have.
type Lost struct {
	Kind    vcs.OperationKind
	Commit  string              // that came of it; "" while it is not committed
	By      leftconflict.Author // of that
	Policy  bool                // they lost to the other side's by the world's policy, else nobody disputed them
	Changes entity.ChangeSet    // that bring them back

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

// lostBy returns the changes that bring back what an operation threw away.
func lostBy(dir *worlddir.Dir, f vcs.Finished, types *entity.Types) (entity.ChangeSet, error) {
	git := vcs.Git{Dir: dir.Root}
	op, err := git.OperationOf(f)
	if op == nil || err != nil {
		return nil, err
	}
	q := worldform.TextQuery()
	q.Rev = f.Commit
	result, err := git.Tree(q)
	if err != nil {
		return nil, err
	}
	return lostOf(dir, op, result, types)
}

// LostByCommit returns what a commit is about to throw away that finishes what git is in
// the middle of, nil for nothing. indexFile is the index that git commits; "" is the
// repository's.
func LostByCommit(root, indexFile string) (*Lost, error) {
	git := vcs.Git{Dir: root, IndexFile: indexFile}
	if was, err := git.WasUnmerged(worldform.TextQuery()); !was || err != nil {
		return nil, err
	}
	op, err := git.Operation()
	if op == nil || op.Done || err != nil {
		return nil, err
	}
	dir, err := worlddir.Open(root)
	if err != nil {
		return nil, err
	}
	result, err := git.Staged(worldform.TextQuery())
	if err != nil {
		return nil, err
	}
	changes, err := lostOf(dir, op, result, nil)
	if len(changes) == 0 || err != nil {
		return nil, err
	}
	return &Lost{Kind: op.Kind, Changes: changes}, nil
}

// lostOf returns the changes that bring back what is not in what came of an operation.
func lostOf(dir *worlddir.Dir, op *vcs.Operation, result *vcs.Tree, types *entity.Types) (entity.ChangeSet, error) {
	trees := [4]*vcs.Tree{{}, {}, {}, result} // base, ours, theirs, and what came of it
	for i, rev := range [3]string{strings.Join(op.Bases[:min(len(op.Bases), 1)], ""), op.Ours, op.Theirs} {
		q := worldform.TextQuery()
		if q.Rev = rev; rev == "" {
			continue // they have nothing in common
		}
		var err error
		if trees[i], err = (vcs.Git{Dir: dir.Root}).Tree(q); err != nil {
			return nil, err
		}
	}
	rules, _ := readRules(dir, op) // id_ranges that cannot be read are told elsewhere
	doubtful := lostedits.Doubtful(trees)
	// A program makes those anew, and one side's set stands.
	maps.DeleteFunc(doubtful, func(id entity.ID, _ bool) bool { return rules.Ranges.IsDisposable(id) })
	if len(doubtful) == 0 {
		return nil, nil
	}
	git := vcs.Git{Dir: dir.Root}
	sides, err := (&gitControl{Git: git, op: op}).sides(dir.Root)
	if err != nil {
		return nil, err
	}
	renumbered.Follow(git, op, renumbered.InCommits(git, op, &sides), &sides)
	if merge.Yields(sides[1].Types) || merge.Yields(sides[2].Types) {
		rules.Program = gitsides.Program(git, op, dir.Settings.Merge.Programs, rules.Ranges.List)
	}
	is, err := worldform.OpenTree(result, worldform.Options{Dir: dir.Root, Types: types, Like: sides[:]})
	if err != nil {
		return nil, err
	}
	return lostIn(sides, is, rules, func(id entity.ID) bool { return doubtful[id] })
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
		base := merge.Side{Types: sides[0].Types, Entities: lostedits.GivenWay(merged, sides)}
		restored, err := merge.Worlds(base, is, merge.Side{Types: is.Types, Entities: carried(merged, is.Types, doubtful)}, merge.Options{Policy: merge.Mine})
		if err != nil {
			return nil, err
		}
		back[i] = slices.DeleteFunc(entity.Diff(is.Entities, restored), func(c entity.Change) bool {
			return !doubtful(c.ID) || repaired[matter{id: c.ID}] || repaired[matter{id: c.ID, field: c.Field}]
		})
	}
	lost, err = changeset.Both(back[0], back[1])
	return follow.WithoutDerivedOf(follow.In(is.Entities).WithoutDerived(lost), sides[1].Entities, sides[2].Entities), err
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

// lostByHand finds out what the person has thrown away who settled files of the operation
// that is not over.
func (r *Resolution) lostByHand(working *worldform.World, states map[entity.ID]state) error {
	r.Lost = nil
	if _, svn := r.control.(svnControl); svn {
		return nil // FindLost knows
	}
	byHand := func(id entity.ID) bool { return states[id] == persons && !r.unread[id] }
	if r.Operation.Done || !slices.ContainsFunc(slices.Collect(maps.Keys(states)), byHand) {
		return nil
	}
	changes, err := lostIn(r.sides, working, r.rules, byHand)
	if len(changes) > 0 {
		r.Lost = &Lost{Kind: called(r), Changes: changes}
	}
	return err
}

// Still drops from what was lost what the world does not lack any more: it has come
// back, or was changed since.
func Still(lost []*Lost, world entity.Source) (still []*Lost) {
	for _, l := range lost {
		l.Changes = slices.DeleteFunc(l.Changes, func(c entity.Change) bool { return !lostedits.IsLacking(world, c) })
		if len(l.Changes) > 0 {
			still = append(still, l)
		}
	}
	return still
}
