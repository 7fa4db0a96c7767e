package entity

import (
	"math"
	"slices"
)

// Place is where something is and how it is turned. A turn is a quaternion, x, y, z, w, of
// unit length. Places are the same if they are equal.
type Place struct {
	at     [3]float64
	turn   [4]float64
	turned bool // it has a turn of its own; otherwise turn is none
}

// MountParent returns what an entity is mounted on, 0 for nothing.
func (e *Entity) MountParent() ID {
	m := e.Layout.Type.Mount
	if m == nil {
		return 0
	}
	v := e.Value(m.Parent)
	if v.Kind() != KindRef {
		return 0
	}
	return v.Ref()
}

// Carried returns where its parent and its offset put a mounted entity. ok is false where
// they do not say: the forms of their fields are then an engine's own business.
func Carried(e, parent *Entity) (p Place, ok bool) {
	m := e.Layout.Type.Mount
	if m == nil {
		return p, false
	}
	poseFields := m.Pose // of a parent that does not say: the same as its child's
	if on := parent.Layout.Type.Mount; on != nil {
		poseFields = on.Pose
	}
	at, okParent := placeOf(parent, poseFields)
	offset, okOffset := placeOf(e, m.Offset)
	if !okParent || !okOffset {
		return p, false
	}
	p = at.carry(offset)
	return p, p.isFinite()
}

// Has reports whether an entity is at p, but for what an engine's rounding makes of that;
// known is false where its pose does not say where it is.
func (p Place) Has(e *Entity) (has, known bool) {
	is, known := placeOf(e, e.Layout.Type.Mount.Pose)
	return known && is.isAt(p), known
}

// IsCarried reports whether a field is of the pose of a mounted entity that stands where its
// parent, in a world, carries it: the field is derived then.
func IsCarried(e *Entity, field string, world Source) bool {
	m := e.Layout.Type.Mount
	if m == nil || !slices.Contains(m.Pose, field) || e.MountParent() == 0 {
		return false
	}
	parent, ok := world.Get(e.MountParent())
	if !ok {
		return false
	}
	p, ok := Carried(e, parent)
	if !ok {
		return false
	}
	is, _ := p.Has(e)
	return is
}

// Put returns a mounted entity with its pose at p: e itself where that is there already, but
// for the last bits. Where p has no turn of its own the entity keeps its.
func (p Place) Put(e *Entity) *Entity {
	n := e
	for _, name := range e.Layout.Type.Mount.Pose {
		i := e.Layout.Index(name)
		if i < 0 {
			continue
		}
		v := p.value(e.Values[i])
		if v.Equal(e.Values[i]) || movedByLastBits(e.Values[i], v) {
			continue
		}
		if n == e {
			n = e.Clone()
		}
		n.Values[i] = v
	}
	return n
}

// From returns how far p is from another place.
func (p Place) From(q Place) (by [3]float32) {
	for i := range by {
		by[i] = float32(p.at[i] - q.at[i])
	}
	return by
}

// value returns what p makes of a pose's value. Of the two quaternions of one turn it is the
// one nearer the old.
func (p Place) value(old Value) Value {
	switch {
	case old.Kind() == KindVec3:
		return vecOf(KindVec3, p.at[:], 1)
	case old.Kind() == KindQuat && p.turned:
		sign := 1.0
		if dot(p.turn[:], floats(old)) < 0 {
			sign = -1
		}
		return vecOf(KindQuat, p.turn[:], sign)
	}
	return old
}

func vecOf(k Kind, components []float64, sign float64) Value {
	f := make([]float32, len(components))
	for i, x := range components {
		f[i] = float32(sign * x)
	}
	return VecOf(k, f...)
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// placeOf returns the place that fields of an entity say: one of three components and perhaps
// a quaternion. Other forms are an engine's own business: ok is false.
func placeOf(e *Entity, fields []string) (p Place, ok bool) {
	p.turn[3] = 1
	for _, name := range fields {
		v := e.Value(name)
		switch {
		case v.Kind() == KindVec3 && !ok:
			ok = true
			copy(p.at[:], floats(v))
		case v.Kind() == KindQuat && !p.turned:
			p.turned = true
			copy(p.turn[:], floats(v))
		default:
			return p, false
		}
	}
	return p, ok && p.normalize()
}

func floats(v Value) []float64 {
	out := make([]float64, v.Kind().Components())
	for i := range out {
		out[i] = float64(math.Float32frombits(v.Component(i)))
	}
	return out
}

// normalize gives the turn unit length, and reports whether that and the place are numbers.
func (p *Place) normalize() bool {
	length := math.Hypot(math.Hypot(p.turn[0], p.turn[1]), math.Hypot(p.turn[2], p.turn[3]))
	for i := range p.turn {
		p.turn[i] /= length
	}
	return length > 0 && p.isFinite()
}

// isFinite reports whether all components are numbers that an f32 can hold.
func (p *Place) isFinite() bool {
	return !slices.ContainsFunc(append(p.at[:], p.turn[:]...), func(x float64) bool { return !(math.Abs(x) <= math.MaxFloat32) })
}

// carry returns where something is whose place relative to p is offset.
func (p Place) carry(offset Place) Place {
	v := p.rotate(offset.at)
	for i := range v {
		v[i] += p.at[i]
	}
	return Place{v, product(p.turn, offset.turn), offset.turned}
}

// rotate turns a vector.
func (p Place) rotate(v [3]float64) [3]float64 {
	q := product(product(p.turn, [4]float64{v[0], v[1], v[2], 0}), [4]float64{-p.turn[0], -p.turn[1], -p.turn[2], p.turn[3]})
	return [3]float64{q[0], q[1], q[2]}
}

// product is the turn b, then a.
func product(a, b [4]float64) [4]float64 {
	return [4]float64{
		a[3]*b[0] + a[0]*b[3] + a[1]*b[2] - a[2]*b[1],
		a[3]*b[1] - a[0]*b[2] + a[1]*b[3] + a[2]*b[0],
		a[3]*b[2] + a[0]*b[1] - a[1]*b[0] + a[2]*b[3],
		a[3]*b[3] - a[0]*b[0] - a[1]*b[1] - a[2]*b[2],
	}
}

// isAt reports whether two places are one but for what an engine's rounding makes of them:
// a millimetre, or a hundred-thousandth of how far out it is, and half a degree.
func (p Place) isAt(q Place) bool {
	off, far := 0.0, 0.0
	for i := range p.at {
		off, far = math.Hypot(off, p.at[i]-q.at[i]), math.Hypot(far, p.at[i])
	}
	return off <= 1e-3+1e-5*far && (p.turned != q.turned || math.Abs(dot(p.turn[:], q.turn[:])) > 1-1e-5)
}
