package resolve

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/lostedits"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// steps returns the records of the steps of a rebase. git is asked once, not for each file.
func steps(r *Resolution) []*record {
	git, ok := r.control.(*gitControl)
	if !ok || r.Operation.Kind != vcs.Rebasing {
		return nil
	}
	if r.past.steps == nil {
		r.past.steps = slices.DeleteFunc(slices.Clone(r.past.others), func(o *record) bool {
			words := strings.Fields(o.Operation)
			return len(words) <= 2 || words[0] != string(vcs.Rebasing) ||
				!git.Contains(r.Operation.Theirs, words[2]) || git.Contains(r.Operation.Ours, words[2])
		})
	}
	return r.past.steps
}

// choseInStep reports whether a person has chosen what becomes of an entity in a step of the
// rebase that git has gone through with.
func choseInStep(r *Resolution, id entity.ID) bool {
	return slices.ContainsFunc(steps(r), func(o *record) bool {
		return slices.ContainsFunc(o.Choices, func(c Choice) bool { return c.ID == id && c.Field == "" })
	})
}

// isOfStep reports whether a file is as a call in a step of the rebase has written it, with
// nothing that a person chose or edited there: it is as one that git has merged.
func isOfStep(r *Resolution, id entity.ID, name string) bool {
	return r.Operation.Done && slices.ContainsFunc(steps(r), func(o *record) bool {
		wrote, ok := o.Wrote[name]
		return ok && wrote == r.files.object(name) && o.Under[name] == "" &&
			!slices.ContainsFunc(o.Choices, func(c Choice) bool { return c.ID == id })
	})
}

// toldInSteps returns the entities of which calls in the steps of a rebase that is over have told
// what lost by the policy, which may have been dismissed or restored since.
func toldInSteps(r *Resolution, known *lostedits.Records) map[entity.ID]bool {
	told := make(map[entity.ID]bool)
	if !r.Operation.Done {
		return told // those are other commits
	}
	for _, o := range steps(r) {
		for name := range o.Wrote {
			if id, ok := layout.EntityOf(name); ok && known.Has(o.Operation) {
				told[id] = true
			}
		}
	}
	return told
}
