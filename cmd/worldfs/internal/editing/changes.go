package editing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// inOrder returns changes as a change set has them, in the order of IDs.
func inOrder(set entity.ChangeSet) entity.ChangeSet {
	set = slices.Clone(set)
	slices.SortStableFunc(set, func(a, b entity.Change) int { return cmp.Compare(a.ID, b.ID) })
	return set
}

// callOf returns a call as the history notes it, without what is more than a few IDs.
func callOf(command string, ids ...entity.ID) string {
	const most = 8
	words := []string{"worldfs", command}
	for _, id := range ids[:min(len(ids), most)] {
		words = append(words, id.String())
	}
	if len(ids) > most {
		words = append(words, "…")
	}
	return strings.Join(words, " ")
}
