package cache

import (
	"errors"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// ErrShip is what a ship build of a world gives that has findings which block
// one.
var ErrShip = errors.New("the world has problems that a ship build refuses")

// ViewForShip returns the world that a ship build is made of. If anything is wrong with it
// that stops one, it returns what, and ErrShip. Both are of one reading of types/:
// otherwise a declaration could be mended between the two, and the last good one would
// ship.
func (w *World) ViewForShip() (*View, []entity.Finding, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if err := w.catchUpLocked(); err != nil {
		return nil, nil, err
	}
	v := w.snapshot(true)
	blocking := slices.DeleteFunc(w.statusOf(v).Findings, func(f entity.Finding) bool { return !f.Blocks })
	if len(blocking) > 0 {
		return nil, blocking, ErrShip
	}
	return v, nil, nil
}
