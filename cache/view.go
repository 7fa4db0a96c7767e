package cache

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/table"
)

// View is a consistent reading of a world: every entity's last good values at
// one moment.
type View struct {
	*table.View

	lossAllowed bool      // what is made of it may be a great loss
	meant       entity.ID // an entity that is no part of one: see Means
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
// types. All that is asked of the world is answered after it, mounted or not.
func (w *World) catchUp() error {
	if w.decls.lookAtTypes().changed() {
		w.publishing.Lock()
		defer w.publishing.Unlock()
		return w.catchUpLocked()
	}
	return w.control.JudgeTexts(true)
}

// catchUpLocked is catchUp for a caller that has publishing.
func (w *World) catchUpLocked() error {
	if err := w.decls.reloadTypesLocked(); err != nil {
		return err
	}
	return w.control.JudgeTexts(true)
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
