package island

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
