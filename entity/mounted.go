package entity

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// place is where something is and how it is turned. A turn is a quaternion, x, y, z, w, of
// unit length.
type place struct {
	at     [3]float64
	turn   [4]float64
	turned bool // it has a turn of its own; otherwise turn is none
}

// placeOf returns the place that fields of an entity say: one of three components and perhaps
// a quaternion. Other forms are an engine's own business: ok is false.
func placeOf(e *Entity, fields []string) (p place, ok bool) {
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
func (p *place) normalize() bool {
	length := math.Hypot(math.Hypot(p.turn[0], p.turn[1]), math.Hypot(p.turn[2], p.turn[3]))
	for i := range p.turn {
		p.turn[i] /= length
	}
	return length > 0 && !slices.ContainsFunc(append(p.at[:], p.turn[:]...), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// carry returns where something is whose place relative to p is offset.
func (p place) carry(offset place) place {
	v := p.rotate(offset.at)
	for i := range v {
		v[i] += p.at[i]
	}
	return place{v, product(p.turn, offset.turn), offset.turned}
}

// rotate turns a vector.
func (p place) rotate(v [3]float64) [3]float64 {
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
func (p place) isAt(q place) bool {
	off, far := 0.0, 0.0
	for i := range p.at {
		off, far = math.Hypot(off, p.at[i]-q.at[i]), math.Hypot(far, p.at[i])
	}
	dot := 0.0
	for i := range p.turn {
		dot += p.turn[i] * q.turn[i]
	}
	return off <= 1e-3+1e-5*far && (p.turned != q.turned || math.Abs(dot) > 1-1e-5)
}

// mounts is what a check has found about the mounted entities of one type.
type mounts struct {
	all     int // of which the pose could be compared
	stale   []Finding
	parents map[ID]bool // of the stale ones
}

// mounted compares the pose of a mounted entity with what its parent and its offset make it.
func (c *checker) mounted(e *Entity) {
	m := e.Layout.Type.Mount
	if m == nil {
		return
	}
	parent, ok := c.src.Get(e.Value(m.Parent).Ref())
	if !ok {
		return
	}
	poseFields := m.Pose // of a parent that does not say: the same as its child's
	if on := parent.Layout.Type.Mount; on != nil {
		poseFields = on.Pose
	}
	at, okParent := placeOf(parent, poseFields)
	offset, okOffset := placeOf(e, m.Offset)
	is, okPose := placeOf(e, m.Pose)
	if !okParent || !okOffset || !okPose {
		return
	}
	if c.mounts == nil {
		c.mounts = make(map[string]*mounts)
	}
	of := c.mounts[e.Type()]
	if of == nil {
		of = &mounts{parents: make(map[ID]bool)}
		c.mounts[e.Type()] = of
	}
	of.all++
	if should := at.carry(offset); !is.isAt(should) {
		of.parents[parent.ID] = true
		of.stale = append(of.stale, staleFinding(e, parent, should))
	}
}

func staleFinding(e, parent *Entity, should place) Finding {
	m, set := e.Layout.Type.Mount, ""
	for _, name := range m.Pose {
		n := should.at[:]
		if e.Value(name).Kind() == KindQuat {
			n = should.turn[:]
		}
		set += fmt.Sprintf(" '%s = [%s]'", name, short(n))
	}
	f := Finding{Code: CodePoseStale, Other: parent.ID, Field: m.Pose[0], Message: fmt.Sprintf(
		"it is mounted on %s, which carries it to %s, and is not there: one of the two was moved without the other",
		parent, short(should.at[:]))}
	if !strings.ContainsAny(set, "`\\;") && strings.Count(set, "'") == 2*len(m.Pose) {
		f.Mend = fmt.Sprintf("worldfs set --where 'id == %d'%s", e.ID, set)
	}
	return f.About(e)
}

func short(components []float64) string {
	text := make([]string, len(components))
	for i, x := range components {
		text[i] = strconv.FormatFloat(x, 'f', -1, 32)
	}
	return strings.Join(text, ", ")
}

// Where so many entities on so many parents, and most of a type, are not where they are
// carried, it is the engine that carries them otherwise: no person has moved them.
const (
	otherwiseParents = 8
	otherwiseShare   = 2 // half
)

// poses adds what was found about the poses of mounted entities.
func (c *checker) poses() {
	for _, name := range slices.Sorted(maps.Keys(c.mounts)) {
		of := c.mounts[name]
		if len(of.parents) < otherwiseParents || len(of.stale)*otherwiseShare <= of.all {
			c.findings = append(c.findings, of.stale...)
		}
	}
}
