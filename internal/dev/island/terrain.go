package island

import (
	"encoding/binary"
	"hash/fnv"
	"math/bits"
	"math/rand/v2"

	"github.com/worldfs/worldfs/entity"
)

// terrain is the shape of the land, in whole millimetres: a dome that sinks
// into the sea, with hills of several sizes on it, levelled where people live.
// The middle of the island is at 0, 0 and the sea at height 0.
type terrain struct {
	seed   uint64
	radius int64 // where even without hills it is all sea
	levels []level
}

// level is a place whose ground was made flat.
type level struct {
	at     point
	radius int64
}

// wave is one size of hills.
type wave struct{ length, height int64 }

func newTerrain(seed uint64, entities int) *terrain {
	// The area grows with the entities, so that the density stays.
	area := 480_000 * 480_000 / 10_000 * (int64(entities) * 10_000 / DefaultEntities)
	return &terrain{seed: seed, radius: max(300_000, squareRoot(area))}
}

// height returns how high the ground is above the sea, below it if negative.
func (t *terrain) height(x, y int64) int64 {
	h := t.natural(x, y)
	for i := range t.levels {
		h = t.levels[i].blend(x, y, h)
	}
	return h
}

func (t *terrain) natural(x, y int64) int64 {
	// Beyond three radii the ground is as deep as it gets, and no product overflows.
	out := min((x*x+y*y)/(t.radius*t.radius>>16), 9<<16)
	h := (t.radius/8*((1<<16)-out))>>16 - t.radius/28
	for i, w := range t.waves() {
		h += t.noise(x, y, w.length, uint64(i)) * w.height >> 16
	}
	return h
}

func (t *terrain) waves() [4]wave {
	return [4]wave{{t.radius * 9 / 16, t.radius / 14}, {t.radius / 5, t.radius / 45}, {41_000, 2600}, {11_000, 350}}
}

// blend flattens the ground around the level: wholly up to half its radius,
// then less and less, in steps too fine to be terraces.
func (l *level) blend(x, y, h int64) int64 {
	d2 := point{x, y, 0}.distance2(l.at)
	if d2 >= l.radius*l.radius {
		return h
	}
	share := 2 * (l.radius - squareRoot(d2)) << 16 / l.radius
	share = min(share, 1<<16)
	return h + (l.at.z-h)*share>>16
}

// surface returns the place on the ground at x, y.
func (t *terrain) surface(x, y int64) point { return point{x, y, t.height(x, y)} }

// forest returns how densely wooded a place is, from -65536 to 65536.
func (t *terrain) forest(x, y int64) int64 {
	return (t.noise(x, y, 130_000, 101)*3 + t.noise(x, y, 37_000, 102)) / 4
}

// noise returns smooth randomness from -65536 to 65536 that varies over
// length: values at the corners of a grid, blended between them.
func (t *terrain) noise(x, y, length int64, salt uint64) int64 {
	column, fx := divide(x, length)
	row, fy := divide(y, length)
	corner := func(dx, dy int64) int64 { return t.corner(column+dx, row+dy, salt) }
	top := mix(corner(0, 0), corner(1, 0), fx)
	bottom := mix(corner(0, 1), corner(1, 1), fx)
	return mix(top, bottom, fy)
}

// divide returns which cell n is in, and how far into it, eased at both ends,
// from 0 to 65536.
func divide(n, length int64) (cell, into int64) {
	cell = n / length
	if n < 0 && n%length != 0 {
		cell--
	}
	into = ((n - cell*length) << 16) / length
	return cell, (into * into >> 16) * (3<<16 - 2*into) >> 16
}

func mix(a, b, share int64) int64 { return a + (b-a)*share>>16 }

// corner returns the value at a corner of the grid: the bits of its numbers,
// mixed until each depends on all.
func (t *terrain) corner(column, row int64, salt uint64) int64 {
	h := t.seed ^ salt*0x9e3779b97f4a7c15
	for _, n := range [2]int64{column, row} {
		h = (h ^ uint64(n)) * 0xbf58476d1ce4e5b9
		h ^= h >> 29
		h *= 0x94d049bb133111eb
		h ^= h >> 32
	}
	return int64(h>>47) - 1<<16
}

// somewhere returns a random place on the ground, within the island's radius,
// that suits; after many tries any place does.
func (t *terrain) somewhere(r random, suits func(point) bool) point {
	var p point
	for range 200 {
		x, y := r.between(-t.radius, t.radius), r.between(-t.radius, t.radius)
		if x*x+y*y > t.radius*t.radius {
			continue
		}
		if p = t.surface(x, y); suits(p) {
			return p
		}
	}
	return p
}

// near returns a random place on the ground within a distance of another, on
// land if a few tries find some.
func (t *terrain) near(r random, p point, within int64) point {
	var q point
	for range 20 {
		q = t.surface(p.x+r.between(-within, within), p.y+r.between(-within, within))
		if q.z > 300 && q.distance2(p) <= within*within {
			break
		}
	}
	return q
}

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

// random draws numbers. Only the generator's 64-bit outputs are used, with
// the reductions below, so that a release of Go that draws its bounded numbers
// another way makes no other island.
type random struct{ source *rand.PCG }

// newRandom returns a stream of its own for a part of the island: parts that
// grow or change leave the others as they were.
func newRandom(seed uint64, part string) random {
	h := fnv.New64a()
	h.Write([]byte(part))
	return random{rand.NewPCG(seed, h.Sum64())}
}

// below returns 0 to n-1.
func (r random) below(n int64) int64 {
	high, _ := bits.Mul64(r.source.Uint64(), uint64(n))
	return int64(high)
}

// between returns low to high, both included.
func (r random) between(low, high int64) int64 { return low + r.below(high-low+1) }

// percent reports whether an event occurs that has this probability, in percent.
func (r random) percent(n int64) bool { return r.below(100) < n }

// milli returns low to high thousandths as a float.
func (r random) milli(low, high int64) float32 { return thousandths(r.between(low, high)) }

// number returns low to high thousandths as an f32.
func (r random) number(low, high int64) entity.Value { return entity.F32Of(r.milli(low, high)) }

// colour returns an opaque colour near one given in thousandths.
func (r random) colour(red, green, blue int64) entity.Value {
	near := func(c int64) float32 { return r.milli(max(0, c-90), min(1000, c+90)) }
	return entity.VecOf(entity.KindVec4, near(red), near(green), near(blue), 1)
}

// guid returns a random one of version 4.
func (r random) guid() entity.GUID {
	var g entity.GUID
	binary.BigEndian.PutUint64(g[:8], r.source.Uint64())
	binary.BigEndian.PutUint64(g[8:], r.source.Uint64())
	g[6] = g[6]&0x0f | 0x40
	g[8] = g[8]&0x3f | 0x80
	return g
}

// blob returns n random bytes.
func (r random) blob(n int) entity.Value {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.below(256))
	}
	return entity.NewBlob(string(b))
}

// pick returns one of the choices.
func pick[T any](r random, choices []T) T { return choices[r.below(int64(len(choices)))] }
