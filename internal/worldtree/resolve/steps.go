package resolve

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// choseInStep reports whether a person has chosen what becomes of an entity in a step of the
// rebase that git has gone through with: that was an operation of its own.
func choseInStep(r *Resolution, id entity.ID) bool {
	git, ok := r.control.(*gitControl)
	if !ok || r.Operation.Kind != vcs.Rebasing {
		return false
	}
	return slices.ContainsFunc(r.past.others, func(o *record) bool {
		return isStep(r, git, o) && slices.ContainsFunc(o.Choices, func(c Choice) bool { return c.ID == id && c.Field == "" })
	})
}

// isStep reports whether a record is of a step of the rebase.
func isStep(r *Resolution, git *gitControl, o *record) bool {
	words := strings.Fields(o.Operation)
	return len(words) > 2 && words[0] == string(vcs.Rebasing) &&
		git.Contains(r.Operation.Theirs, words[2]) && !git.Contains(r.Operation.Ours, words[2])
}

// isOfStep reports whether a file is as a call in a step of the rebase has written it, of its
// own accord: it is one that git has merged. What a person has chosen or edited of it there
// stands.
func isOfStep(r *Resolution, id entity.ID, name string) bool {
	git, ok := r.control.(*gitControl)
	if !ok || r.Operation.Kind != vcs.Rebasing || !r.Operation.Done {
		return false
	}
	return slices.ContainsFunc(r.past.others, func(o *record) bool {
		wrote, ok := o.Wrote[name]
		return ok && wrote == r.files.object(name) && o.Under[name] == "" && isStep(r, git, o) &&
			!slices.ContainsFunc(o.Choices, func(c Choice) bool { return c.ID == id })
	})
}
