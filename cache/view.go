package cache

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/table"
)

// View is a consistent reading of a world: every entity's last good values at
// one moment.
type View struct {
	*table.View

	lossAllowed bool                 // what is made of it may be a great loss
	meant       entity.ID            // an entity that is no part of one: see Means
	marks       map[entity.ID][]byte // see Marks
	restores    map[entity.ID][]byte // see Restores
	mends       map[entity.ID]bool   // see Mends
}

var _ entity.Source = (*View)(nil)

// View reads all that has changed and returns the world as it is now.
func (w *World) View() (*View, error) {
	if err := w.catchUp(); err != nil {
		return nil, err
	}
	return w.snapshot(true), nil
}

// catchUp reads what has changed: types/ first, then the texts, under those
// types, and has what is mounted come along. All that is asked of the world is answered
// after it, mounted or not.
func (w *World) catchUp() error {
	if w.decls.lookAtTypes().changed() {
		w.publishing.Lock()
		defer w.publishing.Unlock()
		return w.catchUpLocked()
	}
	if err := w.control.JudgeTexts(true); err != nil || len(w.comingAlong(w.snapshot(false)).changes) == 0 {
		return err
	}
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if err := w.followEditsLocked(); err != nil { // a world whose disk has no room can be read
		w.log.Error("what is mounted has not come along with what was moved", "error", err)
	}
	return nil
}

// catchUpLocked is catchUp for a caller that has publishing.
func (w *World) catchUpLocked() error {
	if err := w.decls.reloadTypesLocked(); err != nil {
		return err
	}
	return w.judgeLocked()
}

// judgeLocked reads the texts that have changed, and has what is mounted come along with
// what they move. The caller has publishing.
func (w *World) judgeLocked() error {
	if err := w.control.JudgeTexts(true); err != nil {
		return err
	}
	return w.followEditsLocked()
}

// snapshot returns the world as it is now. Deletions that are younger than two
// seconds count only when final.
func (w *World) snapshot(final bool) *View { return &View{View: w.control.Snapshot(final)} }

// with returns a view that has further changes.
func (v *View) with(changes map[entity.ID]*entity.Entity) *View {
	n := *v
	n.View = v.With(changes)
	return &n
}
