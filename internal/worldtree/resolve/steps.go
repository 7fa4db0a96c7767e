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
		words := strings.Fields(o.Operation)
		return len(words) > 2 && words[0] == string(vcs.Rebasing) &&
			slices.ContainsFunc(o.Choices, func(c Choice) bool { return c.ID == id && c.Field == "" }) &&
			git.Contains(r.Operation.Theirs, words[2]) && !git.Contains(r.Operation.Ours, words[2])
	})
}
