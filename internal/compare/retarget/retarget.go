// Package retarget brings what another program made under the types that are in force here.
//
// A program that knows older types has values in other places than this world, or none at
// all. Compared as they are, each would be a change of that program's. With both of its sides
// under one declaration only what it changed is left.
package retarget

import (
	"bytes"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/textcodec"
)

// Target brings entities under types. It is not safe for concurrent use.
type Target struct {
	types *entity.Types
	same  map[*entity.Type]bool // whether a declaration is the one in force of its name
}

// To returns a target of the types that are in force.
func To(types *entity.Types) *Target {
	return &Target{types: types, same: make(map[*entity.Type]bool)}
}

// Entity returns e with the layout that the types give it.
func (t *Target) Entity(e *entity.Entity) *entity.Entity {
	in := t.types.Get(e.Type())
	switch {
	case in == nil || in == e.Layout.Type:
		return e
	case !t.isSame(e.Layout.Type, in):
		return textcodec.Reread(e, t.types)
	}
	n := *e
	n.Layout = in.Layout(e.Revision())
	return &n
}

// isSame reports whether a declaration says what the one in force does.
func (t *Target) isSame(other, in *entity.Type) bool {
	same, known := t.same[other]
	if !known {
		same = bytes.Equal(interchange.AppendType(nil, other), interchange.AppendType(nil, in))
		t.same[other] = same
	}
	return same
}

// Quieten returns both sides under the types in force, as far as they differ, and theirs
// without the changes against base that are noise. A value that the types have no place
// for is then no change of the other side's: an engine that knows older types sets it back
// no more than it takes away what it does not know.
func Quieten(base, theirs entity.Source, types *entity.Types) (was, is *entity.Overlay, noise entity.Noise) {
	olds, changes := make(map[entity.ID]*entity.Entity), make(map[entity.ID]*entity.Entity)
	target := To(types)
	for old, e := range entity.Differing(base, theirs) {
		if old != nil {
			old = target.Entity(old)
			olds[old.ID] = old
		}
		if e == nil {
			changes[old.ID] = nil
			continue
		}
		e = target.Entity(e)
		if old != nil && old.Layout == e.Layout {
			var n entity.Noise
			e, n = entity.Quieten(old, e)
			noise.Add(n)
		}
		changes[e.ID] = e
	}
	was = entity.NewOverlay(base, olds)
	return was, entity.NewOverlay(was, changes), noise
}
