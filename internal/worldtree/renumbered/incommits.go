package renumbered

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
	"github.com/worldfs/worldfs/internal/worldtree/gitlog"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// InCommits returns the entities to which a commit of one side itself has given another ID, as
// worldfs mv does, while the other side has changed what it had by the first, or refers to it
// since: git takes such a change into the file of the new one, and the ref stays. The commit
// removes one and makes another that is the same.
func InCommits(git vcs.Git, op *vcs.Operation, sides *[3]*worldform.World) (found []Entity) {
	changed := changedSince(sides)
	if len(op.Bases) != 1 || len(changed) == 0 {
		return nil
	}
	log, err := gitlog.Read(git, []string{"--no-merges", "--reverse", "--topo-order", "--diff-filter=AD", op.Ours, op.Theirs, "^" + op.Bases[0]})
	if err != nil {
		return nil
	}
	f := newFollowing(git, op, sides)
	for _, c := range log {
		gone, made := goneAndMade(c, changed)
		if len(gone) == 0 || len(made) == 0 || !f.read(gone, made) {
			continue
		}
		for _, was := range gone {
			is := slices.DeleteFunc(slices.Clone(made), func(v version) bool { return !isSame(was.entity, v.entity) })
			if len(is) != 1 {
				continue // none, or copies of which none is it rather than another
			}
			found = append(found, Entity{Commit: c.Parents[0], Other: c.ID, Merge: c.ID, From: was.id, To: is[0].id})
			changed[is[0].id] = true // it may get another once more
		}
	}
	return found
}

// isOfCommit reports whether a commit itself has given the ID, and no merge.
func (x Entity) isOfCommit() bool { return x.Merge != "" && x.Merge == x.Other }

// changedSince returns the entities of the base that a side has otherwise, or to which it
// refers where the base did not.
func changedSince(sides *[3]*worldform.World) map[entity.ID]bool {
	changed := make(map[entity.ID]bool)
	for _, side := range sides[1:] {
		for was, is := range entity.Differing(sides[0].Source, side.Source) {
			if is == nil {
				continue
			}
			if was != nil {
				changed[was.ID] = true
			}
			for _, ref := range reference.Of(is) {
				if _, has := sides[0].Source.Get(ref.To); has && !refersTo(was, ref.To) {
					changed[ref.To] = true
				}
			}
		}
	}
	return changed
}

func refersTo(e *entity.Entity, id entity.ID) bool {
	return e != nil && slices.ContainsFunc(reference.Of(e), func(r reference.Ref) bool { return r.To == id })
}

// goneAndMade returns what a commit has removed of entities, as it was, and what it has made. A
// file that went from one shard to another is neither.
func goneAndMade(c gitlog.Commit, changed map[entity.ID]bool) (gone, made []version) {
	for _, change := range c.Changes {
		isMoved := slices.ContainsFunc(c.Changes, func(o gitlog.Change) bool { return o.Entity == change.Entity && o.Name != change.Name })
		object, to := change.Is, &made
		if change.IsGone() {
			object, to = change.Was, &gone
		}
		if isMoved || change.IsGone() && !changed[change.Entity] {
			continue
		}
		*to = append(*to, version{commit: c.ID, id: change.Entity, listed: vcs.Listed{Name: change.Name, Kind: vcs.Regular, Object: object}})
	}
	return gone, made
}
