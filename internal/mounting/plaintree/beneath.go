package plaintree

import (
	"slices"

	"github.com/worldfs/worldfs/cache"
)

// Beneath is what came into entities/ while a mount hid that: files of programs that did not see
// the mount, such as a shell that had been there before it. They lie beneath the mount or, where
// the plain files were moved aside, among those.
type Beneath struct {
	Taken  []cache.Report // what the entities' files among them came to
	Others []string       // what is no entity's file, and is in entities/ now
}

// noteBeneath adds to what was found, where the caller wants to know.
func (t Tree) noteBeneath(others []string, taken cache.Report) {
	if t.Beneath == nil {
		return
	}
	all := append(t.Beneath.Others, others...)
	slices.Sort(all)
	t.Beneath.Others = slices.Compact(all) // a step that found no room is done again
	if taken.Created+taken.Changed+taken.Deleted+taken.Broken+len(taken.Conflicts) > 0 {
		t.Beneath.Taken = append(t.Beneath.Taken, taken)
	}
}
