// Package renumbered has entities that got another ID, in a merge or in a commit of a person's, be
// known by it where commits of before that come in later: the next commit of a rebase, a stash, a
// commit that is picked, another merge of the same branch. To git, what those say is about
// the entity that kept the ID.
package renumbered

import (
	"fmt"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// Entity is one that got another ID.
type Entity struct {
	Commit string    `json:"commit"`          // that has it by the first, and comes before what was merged
	Other  string    `json:"other"`           // what Commit was merged with: commits that follow on this have the entity by its new ID. "": they follow on Commit, and To came in since
	Merge  string    `json:"merge,omitempty"` // that came of it, if that is known: only what follows on this has the entity by its new ID. It is Other where a commit itself gave the ID
	From   entity.ID `json:"from"`
	To     entity.ID `json:"to"`
}

// In returns the entities that got another ID in the merge of an operation. Where commits
// are made anew on ours, as in a rebase, they do not follow on theirs, and have no names yet.
func In(op *vcs.Operation, all []merge.Renumbering) (found []Entity) {
	for _, x := range all {
		switch {
		case x.Side == merge.Theirs:
			found = append(found, Entity{Commit: op.Theirs, Other: op.Ours, From: x.From, To: x.To})
		case op.Kind == vcs.Merging:
			found = append(found, Entity{Commit: op.Ours, Other: op.Theirs, From: x.From, To: x.To})
		default:
			found = append(found, Entity{Commit: op.Ours, From: x.From, To: x.To})
		}
	}
	return found
}

// Followed are the IDs by which ours and theirs themselves have entities that have others in
// what they come to.
type Followed [2]map[entity.ID]entity.ID

// Follow gives entities of the sides of an operation the IDs that they got in earlier merges,
// in the order of those.
func Follow(git vcs.Git, op *vcs.Operation, earlier []Entity, sides *[3]*worldform.World) (was Followed) {
	if len(earlier) == 0 {
		return was
	}
	f := newFollowing(git, op, sides)
	var moves [3]map[entity.ID]entity.ID
	for side := range sides {
		if side == 0 && len(op.Bases) > 1 {
			continue // that was done where those came together
		}
		moves[side] = f.moves(side, earlier)
	}
	for side, ids := range moves {
		if len(ids) == 0 {
			continue
		}
		if side == 0 {
			sides[0] = f.newest(ids)
		}
		all := closed(ids, sides[side].Source)
		sides[side] = sides[side].WithIDs(all)
		if side > 0 {
			was[side-1] = make(map[entity.ID]entity.ID)
			for from, to := range all {
				was[side-1][to] = from
			}
		}
	}
	return was
}

// newest returns the base with entities that are to get new IDs as both sides last had them
// alike, where it has them so by those: each side had given its own the same in a merge.
func (f *following) newest(ids map[entity.ID]entity.ID) *worldform.World {
	base := *f.sides[0]
	since := make(map[entity.ID]*entity.Entity)
	for from, to := range ids {
		e, has := base.Source.Get(to)
		if _, moves := ids[to]; !has || moves || slices.ContainsFunc(f.op.Bases, func(b string) bool { return f.hasFile(b, to) }) {
			continue
		}
		as := *e
		as.ID = from
		since[from], since[to] = &as, nil
	}
	if len(since) > 0 {
		base.Source = entity.NewOverlay(base.Source, since)
	}
	return &base
}

// Moved reports whether ours or theirs has something else by an ID: what version control has
// made of its file is about both.
func (was Followed) Moved(id entity.ID) bool {
	for _, ids := range was {
		for to, from := range ids {
			if id == to || id == from {
				return true
			}
		}
	}
	return false
}

// Name has what a merge gave new IDs be named by those that the sides themselves have.
func (was Followed) Name(all []merge.Renumbering) {
	for i, x := range all {
		side := 0
		if x.Side == merge.Theirs {
			side = 1
		}
		if from, ok := was[side][x.From]; ok {
			all[i].From = from
		}
	}
}

// Stays returns the side whose entity keeps an ID of which both have made one, Neither where
// none has got another, or both have.
func Stays(all []merge.Renumbering, id entity.ID) (stays merge.Party) {
	for _, x := range all {
		switch {
		case x.From != id:
		case stays == merge.Neither:
			stays = x.Side.Other()
		default:
			return merge.Neither
		}
	}
	return stays
}

// following finds out which of the sides have which entities by their first IDs.
type following struct {
	git   vcs.Git
	op    *vcs.Operation
	sides *[3]*worldform.World
	told  map[[2]string]bool
	made  map[made]*version
}

func newFollowing(git vcs.Git, op *vcs.Operation, sides *[3]*worldform.World) *following {
	return &following{git, op, sides, make(map[[2]string]bool), make(map[made]*version)}
}

// moves returns the IDs that entities of a side are to have, by those that they have.
func (f *following) moves(side int, earlier []Entity) map[entity.ID]entity.ID {
	ids := make(map[entity.ID]entity.ID)
	var applied []Entity
	for _, x := range earlier {
		if x.From == 0 || x.To == 0 || !f.knowsBy(x) || !f.isBefore(side, x) {
			continue
		}
		given := slices.Contains(slices.Collect(maps.Values(ids)), x.To)
		after := slices.ContainsFunc(applied, func(o Entity) bool {
			return (o.From == x.From || o.To == x.From) && f.knows(x.Commit, o)
		})
		_, has := f.sides[side].Source.Get(x.From)
		switch {
		case after: // what the side has as x.From had become another by then
			for from, to := range ids {
				if to == x.From {
					ids[from] = x.To
				}
			}
		case has && !given && f.isOf(side, x):
			ids[x.From] = x.To
			applied = append(applied, x)
		}
	}
	return ids
}

// knowsBy reports whether what the operation comes to has an entity by its new ID: where a
// commit is made again, what it is made on has it, or the commit gives it; a merge has it of
// either side.
func (f *following) knowsBy(x Entity) bool {
	return f.knows(f.op.Ours, x) || (f.op.Kind == vcs.Merging || x.isOfCommit()) && f.knows(f.op.Theirs, x)
}

// isBefore reports whether a side is without the merge in which an entity got its new ID.
func (f *following) isBefore(side int, x Entity) bool {
	return !slices.ContainsFunc(f.commits(side), func(commit string) bool { return f.knows(commit, x) })
}

// knows reports whether a commit has an entity by its new ID.
func (f *following) knows(commit string, x Entity) bool {
	switch {
	case x.Merge != "":
		return f.has(commit, x.Merge)
	case x.Other != "":
		return f.has(commit, x.Other)
	}
	return f.has(commit, x.Commit) && f.once([2]string{commit, fmt.Sprint(x.Commit, " ", x.To)}, func() bool {
		log, err := f.git.Log([]string{"--format=%H", "-n1", commit, "^" + x.Commit}, layout.Places(x.To)...)
		return err == nil && log != ""
	})
}

// isOf reports whether it is that entity which a side has by the first ID: it was made in the
// same commit. Where git does not tell, the side is in one line with the commit, or the base
// is, which has the entity.
func (f *following) isOf(side int, x Entity) bool {
	if side == 0 && !slices.ContainsFunc(f.op.Bases, func(b string) bool { return f.hasFile(b, x.From) }) {
		return f.wasOnceIn(x, 0)
	}
	switch f.isMadeIn(f.having(side, x.From), x) {
	case yes:
		return true
	case no: // the side has moved the entity itself, in a merge with a third that is another's
		return false
	}
	return f.isInLine(side, x) || f.isInLine(0, x)
}

// isInLine reports whether a side has an entity by its first ID, and is in one line with the
// commit. What came of several merge bases has it of any of those.
func (f *following) isInLine(side int, x Entity) bool {
	inLine := func(commit string) bool { return f.has(commit, x.Commit) || f.has(x.Commit, commit) }
	commits := f.commits(side)
	if len(commits) > 1 && slices.ContainsFunc(commits, func(c string) bool { return f.hasFile(c, x.From) }) {
		return slices.ContainsFunc(f.having(side, x.From), inLine)
	}
	_, has := f.sides[side].Source.Get(x.From)
	return has && len(commits) > 0 && all(commits, inLine)
}

// having returns the commits of which a side may have what it has by an ID: of several merge
// bases those that have something by it themselves, since another says nothing of what that
// is. Where none has, both sides had it alike since, and follow on all.
func (f *following) having(side int, id entity.ID) []string {
	commits := f.commits(side)
	if len(commits) < 2 {
		return commits
	}
	var having []string
	for _, commit := range commits {
		if f.hasFile(commit, id) {
			having = append(having, commit)
		}
	}
	if having == nil {
		return commits
	}
	return having
}

func (f *following) hasFile(commit string, id entity.ID) bool {
	return f.once([2]string{commit, fmt.Sprint(id)}, func() bool {
		tree, err := f.git.Tree(vcs.Query{Rev: commit, Names: layout.Places(id)})
		return err == nil && len(tree.Files) > 0
	})
}

func (f *following) commits(side int) []string {
	return [3][]string{f.op.Bases, {f.op.Ours}, {f.op.Theirs}}[side]
}

// has reports whether a commit is another, or comes after it. What git does not know, as
// after old objects were pruned, does not.
func (f *following) has(commit, other string) bool {
	return f.once([2]string{commit, other}, func() bool { return f.git.Contains(commit, other) })
}

// once asks git once.
func (f *following) once(key [2]string, ask func() bool) bool {
	is, known := f.told[key]
	if !known {
		is = ask()
		f.told[key] = is
	}
	return is
}

func all(commits []string, is func(string) bool) bool {
	return !slices.ContainsFunc(commits, func(c string) bool { return !is(c) })
}

// closed returns a map of IDs by which no two come to have the same one: an entity in whose
// place another comes gets an ID that has become free. A merge finds that it was made twice,
// and gives it one of its own.
func closed(ids map[entity.ID]entity.ID, in entity.Source) map[entity.ID]entity.ID {
	from := make(map[entity.ID]entity.ID) // by where they go
	for id, to := range ids {
		from[to] = id
	}
	out := maps.Clone(ids)
	for to := range from {
		_, moves := ids[to]
		if _, has := in.Get(to); moves || !has {
			continue
		}
		free := to
		for id, ok := from[free]; ok; id, ok = from[free] {
			free = id
		}
		out[to] = free
	}
	return out
}
