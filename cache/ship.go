package cache

import (
	"errors"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// ErrShip is what a ship build of a world gives that has findings which block
// one.
var ErrShip = errors.New("the world has problems that a ship build refuses")

// Ship returns the pack of a ship build: every entity at its type's current
// revision, no fields that are for editors only. If anything is wrong with the
// world it returns what, and ErrShip.
func (w *World) Ship() ([]byte, []entity.Finding, error) {
	st, err := w.Status()
	if err != nil {
		return nil, nil, err
	}
	blocking := slices.DeleteFunc(st.Findings, func(f entity.Finding) bool { return !f.Blocks })
	v, err := w.View()
	if err != nil {
		return nil, nil, err
	}
	ship, refused := shipWorld(v)
	blocking = append(blocking, refused...)
	if len(blocking) > 0 {
		return nil, blocking, ErrShip
	}
	data, err := packfile.Encode(v.World(), ship.Types, ship)
	return data, nil, err
}

// shipWorld returns the world as ship builds have it, and the entities that
// cannot be upgraded without loss.
func shipWorld(v *View) (*entity.World, []entity.Finding) {
	ship := entity.NewWorld(v.World(), entity.NewTypes())
	for _, t := range v.types.All() {
		ship.Types.Put(t.ForShip())
	}
	var refused []entity.Finding
	for e := range v.All() {
		t := ship.Types.Get(e.Type())
		if t == nil {
			continue // of an unknown type, which a finding says
		}
		n, err := e.ForShip(t)
		if err != nil {
			refused = append(refused, upgradeFinding(e, err))
			continue
		}
		ship.Put(n)
	}
	return ship, refused
}

func upgradeFinding(e *entity.Entity, err error) entity.Finding {
	f := entity.Finding{Code: entity.CodeUpgrade, Blocks: true, Message: err.Error()}
	var at *entity.FieldError
	if errors.As(err, &at) {
		f.Field, f.Message = at.Field, at.Reason
	}
	return f.About(e)
}
