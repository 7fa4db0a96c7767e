package entity

import (
	"math"
	"slices"
	"strings"
)

// Position returns where the entity is, as far as its type says: see
// PositionField. z is 0 where the world is flat.
func Position(e *Entity) (x, y, z float64, ok bool) {
	i := e.Layout.PositionField()
	if i < 0 {
		return 0, 0, 0, false
	}
	return e.Layout.Fields[i].Place(e.Values[i])
}

// Place returns where a value of the shape is: a struct is where its first member
// is that can be somewhere.
func (s *Shape) Place(v Value) (x, y, z float64, ok bool) {
	if s.Kind != KindStruct || v.IsNull() {
		return v.Place()
	}
	i := slices.IndexFunc(s.Fields, func(f *Field) bool { return f.hasPlace() })
	if i < 0 {
		return 0, 0, 0, false
	}
	return s.Fields[i].Place(v.Items()[i])
}

// hasPlace reports whether values of the shape can be somewhere.
func (s *Shape) hasPlace() bool {
	return isPlace(s.Kind) || s.Kind.IsMatrix() ||
		s.Kind == KindStruct && slices.ContainsFunc(s.Fields, func(f *Field) bool { return f.hasPlace() })
}

// Place returns a vec2 or vec3 as a place, and of a matrix its last column,
// where the origin goes; ok is false for other values, and for a place that is
// nowhere: infinite or no number.
func (v Value) Place() (x, y, z float64, ok bool) {
	n, from, step := v.kind.Components(), 0, 1
	switch {
	case v.kind.IsMatrix():
		n, from, step = 3, 3, 4
	case !isPlace(v.kind):
		return 0, 0, 0, false
	}
	var c [3]float64
	for i := range n {
		c[i] = float64(math.Float32frombits(v.Component(from + i*step)))
		if math.IsNaN(c[i]) || math.IsInf(c[i], 0) {
			return 0, 0, 0, false
		}
	}
	return c[0], c[1], c[2], true
}

// PositionField returns the place of the field that says where an entity is,
// or -1: the vector, matrix or struct of such of the mount's pose, else a vector or
// a matrix of the usual name.
func (l *Layout) PositionField() int {
	if m := l.Type.Mount; m != nil {
		for _, name := range m.Pose {
			if i := l.Index(name); i >= 0 && l.Fields[i].hasPlace() {
				return i
			}
		}
	}
	for _, name := range []string{"position", "origin", "pos", "location"} {
		if i := l.Index(name); i >= 0 && isPlace(l.Fields[i].Kind) {
			return i
		}
	}
	if i := l.Index("transform"); i >= 0 && l.Fields[i].Kind.IsMatrix() {
		return i
	}
	return slices.IndexFunc(l.Fields, func(f *Field) bool {
		return isPlace(f.Kind) && (strings.HasSuffix(f.Name, ".pos") || strings.HasSuffix(f.Name, ".position"))
	})
}

func isPlace(k Kind) bool { return k == KindVec2 || k == KindVec3 }
