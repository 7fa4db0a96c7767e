package cache_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// propType is what may be mounted on another: its place follows from that.
func propType(mounted bool) *entity.Type {
	vec := entity.Shape{Kind: entity.KindVec3}
	t := &entity.Type{Name: "Prop", Revision: 1, Fields: []*entity.Field{
		{Name: "on", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
		{Name: "offset", Shape: vec}, {Name: "position", Shape: vec},
		{Name: "note", Shape: entity.Shape{Kind: entity.KindString}},
	}}
	if mounted {
		t.Mount = &entity.Mount{Parent: "on", Offset: []string{"offset"}, Pose: []string{"position"}}
	}
	return t
}

func propAt(typ *entity.Type, id, on entity.ID, offset, x float32) *entity.Entity {
	e := entity.New(id, typ.Current())
	e.Values[0] = entity.NewRef(on)
	e.Values[1] = entity.VecOf(entity.KindVec3, offset, 0, 0)
	e.Values[2] = entity.VecOf(entity.KindVec3, x, 0, 0)
	return e
}

// newMounted has prop 1 at 10 along x, n more on that, one step further each, and below the
// first of these as many more, each on the one before it.
func newMounted(t *testing.T, typ *entity.Type, n, deep int) *bench {
	b := newBench(t, 3)
	in := cache.Intake{Types: []*entity.Type{typ}, Entities: []*entity.Entity{propAt(typ, 101, 0, 0, 10)}}
	for i := range n {
		in.Entities = append(in.Entities, propAt(typ, entity.ID(102+i), 101, float32(i+1), float32(11+i)))
	}
	for i := range deep {
		on := entity.ID(10000 + i - 1)
		if i == 0 {
			on = 102
		}
		in.Entities = append(in.Entities, propAt(typ, entity.ID(10000+i), on, 1, float32(12+i)))
	}
	r, err := b.w.Import(in)
	require.NoError(t, err)
	require.Equal(t, len(in.Entities), r.Created)
	return b
}

// x is where an entity is.
func (b *bench) x(id entity.ID) float32 {
	b.Helper()
	v, err := b.w.View()
	require.NoError(b, err)
	e, ok := v.Get(id)
	require.True(b, ok, "%d", id)
	return math.Float32frombits(e.Value("position").Component(0))
}

// moveTo writes an entity's text with another place in it.
func (b *bench) moveTo(id entity.ID, x float32) {
	b.Helper()
	v, err := b.w.View()
	require.NoError(b, err)
	e, _ := v.Get(id)
	e = e.Clone()
	e.Values[2] = entity.VecOf(entity.KindVec3, x, 0, 0)
	b.write(id, string(textcodec.Append(nil, e)))
}

func TestAParentOfThousandsMovesInOnePack(t *testing.T) {
	const n, deep = 3000, 500
	b := newMounted(t, propType(true), n, deep)
	require.NoError(t, b.w.Sync())
	b.moveTo(101, 20)
	require.Equal(t, float32(20+n), b.x(101+n))
	require.Equal(t, float32(21+deep), b.x(10000+deep-1))
	st, err := b.w.Status()
	require.NoError(t, err)
	require.Zero(t, st.Edits, "all of it is one pack")
	sets := make(map[uint64]bool)
	for _, id := range []entity.ID{101, 102, 101 + n, 10000, 10000 + deep - 1} {
		entries, err := b.w.History(id)
		require.NoError(t, err)
		sets[entries[len(entries)-1].Set] = true
	}
	require.Len(t, sets, 1, "and one change set")
}

// What a write of a text that moves nothing costs has nothing to do with mounts: the world of
// which the type declares none is one that never comes to package follow.
func TestAPlainWriteCostsNoMoreWhereThereAreMounts(t *testing.T) {
	cost := func(mounted bool) (write, read float64) {
		typ := propType(mounted)
		b := newMounted(t, typ, 1000, 0)
		require.NoError(t, b.w.Sync())
		b.w.Stop() // what it does by itself allocates, too
		f, err := b.w.Lookup(103)
		require.NoError(t, err)
		var texts [2][]byte
		for i := range texts {
			e := propAt(typ, 103, 101, 2, 12)
			e.Values[3] = entity.NewString(fmt.Sprint("note ", i))
			texts[i] = textcodec.Append(nil, e)
		}
		i := 0
		change := func() {
			i++
			_, err := f.WriteAt(texts[i%2], 0)
			require.NoError(t, err)
		}
		write = testing.AllocsPerRun(200, change)
		read = testing.AllocsPerRun(200, func() {
			change()
			_, err := b.w.View()
			require.NoError(t, err)
		})
		b.w.CloseState()
		b.w = nil
		return write, read
	}
	write, read := cost(true)
	plainWrite, plainRead := cost(false)
	require.InDelta(t, plainWrite, write, 1)
	require.LessOrEqual(t, read, plainRead+100, "and what reads it next looks at what was edited, not at the world of 1,000")
}

// A game saves while what is mounted has not yet come along with an edit.
func TestASaveWhilePosesArePending(t *testing.T) {
	ways(t, func(t *testing.T, names bool, save func(*engine)) {
		b := newMounted(t, propType(true), 2, 1)
		require.NoError(t, b.w.Sync())
		e := b.engine(names)
		e.set(3, 300)
		place := func(id entity.ID, x float32) {
			n, _ := e.world.Get(id)
			n = n.Clone()
			n.Values[2] = entity.VecOf(entity.KindVec3, x, 0, 0)
			e.world.Put(n)
		}
		b.moveTo(101, 20)
		save(e)
		b.eventuallyWatts(3, 300)
		for id, x := range map[entity.ID]float32{101: 20, 102: 21, 103: 22, 10000: 22} {
			require.Equal(t, x, b.x(id), "entity %d", id)
		}
		b.eventuallyCodes()
		b.requireNothingBeside()

		e = b.engine(names) // it carries what is mounted itself, and moves what is mounted
		n, _ := e.world.Get(102)
		n = n.Clone()
		n.Values[1], n.Values[2] = entity.VecOf(entity.KindVec3, 5, 0, 0), entity.VecOf(entity.KindVec3, 25, 0, 0)
		e.world.Put(n)
		place(10000, 26)
		e.set(2, 201)
		b.moveTo(101, 30)
		save(e)
		b.eventuallyWatts(2, 201)
		for id, x := range map[entity.ID]float32{101: 30, 102: 35, 103: 32, 10000: 36} {
			require.Equal(t, x, b.x(id), "entity %d", id)
		}
		b.eventuallyCodes()
		b.requireNothingBeside()
	})
}

// The text of a parent that does not parse carries nothing; once it does, what is mounted
// comes along with what it says then.
func TestABrokenParentCarriesNothing(t *testing.T) {
	b := newMounted(t, propType(true), 2, 1)
	good := b.text(101)
	b.write(101, strings.Replace(good, "; position\n", "; position\n    what\n", 1))
	require.Equal(t, float32(11), b.x(102))
	require.Equal(t, []string{"101 broken"}, b.codes())
	require.NoError(t, b.w.Sync())
	b.reopen()
	require.Equal(t, float32(12), b.x(10000))
	b.moveTo(101, 40)
	require.Equal(t, float32(41), b.x(102))
	require.Equal(t, float32(42), b.x(10000))
	require.Empty(t, b.codes())
}

// What a parent that is gone carried stays where it is, and its pose is its own.
func TestAParentThatIsGoneCarriesNothing(t *testing.T) {
	b := newMounted(t, propType(true), 2, 1)
	text := b.text(101)
	require.NoError(t, b.w.Remove(101))
	require.NoError(t, b.w.Sync())
	require.Equal(t, float32(11), b.x(102))
	require.Equal(t, float32(12), b.x(103))
	b.moveTo(102, 50)
	require.Equal(t, float32(50), b.x(102), "no parent says otherwise")
	require.Equal(t, float32(51), b.x(10000), "and what is on it comes along")
	b.create(101, text)
	require.Equal(t, float32(50), b.x(102), "it was placed meanwhile")
	require.NoError(t, b.w.Sync())
	b.moveTo(101, 20)
	require.Equal(t, float32(50), b.x(102))
	require.Equal(t, float32(22), b.x(103), "and what stood where it is carried comes along again")
}
