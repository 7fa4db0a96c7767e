package packstore

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNotKept is what naming a pack that is not kept gives.
var ErrNotKept = errors.New("no such pack is kept (worldfs restore --list has those that are)")

// Target names a kept pack: by the beginning of its hash, or as the newest one
// that is not after a time.
type Target struct {
	Hash string    `json:"hash,omitempty"`
	At   time.Time `json:"at,omitzero"`
}

// In returns the pack named among those kept, the newest first.
func (t Target) In(packs []Kept) (Kept, error) {
	if t.Hash == "" {
		return notAfter(packs, t.At)
	}
	var found []Kept
	for _, k := range packs {
		if strings.HasPrefix(k.Hash, strings.ToLower(t.Hash)) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		return Kept{}, fmt.Errorf("%s: %w", t.Hash, ErrNotKept)
	case 1:
		return found[0], nil
	}
	return Kept{}, fmt.Errorf("%s is the beginning of %d kept packs' hashes; give more of it", t.Hash, len(found))
}

func notAfter(packs []Kept, at time.Time) (Kept, error) {
	for _, k := range packs {
		if !k.At.After(at) {
			return k, nil
		}
	}
	return Kept{}, fmt.Errorf("at %s or before: %w", at.Local().Format(time.DateTime), ErrNotKept)
}
