package cache

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
	"github.com/worldfs/worldfs/internal/storage/history"
)

// What is mounted comes along with what it is mounted on (see package follow), in the change
// set and the pack that have the move: a command's in its own intake, an edit of a text
// when the edit is published. So no pack has the one without the other.
//
// What version control, an import of a whole world or another program's save brings is a world
// as it was made elsewhere, and is taken as it is; where it is merged with edits made here,
// package merge derives the poses that follow from both.

// following is what comes along with changes, as changes of its own.
type following struct {
	follow.Outcome
	changes map[entity.ID]change
	others  int // of those carried, how many were not changed by the author
}

// follow returns what comes along where the values of a world as it was change, and how the
// files of the view are changed then. changes has what else happens to files, if anything.
func (w *World) follow(v *View, was entity.Source, values map[entity.ID]*entity.Entity, changes map[entity.ID]change, brought func(entity.ID) bool) following {
	f := following{Outcome: follow.Of(was, values, brought), changes: make(map[entity.ID]change)}
	target := w.decls.target(v)
	for id, e := range f.Carried {
		if _, changed := values[id]; !changed {
			f.others++
		}
		f.changes[id] = w.derive(v, changes[id], target.Entity(e))
	}
	for id, e := range f.Restored {
		f.changes[id] = w.derive(v, changes[id], target.Entity(e))
	}
	return f
}

// valuesOf returns what changes make of entities' values, nil of those that go.
func valuesOf(changes map[entity.ID]change) map[entity.ID]*entity.Entity {
	values := make(map[entity.ID]*entity.Entity, len(changes))
	for id, c := range changes {
		if c.Entity != nil || c.Gone {
			values[id] = c.Entity
		}
	}
	return values
}

// derive returns a change that gives an entity a derived pose besides what it does. A text
// that does not parse stays, whether it was known or comes in now: its author is at work on
// it, and once it parses the pose in it is one that has no effect.
func (w *World) derive(v *View, c change, e *entity.Entity) change {
	its := c.Entity == nil
	if its && c.Text != nil {
		c.Entity, c.Keeps = e, false
		return c
	}
	c.Entity, c.Keeps, c.Mtime = e, true, time.Time{}
	if c.Text != nil {
		c.Text, c.Beside = nil, c.Text
	} else if broken, _ := w.control.FormOf(e.ID); its && broken {
		if text, err := v.Text(e.ID); err == nil {
			c.Text, c.Keeps = text, false
		}
	}
	return c
}

// addTo adds what comes along to changes of a view. Of an entity of which only the pose was
// changed, to no effect, nothing is left.
func (f *following) addTo(changes map[entity.ID]change, v *View) {
	maps.Copy(changes, f.changes)
	for id := range f.Restored {
		if was, ok := v.Get(id); ok && was.Same(changes[id].Entity) && changes[id].Beside == nil {
			delete(changes, id)
		}
	}
}

// addToReport says what has come along, of which the report counts those that were not
// changed otherwise as changed.
func (f *following) addToReport(r *Report) {
	r.Changed -= f.others
	r.Carried = f.others
	for _, id := range slices.Sorted(maps.Keys(f.Restored)) {
		r.Derived = append(r.Derived, Derived{id, f.NoEffect(id)})
	}
}

// comingAlong returns what comes along with the edits that a view has beyond its pack.
func (w *World) comingAlong(v *View) following {
	if !hasMounts(v.Types()) {
		return following{}
	}
	return w.follow(v, v.Pack(), v.Changes(), nil, func(id entity.ID) bool {
		_, edited := v.Changes()[id]
		return edited && !w.control.IsEditedHere(id)
	})
}

func hasMounts(types *entity.Types) bool {
	return slices.ContainsFunc(types.All(), func(t *entity.Type) bool { return t.Mount != nil })
}

// followEditsLocked has what is mounted come along with what was edited, if anything does.
// While a great loss waits nothing can be published, and it comes along later. The caller
// has publishing.
func (w *World) followEditsLocked() error {
	v := w.snapshot(false)
	along := w.comingAlong(v)
	if len(along.changes) == 0 {
		return nil
	}
	if err := w.publishWithLocked(v, along); !IsLoss(err) {
		return err
	}
	return nil
}

// publishWithLocked publishes a view with what comes along with the edits in it. The caller
// has publishing.
func (w *World) publishWithLocked(v *View, along following) error {
	if len(along.changes) == 0 {
		return w.publisher.publishLocked(v, nil)
	}
	defer w.becauseLocked(w.causeOf(along))()
	for id := range along.Restored {
		c := along.changes[id]
		c.Note = along.NoEffect(id)
		along.changes[id] = c
	}
	if err := w.intakeLocked(v, along.changes); err != nil {
		return err
	}
	w.noteDerived(&along)
	return nil
}

// causeOf returns the cause of what comes along with edits: for each entity that of the edit
// that moved it, so that both are one change set.
func (w *World) causeOf(along following) Cause {
	var c Cause
	parts := make(map[entity.ID]history.Source)
	for _, id := range slices.Sorted(maps.Keys(along.changes)) {
		of := w.control.CauseOf(along.Root(id))
		if len(parts) == 0 {
			c = of
		}
		parts[id] = of.Source
	}
	c.Note, c.Parts = "", parts
	return c
}

// derivedNote says that a pose was edited to no effect.
type derivedNote struct {
	is      *entity.Entity // as it went on
	at      time.Time
	finding entity.Finding
}

// derivedTime is for how long a person is told so, unless the entity changes before.
const derivedTime = 10 * time.Minute

// noteDerived has the status say which poses were edited to no effect.
func (w *World) noteDerived(along *following) {
	now := w.now()
	var all []derivedNote
	for _, id := range slices.Sorted(maps.Keys(along.Restored)) {
		e := along.Restored[id]
		message := strings.TrimPrefix(along.NoEffect(id), e.String()+": ")
		f := entity.Finding{Code: entity.CodePoseDerived, Field: e.Layout.Type.Mount.Pose[0], Other: e.MountParent(), Message: message}
		all = append(all, derivedNote{e, now, f.About(e)})
	}
	w.notes.note(func(said *said) {
		said.derived = slices.DeleteFunc(said.derived, func(n derivedNote) bool {
			return along.Restored[n.is.ID] != nil || now.Sub(n.at) > derivedTime
		})
		said.derived = append(slices.Clip(said.derived), all...)
	})
}

// NoEffect returns, in words, which edits of poses had no effect of late.
func (w *World) NoEffect() (words []string) {
	for _, n := range w.notes.read().derived {
		words = append(words, n.finding.Type+" "+n.finding.ID.String()+": "+n.finding.Message)
	}
	return words
}

// derivedFindings returns what there is to say still.
func derivedFindings(notes []derivedNote, v *View, now time.Time) (found []entity.Finding) {
	for _, n := range notes {
		if e, ok := v.Get(n.is.ID); ok && e.Equal(n.is) && now.Sub(n.at) <= derivedTime {
			found = append(found, n.finding)
		}
	}
	return found
}
