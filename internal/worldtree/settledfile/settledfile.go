// Package settledfile tells, of the file of an entity that a person has settled in a merge,
// what in it is not the person's: conflicts that are marked still, and values that the merge
// mends elsewhere.
package settledfile

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// WithUnsettled returns an entity of the working copy with what is marked in it still as
// the merged world has it: the rest of the file a person has settled.
func WithUnsettled(have, merged *entity.Entity, findings []entity.Finding) *entity.Entity {
	if have.Type() != merged.Type() || have.Revision() != merged.Revision() {
		return have
	}
	for _, f := range findings {
		if f.ID == have.ID && f.Code == entity.CodeConflict && f.Field != "" {
			have = have.WithField(f.Field, merged)
		}
	}
	return have
}

// BeforeRepairs returns an entity of the merged world with refs that the merge has mended as
// they were before, where the working copy has them so: nobody settles that an entity refers
// to what is deleted, and what it is deleted by may have been chosen later.
func BeforeRepairs(have, merged *entity.Entity, repairs []merge.Repair) *entity.Entity {
	if have.Type() != merged.Type() || have.Revision() != merged.Revision() {
		return merged
	}
	for _, r := range repairs {
		if r.ID == have.ID && isOfRefs(r.Kind) && r.From.Shape != nil && have.Value(r.Field).Equal(r.From.Value) {
			merged = merged.WithField(r.Field, have)
		}
	}
	return merged
}

func isOfRefs(k merge.Kind) bool {
	return k == merge.MovedUp || k == merge.RefCleared || k == merge.CycleCut
}
