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
	open  bool
	same  map[[2]*entity.Type]bool // whether two declarations of a name say the same
}

// To returns a target of the types that are in force. With open others come in with the
// entities that are of them: no files declare the ones that are in force.
func To(types *entity.Types, open bool) *Target {
	return &Target{types: types, open: open, same: make(map[[2]*entity.Type]bool)}
}

// Entity returns e with the layout that the types give it. Where they declare no such type,
// and are not open, it is lines, as its text is read wherever else these types are in force.
func (t *Target) Entity(e *entity.Entity) *entity.Entity {
	in := t.types.Get(e.Type())
	switch {
	case in == nil && (t.open || e.Layout.Type.Unknown), in == e.Layout.Type:
		return e
	case in == nil:
		return textcodec.Reread(e, t.types)
	case !t.isSame(e.Layout.Type, in):
		return textcodec.Reread(e, t.types)
	}
	n := *e
	n.Layout = in.Layout(e.Revision())
	return &n
}

// isSame reports whether two declarations say the same.
func (t *Target) isSame(a, b *entity.Type) bool {
	same, known := t.same[[2]*entity.Type{a, b}]
	if !known {
		same = a == b || bytes.Equal(interchange.AppendType(nil, a), interchange.AppendType(nil, b))
		t.same[[2]*entity.Type{a, b}] = same
	}
	return same
}

// Quieten returns both sides under the types of target, as far as they differ, and theirs
// without the changes against base that are noise. A value that the types have no place
// for is then no change of the other side's: an engine that knows older types sets it back
// no more than it takes away what it does not know. One that it has changed to is lines
// (see kept).
func Quieten(base, theirs entity.Source, target *Target) (was, is *entity.Overlay, noise entity.Noise) {
	olds, changes := make(map[entity.ID]*entity.Entity), make(map[entity.ID]*entity.Entity)
	for made, e := range entity.Differing(base, theirs) {
		old := made
		if old != nil {
			old = target.Entity(old)
			olds[old.ID] = old
		}
		if e == nil {
			changes[old.ID] = nil
			continue
		}
		e = target.changed(made, old, e)
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

// changed is Entity of what a program made of base, nil where it made it. A value to which
// it changed a field is lines where the types have another kind of value there (see kept);
// what it made under another declaration than base has says nothing of such a field.
func (t *Target) changed(base, old, e *entity.Entity) *entity.Entity {
	n := t.Entity(e)
	if base != nil && !t.isSame(base.Layout.Type, e.Layout.Type) {
		return n
	}
	return kept(old, e, n, func(field string) bool { return base == nil || !base.Value(field).Equal(e.Value(field)) })
}

// kept returns n, as which the types read e, with the values of e that are of another kind
// than their fields have now, or not saved now: they are lines of the fields, and these have the values of
// old, since none of theirs could stand for them.
func kept(old, e, n *entity.Entity, has func(field string) bool) *entity.Entity {
	if n.Layout.Type == e.Layout.Type {
		return n
	}
	out := n
	for _, lines := range textcodec.Unfit(e, n) {
		if !has(lines.Name) {
			continue
		}
		if out == n {
			out = n.Clone()
		}
		i := out.Layout.Index(lines.Name)
		if old != nil && old.Layout.Index(lines.Name) >= 0 && old.Layout.Fields[old.Layout.Index(lines.Name)] == out.Layout.Fields[i] && out.SavesField(i) {
			out.Values[i] = old.Value(lines.Name)
		}
		out.Unknown = append(out.Unknown, lines)
	}
	return out
}

// Earlier returns what a world was before, under the types of target, which are in force in world now.
// All that it had is asked for: a value that the types have no place for is lines.
func Earlier(world, earlier entity.Source, target *Target) *entity.Overlay {
	changes := make(map[entity.ID]*entity.Entity)
	for is, was := range entity.Differing(world, earlier) {
		if was == nil {
			changes[is.ID] = nil
			continue
		}
		changes[was.ID] = kept(is, was, target.Entity(was), func(string) bool { return true })
	}
	return entity.NewOverlay(world, changes)
}
