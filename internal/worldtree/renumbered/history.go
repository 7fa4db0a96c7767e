package renumbered

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitlog"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// InHistory returns the entities that got another ID in merges that a side of an operation
// has and another has not, whoever made them: such a merge has an entity that neither of
// its parents has, and that is one of those, under another ID. What cannot be read, or was
// edited in the merge, is left out.
func InHistory(git vcs.Git, op *vcs.Operation) (found []Entity) {
	options := []string{"--merges", "--reverse", "--topo-order", "-c", "--diff-filter=A", op.Ours, op.Theirs}
	for _, base := range op.Bases {
		options = append(options, "^"+base)
	}
	log, err := gitlog.Read(git, options)
	if err != nil || len(op.Bases) == 0 {
		return nil
	}
	for _, c := range log {
		if len(c.Parents) == 2 && len(c.Changes) > 0 {
			found = append(found, inMerge(git, [3]string{c.ID, c.Parents[0], c.Parents[1]}, c.Changes)...)
		}
	}
	return found
}

// inMerge returns the entities that got another ID in a merge of two parents, of those that
// neither has by the IDs.
func inMerge(git vcs.Git, commits [3]string, made []gitlog.Change) (found []Entity) {
	var worlds [3]*worldform.World
	o := worldform.Options{Dir: git.Dir, First: true}
	for i, commit := range commits {
		var err error
		if worlds[i], err = worldform.Open("git:"+commit, o); err != nil {
			return nil
		}
		o.First, o.Types, o.Like = false, worlds[0].Types, append(o.Like, worlds[i])
	}
	for both := range entity.Differing(worlds[1].Source, worlds[2].Source) {
		if both == nil {
			continue
		}
		merged, _ := worlds[0].Source.Get(both.ID)
		for side := 1; side <= 2; side++ {
			was, has := worlds[side].Source.Get(both.ID)
			if !has || isSame(was, merged) {
				continue
			}
			for _, to := range made {
				if now, _ := worlds[0].Source.Get(to.Entity); isSame(was, now) {
					found = append(found, Entity{Commit: commits[side], Other: commits[3-side], Merge: commits[0], From: both.ID, To: to.Entity})
				}
			}
		}
	}
	return found
}

// isSame reports whether two entities have all alike but what their refs lead to, which may
// have got other IDs, too, and their own.
func isSame(a, b *entity.Entity) bool {
	if a == nil || b == nil {
		return false
	}
	none := func(entity.ID) entity.ID { return 0 }
	return withoutID(merge.WithRefs(a, none)).Same(withoutID(merge.WithRefs(b, none)))
}

func withoutID(e *entity.Entity) *entity.Entity {
	c := *e
	c.ID = 0
	return &c
}
