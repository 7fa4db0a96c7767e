package cache

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/merge"
)

// ErrNotKept is what restoring a pack that is not kept gives.
var ErrNotKept = errors.New("no such pack is kept (worldfs restore --list has those that are)")

// Target names a kept pack: by the beginning of its hash, or as the newest one
// that is not after a time.
type Target struct {
	Hash string    `json:"hash,omitempty"`
	At   time.Time `json:"at,omitzero"`

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
	k, err := w.find(t)
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
	r, err := w.takeInLocked(v, v.Overlay, p, merge.Options{})
	r.Unchanged = p.Len() - r.Created - r.Changed
	return Restored{k, r}, err
}

func (w *World) find(t Target) (packstore.Kept, error) {
	packs, err := w.Kept()
	if err != nil {
		return packstore.Kept{}, err
	}
	if t.Hash == "" {
		for _, k := range packs {
			if !k.At.After(t.At) {
				return k, nil
			}
		}
		return packstore.Kept{}, fmt.Errorf("at %s or before: %w", t.At.Local().Format(time.DateTime), ErrNotKept)
	}
	var found []packstore.Kept
	for _, k := range packs {
		if strings.HasPrefix(k.Hash, strings.ToLower(t.Hash)) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		return packstore.Kept{}, fmt.Errorf("%s: %w", t.Hash, ErrNotKept)
	case 1:
		return found[0], nil
	}
	return packstore.Kept{}, fmt.Errorf("%s is the beginning of %d kept packs' hashes; give more of it", t.Hash, len(found))
}
