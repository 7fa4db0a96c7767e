package cache

import (
	"maps"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/table"
)

// change is what an intake does to one entity's file.
type change = table.Change

func count(v *View, changes map[entity.ID]change) (r Report) {
	for id, c := range changes {
		_, had := v.Get(id)
		switch {
		case c.Gone:
			r.Deleted++
		case c.Entity == nil:
			r.Broken++
		case had:
			r.Changed++
		default:
			r.Created++
		}
	}
	return r
}

// intakeLocked publishes the view with the changes, and brings the files in step.
// Where that were a great loss it does nothing and the error is a *LossError. The
// caller has publishing.
func (w *World) intakeLocked(v *View, changes map[entity.ID]change) error {
	values := valuesOf(changes)
	if err := checkTextSizes(maps.Values(values)); err != nil {
		return err
	}
	next := v.with(values)
	if err := w.refuseLossLocked(v, next); err != nil {
		return err
	}
	if err := w.control.Commit(); err != nil {
		return err
	}
	in, err := w.control.PrepareIntake(v.View, changes, w.intakeCauseLocked())
	if err != nil {
		return err
	}
	defer w.feed.Write()
	defer w.counts.intakes.Start()()
	return w.publisher.publishLocked(next, in)
}
