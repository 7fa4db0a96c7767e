package island

import "github.com/worldfs/worldfs/entity"

// Numbers here must come out the same on every machine. Places and heights are
// whole millimetres until they are stored; turns are made from whole numbers
// by one division a component, which IEEE 754 rounds in one way only. The sole
// chain of float operations is the pose of a mounted child, where each product
// is converted explicitly: the language then forbids fusing it with the
// addition that follows, as compilers for some processors otherwise do. No
// function of package math is called, for some have other results elsewhere.

// point is a place on the map, in millimetres; z is up.
type point struct{ x, y, z int64 }

func (p point) plus(x, y, z int64) point { return point{p.x + x, p.y + y, p.z + z} }

// distance2 returns the square of the distance on the map.
func (p point) distance2(o point) int64 {
	dx, dy := p.x-o.x, p.y-o.y
	return dx*dx + dy*dy
}

// thousandths returns n/1000. n is exact in an f32 up to 16,777 metres, so
// that the division is the only rounding.
func thousandths(n int64) float32 { return float32(n) / 1000 }

func (p point) vec3() entity.Value {
	return entity.VecOf(entity.KindVec3, thousandths(p.x), thousandths(p.y), thousandths(p.z))
}

// turn is an orientation as a unit quaternion: x, y, z, w.
type turn [4]float32

func (t turn) quat() entity.Value { return entity.VecOf(entity.KindQuat, t[:]...) }

var upright = turn{0, 0, 0, 1}

// half is 1 in the numbers that newTurn takes.
const half = 1000

// newTurn returns the turn that a, b and c stand for: the point of the unit
// sphere in four dimensions that a line from its far pole through (a, b, c)
// meets. Every whole-number point gives a rational one, without roots or sines.
func newTurn(a, b, c int64) turn {
	s := a*a + b*b + c*c
	over := func(n int64) float32 { return float32(float64(n) / float64(half*half+s)) }
	return turn{over(2 * half * a), over(2 * half * b), over(2 * half * c), over(half*half - s)}
}

// heading returns a turn about the vertical.
func (r random) heading() turn { return newTurn(0, 0, r.between(-half, half)) }

// tumble returns a turn about any axis.
func (r random) tumble() turn {
	return newTurn(r.between(-half, half), r.between(-half, half), r.between(-half, half))
}

// lean returns a heading that is a little off the vertical.
func (r random) lean() turn {
	return newTurn(r.between(-25, 25), r.between(-25, 25), r.between(-half, half))
}

// pose is where something is and how it is turned.
type pose struct {
	at   [3]float32
	turn turn
}

func newPose(p point, t turn) pose {
	return pose{[3]float32{thousandths(p.x), thousandths(p.y), thousandths(p.z)}, t}
}

// point returns the place in millimetres.
func (p pose) point() point {
	mm := func(f float32) int64 { return int64(float64(f) * 1000) }
	return point{mm(p.at[0]), mm(p.at[1]), mm(p.at[2])}
}

// child returns the pose of what is mounted at an offset on p.
func (p pose) child(offset pose) pose {
	moved := p.turn.rotate(offset.at)
	c := pose{turn: p.turn.times(offset.turn)}
	for i := range c.at {
		c.at[i] = float32(float64(p.at[i]) + moved[i])
	}
	return c
}

// product keeps a*b from being fused with an addition.
func product(a, b float64) float64 { return float64(a * b) }

// rotate returns v turned by t: v + 2w(t×v) + 2t×(t×v).
func (t turn) rotate(v [3]float32) [3]float64 {
	axis := [3]float64{float64(t[0]), float64(t[1]), float64(t[2])}
	w := float64(t[3])
	from := [3]float64{float64(v[0]), float64(v[1]), float64(v[2])}
	once := cross(axis, from)
	twice := cross(axis, once)
	var out [3]float64
	for i := range out {
		out[i] = from[i] + product(2, product(w, once[i])+twice[i])
	}
	return out
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		product(a[1], b[2]) - product(a[2], b[1]),
		product(a[2], b[0]) - product(a[0], b[2]),
		product(a[0], b[1]) - product(a[1], b[0]),
	}
}

// times returns the turn o followed by t.
func (t turn) times(o turn) turn {
	p := func(i, j int) float64 { return product(float64(t[i]), float64(o[j])) }
	return turn{
		float32(p(3, 0) + p(0, 3) + p(1, 2) - p(2, 1)),
		float32(p(3, 1) - p(0, 2) + p(1, 3) + p(2, 0)),
		float32(p(3, 2) + p(0, 1) - p(1, 0) + p(2, 3)),
		float32(p(3, 3) - p(0, 0) - p(1, 1) - p(2, 2)),
	}
}

// squareRoot returns the largest whole number whose square is not above n.
func squareRoot(n int64) int64 {
	if n < 2 {
		return n
	}
	guess := n
	for next := (guess + 1) / 2; next < guess; next = (guess + n/guess) / 2 {
		guess = next
	}
	return guess
}
