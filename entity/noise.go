package entity

import (
	"math"
	"slices"
)

// Noise counts changes that are none.
type Noise struct {
	Insignificant int `json:"insignificant"` // fields whose insignificant_when holds
	Derived       int `json:"derived"`       // poses that moved by last bits while parent and offset stood still
}

// Add adds another count.
func (n *Noise) Add(o Noise) {
	n.Insignificant += o.Insignificant
	n.Derived += o.Derived
}

// lastBits is how far a derived component may move, relative to its vector's
// length, and still be where it was: eight units in the last place of an f32.
const lastBits = 1.0 / (1 << 20)

// Quieten returns e without the changes against old that are noise: fields
// whose insignificant_when holds have their old value, and so has the pose of
// an entity whose mount's parent and offset stood still and which moved by last
// bits. It returns e itself where there are none. Both are of one layout.
func Quieten(old, e *Entity) (*Entity, Noise) {
	var noise Noise
	n := e
	keep := func(i int) {
		if n == e {
			n = e.Clone()
		}
		n.Values[i] = old.Values[i]
	}
	for i, f := range e.Layout.Fields {
		if f.InsignificantWhen == "" || e.Values[i].Equal(old.Values[i]) {
			continue
		}
		if c := e.Layout.insignificant(i); c != nil && c.Is(e) {
			keep(i)
			noise.Insignificant++
		}
	}
	if e.followsAsBefore(old) {
		for _, name := range e.Layout.Type.Mount.Pose {
			if i := e.Layout.Index(name); i >= 0 && !e.Values[i].Equal(old.Values[i]) && movedByLastBits(old.Values[i], e.Values[i]) {
				keep(i)
				noise.Derived++
			}
		}
	}
	return n, noise
}

// followsAsBefore reports whether e is mounted on a parent, and neither that
// nor its offset differs from old's.
func (e *Entity) followsAsBefore(old *Entity) bool {
	m := e.Layout.Type.Mount
	if m == nil || e.Value(m.Parent).Ref() == 0 || !e.Value(m.Parent).Equal(old.Value(m.Parent)) {
		return false
	}
	for _, name := range m.Offset {
		if !e.Value(name).Equal(old.Value(name)) {
			return false
		}
	}
	return true
}

// movedByLastBits reports whether two vectors of one kind, or each column of two
// matrices, differ by no more than rounding does; or the members of two structs,
// of which all others are the same.
func movedByLastBits(a, b Value) bool {
	if a.Kind() == KindStruct && b.Kind() == KindStruct {
		return slices.EqualFunc(a.Items(), b.Items(), func(v, w Value) bool { return v.Equal(w) || movedByLastBits(v, w) })
	}
	n := a.Kind().Components()
	if n == 0 || a.Kind() != b.Kind() {
		return false
	}
	columns := 1
	if a.Kind().IsMatrix() {
		columns = 4
	}
	for from := range columns {
		if !columnMovedByLastBits(a, b, from, columns) {
			return false
		}
	}
	return true
}

// columnMovedByLastBits compares every step-th component beginning with from.
func columnMovedByLastBits(a, b Value, from, step int) bool {
	n, length := a.Kind().Components(), 0.0
	for i := from; i < n; i += step {
		x := float64(math.Float32frombits(a.Component(i)))
		length += float64(x * x) // exactly so on every machine: see Place
	}
	length = math.Sqrt(length)
	for i := from; i < n; i += step {
		x, y := math.Float32frombits(a.Component(i)), math.Float32frombits(b.Component(i))
		if moved := math.Abs(float64(x) - float64(y)); !(moved <= length*lastBits) {
			return false
		}
	}
	return true
}
