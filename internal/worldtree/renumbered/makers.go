package renumbered

import (
	"slices"

	"github.com/worldfs/worldfs/internal/worldtree/gitlog"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// isMadeIn reports whether what a side has by the first ID of an entity was made in a commit
// in which that was, or in one that is the same, picked or rebased. Which is looked for where
// the other that had the ID is not; where git tells of none, as of an older one, nothing says
// otherwise.
func (f *following) isMadeIn(side int, x Entity) bool {
	made := f.makers(x.Commit, x)
	return len(made) == 0 || slices.ContainsFunc(f.having(side, x.From), func(commit string) bool {
		makers := f.makers(commit, x)
		return len(makers) == 0 || slices.ContainsFunc(makers, func(m version) bool {
			return slices.ContainsFunc(made, func(o version) bool { return f.isSameMaker(m, o) })
		})
	})
}

// makers returns what made the file that a commit has by the first ID of an entity. Of a
// merge, git follows the parents whose file it took.
func (f *following) makers(commit string, x Entity) (made []version) {
	if x.Other == "" {
		return nil
	}
	log, err := gitlog.Read(f.git, []string{"-c", "--diff-filter=A", commit, "^" + x.Other}, layout.Places(x.From)...)
	if err != nil {
		return nil
	}
	return versionsIn(log)
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

// versionsIn returns what commits gave entities.
func versionsIn(log []gitlog.Commit) (all []version) {
	for _, c := range log {
		for _, change := range c.Changes {
			all = append(all, version{commit: c.ID, known: c.Known, id: change.Entity, listed: vcs.Listed{Name: change.Name, Kind: vcs.Regular, Object: change.Is}})
		}
	}
	return all
}
