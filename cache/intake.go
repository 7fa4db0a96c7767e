package cache

import (
	"maps"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/table"
)

// change is what an intake does to one entity's file.
type change struct {
	entity *entity.Entity // its new values; nil: see gone
	gone   bool           // the file goes; otherwise nil leaves the values
	text   []byte         // the file's exact bytes; nil: rendered from the values
	mtime  time.Time      // of the plain file with these bytes; zero: it changes now
	keeps  bool           // conflicts that are marked in the file, and that entity does not decide, stay
	beside []byte         // another text whose marked conflicts stay like that
	lost   []byte         // a text with conflicts that could not be kept, for the history
}

func count(v *View, changes map[entity.ID]change) (r Report) {
	for id, c := range changes {
		_, had := v.Get(id)
		switch {
		case c.gone:
			r.Deleted++
		case c.entity == nil:
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
	values := make(map[entity.ID]*entity.Entity, len(changes))
	for id, c := range changes {
		if c.entity != nil || c.gone {
			values[id] = c.entity
		}
	}
	if err := checkTextSizes(maps.Values(values)); err != nil {
		return err
	}
	next := v.with(values)
	if err := w.refuseLossLocked(v, next); err != nil {
		return err
	}
	if err := w.keep.Commit(); err != nil {
		return err
	}
	if err := w.keepMarks(v, changes); err != nil {
		return err
	}
	in, err := w.keep.PrepareIntake(v.View, forTable(changes), w.intakeCauseLocked())
	if err != nil {
		return err
	}
	defer w.feed.Write()
	defer w.counts.intakes.Start()()
	return w.publisher.publishLocked(next, in)
}

// forTable returns changes as the table is to make them.
func forTable(changes map[entity.ID]change) map[entity.ID]table.Change {
	out := make(map[entity.ID]table.Change, len(changes))
	for id, c := range changes {
		out[id] = table.Change{Entity: c.entity, Gone: c.gone, Text: c.text, Mtime: c.mtime, Lost: c.lost, LostNote: lostMarks}
	}
	return out
}
