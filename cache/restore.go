package cache

import (
	"fmt"

	"github.com/worldfs/worldfs/internal/compare/retarget"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/merge"
)

// Target names a kept pack.
type Target struct {
	packstore.Target

	AllowLoss bool `json:"allow_loss,omitempty"` // even if most entities are not in it
}

// Restored says what was restored.
type Restored struct {
	packstore.Kept
	Report
}

// Restore makes the world what it is in a kept pack. It comes in as one change
// of the world as it is, whose pack is kept: restoring that takes it back.
func (w *World) Restore(t Target) (Restored, error) {
	waits := w.Sync() // so that the state before is kept
	if waits != nil && !IsLoss(waits) {
		return Restored{}, waits
	}
	kept, err := w.Kept()
	if err != nil {
		return Restored{}, err
	}
	k, err := t.In(kept)
	if err != nil {
		return Restored{}, err
	}
	p, err := w.packs.Get(k.Digest)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return Restored{}, fmt.Errorf("kept pack %.12s: %w", k.Hash, err)
	}
	w.publishing.Lock()
	defer w.publishing.Unlock()
	defer w.becauseLocked(Cause{By: ByRestore, Note: fmt.Sprintf("worldfs restore %.12s", k.Hash)})()
	if err := w.catchUpLocked(); err != nil {
		return Restored{}, err
	}
	v := w.snapshot(true)
	if v.lossAllowed = t.AllowLoss; waits != nil {
		if err := w.keepStateLocked(v); err != nil {
			return Restored{}, err
		}
	}
	r, err := w.takeInLocked(v, v.Overlay, retarget.Earlier(v.Overlay, p, w.decls.target(v)), merge.Options{})
	r.Unchanged = p.Len() - r.Created - r.Changed
	return Restored{k, r}, err
}
