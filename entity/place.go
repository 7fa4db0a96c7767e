package entity

import (
	"math"
	"slices"
)

// Place is where something is and how it is turned. A turn is a quaternion, x, y, z, w, of
// unit length. Places are the same if they are equal.
//
// Places are calculated in float64 from components that are f32, by operations that IEEE 754
// rounds exactly, in an order that is fixed: each product is converted, lest a compiler fuses
// it with a sum on some processors, and nothing is left to a library but the square root. So a
// pose has the same bits on every machine.
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

// MayBeCarried reports whether an entity is mounted, and has an offset and a pose of a form
// that says where it is.
func MayBeCarried(e *Entity) bool {
	if e.MountParent() == 0 {
		return false
	}
	_, offset := placeOf(e, e.Layout.Type.Mount.Offset)
	_, pose := placeOf(e, e.Layout.Type.Mount.Pose)
	return offset && pose
}

// Has reports whether an entity is at p, but for what an engine's rounding makes of that;
// known is false where its pose does not say where it is.
func (p Place) Has(e *Entity) (has, known bool) {
	is, known := placeOf(e, e.Layout.Type.Mount.Pose)
	return known && is.isAt(p), known
}

// Put returns a mounted entity with its pose at p: e itself where that is there already, but
// for the last bits. Where p has no turn of its own the entity keeps its.
func (p Place) Put(e *Entity) *Entity {
	return e.withPose(func(_ string, v Value) Value {
		to := p.value(v)
		if movedByLastBits(v, to) {
			return v
		}
		return to
	})
}

// WithPoseOf returns a mounted entity with the pose that another has: e itself if that is
// the same.
func (e *Entity) WithPoseOf(other *Entity) *Entity {
	return e.withPose(func(name string, _ Value) Value { return other.Value(name) })
}

// withPose returns a mounted entity with other values of its pose, and with those fields
// saved that such an entity saves: e itself if no value is another.
func (e *Entity) withPose(value func(name string, v Value) Value) *Entity {
	n := e
	for _, name := range e.Layout.Type.Mount.Pose {
		i := e.Layout.Index(name)
		if i < 0 {
			continue
		}
		v := value(name, e.Values[i])
		if v.Equal(e.Values[i]) || v.Kind() != e.Layout.Fields[i].Kind {
			continue
		}
		if n == e {
			n = e.Clone()
		}
		n.Values[i] = v
	}
	if n != e {
		n.saveWhatHolds()
	}
	return n
}

// saveWhatHolds brings the values into their one form after others have changed: absent
// where their condition fails now, at their default where it holds only now.
func (e *Entity) saveWhatHolds() {
	e.Canonicalize()
	for i, f := range e.Layout.Fields {
		if e.Values[i].IsNull() && !f.Optional && f.SaveWhen != "" && e.SavesField(i) {
			e.Values[i] = f.DefaultValue()
		}
	}
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
		sum += float64(a[i] * b[i])
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
	length := math.Sqrt(dot(p.turn[:], p.turn[:]))
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
		sum4(a[3]*b[0], a[0]*b[3], a[1]*b[2], -a[2]*b[1]),
		sum4(a[3]*b[1], -a[0]*b[2], a[1]*b[3], a[2]*b[0]),
		sum4(a[3]*b[2], a[0]*b[1], -a[1]*b[0], a[2]*b[3]),
		sum4(a[3]*b[3], -a[0]*b[0], -a[1]*b[1], -a[2]*b[2]),
	}
}

// sum4 adds products, which the conversions keep from being fused with the sums.
func sum4(a, b, c, d float64) float64 {
	return float64(float64(float64(a)+float64(b))+float64(c)) + float64(d)
}

// isAt reports whether two places are one but for what an engine's rounding makes of them:
// a millimetre, or a hundred-thousandth of how far out it is, and half a degree.
func (p Place) isAt(q Place) bool {
	by := [3]float64{p.at[0] - q.at[0], p.at[1] - q.at[1], p.at[2] - q.at[2]}
	off, far := math.Sqrt(dot(by[:], by[:])), math.Sqrt(dot(p.at[:], p.at[:]))
	return off <= float64(1e-3)+float64(1e-5*far) && (p.turned != q.turned || math.Abs(dot(p.turn[:], q.turn[:])) > 1-1e-5)
}
