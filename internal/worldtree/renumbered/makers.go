package renumbered

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitlog"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// answer is what git tells.
type answer int

const (
	unknown answer = iota
	yes
	no
)

// wasOnceIn reports whether what a side has by the first ID of an entity is a version of it: the
// base has what both sides had alike since, which no commit of the base tells of.
func (f *following) wasOnceIn(x Entity, side int) bool {
	has, _ := f.sides[side].Source.Get(x.From)
	log, err := gitlog.Read(f.git, []string{"-c", "--diff-filter=AM", x.Commit}, layout.Places(x.From)...)
	all := versionsIn(log)
	return err == nil && f.read(all) && slices.ContainsFunc(all, func(v version) bool { return v.entity != nil && v.entity.Same(has) })
}

// isMadeIn reports whether what commits have by the first ID of an entity was made in the
// commit in which that was, or in one that is the same, picked or rebased.
func (f *following) isMadeIn(commits []string, x Entity) answer {
	made := f.maker(x.Commit, x)
	if made == nil {
		return unknown
	}
	is := no
	for _, commit := range commits {
		switch maker := f.maker(commit, x); {
		case maker == nil:
			is = unknown // both sides had it alike since, or git tells of no commits so old
		case f.isSameMaker(*maker, *made):
			return yes
		}
	}
	return is
}

// maker returns what made the entity that a commit has by the first ID of an entity, nil if git
// does not tell. Of a merge, git follows the parents whose file it took: both, where refs
// were changed in it. Then that is it which is most like what was made.
func (f *following) maker(commit string, x Entity) *version {
	if x.Other == "" {
		return nil
	}
	key := made{commit, x.From}
	if maker, asked := f.made[key]; asked {
		return maker
	}
	f.made[key] = nil
	log, err := gitlog.Read(f.git, []string{"-c", "--diff-filter=AD", commit}, layout.Places(x.From)...)
	if all := versionsIn(log); err == nil && len(all) > 0 {
		f.made[key] = f.mostAlike(commit, all)
	}
	return f.made[key]
}

// mostAlike returns the version that is most like what a commit has by its ID, the newest of
// those that are equally so.
func (f *following) mostAlike(commit string, all []version) *version {
	if len(all) == 1 {
		return &all[0]
	}
	tree, err := f.git.Tree(vcs.Query{Rev: commit, Names: layout.Places(all[0].id)})
	if err != nil || len(tree.Files) == 0 {
		return &all[0]
	}
	now := []version{{id: all[0].id, listed: tree.Files[0]}}
	if !f.read(all, now) || now[0].entity == nil {
		return &all[0]
	}
	best := &all[0]
	for i := range all[1:] {
		if v := &all[i+1]; alike(v.entity, now[0].entity) > alike(best.entity, now[0].entity) {
			best = v
		}
	}
	return best
}

// alike returns how many values two entities have in common, -1 if they are of two types.
func alike(a, b *entity.Entity) int {
	if a == nil || b == nil || a.Type() != b.Type() {
		return -1
	}
	n := 0
	for i, f := range a.Layout.Fields {
		if j := b.Layout.Index(f.Name); j >= 0 && a.Values[i].Equal(b.Values[j]) {
			n++
		}
	}
	return n
}

// made is what is asked once.
type made struct {
	commit string
	id     entity.ID
}

// isSameMaker reports whether two commits that each made a file are one, or were, and made
// the same entity.
func (f *following) isSameMaker(a, b version) bool {
	if a.commit == b.commit || a.known != b.known {
		return a.commit == b.commit
	}
	both := []version{a, b}
	return a.listed.Object == b.listed.Object || f.read(both) && isSame(both[0].entity, both[1].entity)
}

// versionsIn returns what commits gave entities. One that took the entity from another place
// has moved it to its shard.
func versionsIn(log []gitlog.Commit) (all []version) {
	for _, c := range log {
		for _, change := range c.Changes {
			if change.IsGone() || slices.ContainsFunc(c.Changes, func(o gitlog.Change) bool { return o.Entity == change.Entity && o.IsGone() }) {
				continue
			}
			all = append(all, version{commit: c.ID, known: c.Known, id: change.Entity, listed: vcs.Listed{Name: change.Name, Kind: vcs.Regular, Object: change.Is}})
		}
	}
	return all
}
