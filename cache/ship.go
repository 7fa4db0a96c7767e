package cache

import (
	"errors"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// ErrShip is what a ship build of a world gives that has findings which block
// one.
var ErrShip = errors.New("the world has problems that a ship build refuses")

// Ship returns the pack of a ship build: every entity at its type's current
// revision, no fields that are for editors only. If anything is wrong with the
// world it returns what, and ErrShip.
func (w *World) Ship() ([]byte, []entity.Finding, error) {
	v, st, err := w.viewForShip()
	if err != nil {
		return nil, nil, err
	}
	blocking := slices.DeleteFunc(st.Findings, func(f entity.Finding) bool { return !f.Blocks })
	if len(blocking) > 0 {
		return nil, blocking, ErrShip
	}
	ship, err := shipWorld(v)
	if err != nil {
		return nil, nil, err
	}
	data, err := packfile.Encode(v.World(), ship.Types, ship)
	return data, nil, err
}

// viewForShip returns the world and its findings under one reading of types/:
// otherwise a declaration could be mended between the two, and the last good
// one would ship.
func (w *World) viewForShip() (*View, Status, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if err := w.catchUpLocked(); err != nil {
		return nil, Status{}, err
	}
	v := w.snapshot(true)
	return v, w.statusOf(v), nil
}

// shipWorld returns the world as ship builds have it.
func shipWorld(v *View) (*entity.World, error) {
	ship := entity.NewWorld(v.World(), entity.NewTypes())
	for _, t := range v.Types().All() {
		ship.Types.Put(t.ForShip())
	}
	for e := range v.All() {
		up, err := textcodec.Upgrade(e)
		if err != nil {
			return nil, err
		}
		n, err := up.ForShip(ship.Types.Get(e.Type()))
		if err != nil {
			return nil, err
		}
		ship.Put(n)
	}
	return ship, nil
}
