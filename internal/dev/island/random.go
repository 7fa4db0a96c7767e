package island

import (
	"encoding/binary"
	"hash/fnv"
	"math/bits"
	"math/rand/v2"

	"github.com/worldfs/worldfs/entity"
)

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
