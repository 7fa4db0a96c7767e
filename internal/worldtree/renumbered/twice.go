package renumbered

import (
	"maps"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitlog"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// A commit that was picked, or rebased after another had merged it, is on both sides, as two
// commits: by the author, the time and the subject they are known as one. What it made may
// have got another ID on either side, each its own. By the IDs that is two entities.

// Unite has entities that both sides have come of, each by an ID of its own, be one again: by
// the ID that the side to keep has, or the smaller where that is neither. The base gets them
// as both sides last had them alike. was, of Follow, goes on. It returns what got another ID.
func Unite(git vcs.Git, op *vcs.Operation, earlier []Entity, keep merge.Party, sides *[3]*worldform.World, was *Followed) []merge.Renumbering {
	made := [2]map[entity.ID]string{madeBy(sides, 1), madeBy(sides, 2)}
	if len(op.Bases) == 0 || !haveTypeInCommon(made) {
		return nil
	}
	f := newFollowing(git, op, sides)
	pairs := f.pairs(earlier, made)
	if len(pairs) == 0 {
		return nil
	}
	moves := [2]map[entity.ID]entity.ID{{}, {}}
	var all []merge.Renumbering
	for _, p := range pairs {
		ours, theirs := p.ids[0], p.ids[1]
		if f.staysAsOurs(p, keep) {
			moves[1][theirs] = ours
			all = append(all, merge.Renumbering{From: theirs, To: ours, Side: merge.Theirs})
		} else {
			moves[0][ours] = theirs
			all = append(all, merge.Renumbering{From: ours, To: theirs, Side: merge.Ours})
		}
	}
	for i, ids := range moves {
		moves[i] = closed(ids, sides[i+1].Source)
	}
	alike := make(map[entity.ID]*entity.Entity)
	for _, p := range pairs {
		to := func(id entity.ID) entity.ID { return now(moves[0], f.trace(1, p.commit, id, earlier)) }
		e := *merge.WithRefs(p.alike, to)
		e.ID = now(moves[0], p.ids[0])
		alike[p.ids[0]], alike[p.ids[1]] = nil, nil // the base may have it by either
		alike[e.ID] = &e
	}
	base := *sides[0]
	base.Source = entity.NewOverlay(base.Source, alike)
	sides[0] = &base
	for i, ids := range moves {
		if len(ids) > 0 {
			sides[i+1] = sides[i+1].WithIDs(ids)
			was[i] = then(was[i], ids)
		}
	}
	was.Name(all)
	return all
}

// staysAsOurs reports whether an entity keeps the ID that ours has: not one by which the
// other side has something else.
func (f *following) staysAsOurs(p pair, keep merge.Party) bool {
	_, oursTaken := f.sides[2].Source.Get(p.ids[0])
	_, theirsTaken := f.sides[1].Source.Get(p.ids[1])
	switch {
	case oursTaken != theirsTaken:
		return theirsTaken
	case keep == merge.Neither:
		return p.ids[0] < p.ids[1]
	}
	return keep == merge.Ours
}

// madeBy returns the types of the entities that a side has made, or has otherwise than the
// other. Of one that the base has in no file both sides had the same once.
func madeBy(sides *[3]*worldform.World, side int) map[entity.ID]string {
	made := make(map[entity.ID]string)
	for base, e := range entity.Differing(sides[0].Source, sides[side].Source) {
		if e == nil {
			continue
		}
		if _, inFile := sides[0].Object(e.ID); base != nil && inFile {
			continue
		}
		if other, _ := sides[3-side].Source.Get(e.ID); !isSame(e, other) {
			made[e.ID] = e.Type()
		}
	}
	return made
}

func haveTypeInCommon(made [2]map[entity.ID]string) bool {
	types := make(map[string]bool)
	for _, t := range made[0] {
		types[t] = true
	}
	for _, t := range made[1] {
		if types[t] {
			return true
		}
	}
	return false
}

// pair is an entity that both sides have, by two IDs.
type pair struct {
	ids    [2]entity.ID   // of ours and theirs
	alike  *entity.Entity // as both last had it, as a commit of ours has it
	commit string
}

// version is what a commit gave an entity.
type version struct {
	commit string
	known  string // by what another commit is known that is the same one
	id     entity.ID
	listed vcs.Listed
	entity *entity.Entity
}

// pairs returns the entities that both sides made by the same commits.
func (f *following) pairs(earlier []Entity, made [2]map[entity.ID]string) (found []pair) {
	ours, theirs := f.versions(f.op.Ours, f.op.Theirs), f.versions(f.op.Theirs, f.op.Ours)
	ours, theirs = sharedOnly(ours, theirs), sharedOnly(theirs, ours)
	if len(ours) == 0 || !f.read(ours, theirs) {
		return nil
	}
	known := make(map[string][]version)
	for _, v := range theirs {
		known[v.known] = append(known[v.known], v)
	}
	taken := [2]map[entity.ID]bool{{}, {}}
	for _, v := range ours {
		o, ok := f.twinOf(v, known[v.known])
		if !ok {
			continue
		}
		ids := [2]entity.ID{f.trace(1, v.commit, v.id, earlier), f.trace(2, o.commit, o.id, earlier)}
		typ, is := made[0][ids[0]]
		if !is || made[1][ids[1]] != typ || taken[0][ids[0]] || taken[1][ids[1]] || f.areTwo(ids) {
			continue
		}
		taken[0][ids[0]], taken[1][ids[1]] = true, true
		found = append(found, pair{ids, v.entity, v.commit})
	}
	return found
}

// areTwo reports whether the base has an entity by each of two IDs, or by one that is both.
func (f *following) areTwo(ids [2]entity.ID) bool {
	_, first := f.sides[0].Source.Get(ids[0])
	_, second := f.sides[0].Source.Get(ids[1])
	return first && second
}

// versions returns what the commits of a side that the other does not have gave entities,
// the newest first.
func (f *following) versions(side, other string) []version {
	log, err := gitlog.Read(f.git, []string{"--no-merges", "--topo-order", "--diff-filter=AM", side, "^" + other})
	if err != nil {
		return nil
	}
	return versionsIn(log)
}

// sharedOnly returns the versions of commits that the others have, too.
func sharedOnly(versions, others []version) (shared []version) {
	known := make(map[string]bool)
	for _, o := range others {
		known[o.known] = true
	}
	for _, v := range versions {
		if known[v.known] {
			shared = append(shared, v)
		}
	}
	return shared
}

// read reads the texts of versions, by one process. What cannot be read as an entity stays
// nil.
func (f *following) read(all ...[]version) bool {
	var listed []vcs.Listed
	var of []*version
	for _, versions := range all {
		for i := range versions {
			listed, of = append(listed, versions[i].listed), append(of, &versions[i])
		}
	}
	q := worldform.TextQuery()
	q.Rev, q.Names = f.op.Ours, []string{strings.TrimSuffix(layout.Prefix, "/")}
	tree, err := f.git.Tree(q)
	if err != nil {
		return false
	}
	i := 0
	for text, err := range tree.Read(listed) {
		if err != nil {
			return false
		}
		if read, err := textcodec.Decode(text.Data, of[i].id, f.sides[1].Types); err == nil {
			of[i].entity = read.Entity
		}
		i++
	}
	return true
}

// twinOf returns the version of the same entity of the other commit: that of the same ID, or
// of the same text but for its ID, or else the only one that is alike but for refs to what
// the sides have made, too.
func (f *following) twinOf(v version, others []version) (twin version, ok bool) {
	if v.entity == nil {
		return twin, false
	}
	number := 0
	for _, o := range others {
		switch {
		case o.entity == nil || !f.withoutMade(v.entity).Same(f.withoutMade(o.entity)):
		case o.id == v.id, withoutID(v.entity).Same(withoutID(o.entity)):
			return o, true
		default:
			twin = o
			number++
		}
	}
	return twin, number == 1
}

// withoutMade returns an entity without its ID, and with refs only to what the base has.
func (f *following) withoutMade(e *entity.Entity) *entity.Entity {
	return withoutID(merge.WithRefs(e, func(id entity.ID) entity.ID {
		if _, has := f.sides[0].Source.Get(id); has {
			return id
		}
		return 0
	}))
}

// trace returns the ID that a side has of an entity by that which a commit before it has.
func (f *following) trace(side int, commit string, id entity.ID, earlier []Entity) entity.ID {
	head := f.commits(side)[0]
	var last []Entity // that it got
	isIt := func(x Entity) bool {
		return f.has(x.Commit, commit) || slices.ContainsFunc(last, func(o Entity) bool { return f.knows(x.Commit, o) }) ||
			len(last) == 0 && !f.knows(commit, x) && f.isMadeIn([]string{commit}, x) == yes
	}
	for _, x := range earlier {
		if x.From == id && x.To != 0 && f.has(head, x.Commit) && f.knows(head, x) && isIt(x) {
			id, last = x.To, []Entity{x}
		}
	}
	return id
}

// now returns the ID that one became.
func now(ids map[entity.ID]entity.ID, id entity.ID) entity.ID {
	if to, moved := ids[id]; moved {
		return to
	}
	return id
}

// then returns the IDs that were, by those that they became at last.
func then(was, ids map[entity.ID]entity.ID) map[entity.ID]entity.ID {
	out := maps.Clone(was)
	if out == nil {
		out = make(map[entity.ID]entity.ID)
	}
	for from := range ids {
		delete(out, from)
	}
	for from, to := range ids {
		out[to] = now(was, from)
	}
	return out
}
