package follow_test

import (
	"iter"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
)

var (
	vec3 = entity.Shape{Kind: entity.KindVec3}
	quat = entity.Shape{Kind: entity.KindQuat}
)

// prop is a type of what may be mounted; rock of what may not.
var (
	prop = &entity.Type{Name: "Prop", Revision: 1, Fields: []*entity.Field{
		{Name: "on", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
		{Name: "offset", Shape: vec3}, {Name: "turned", Shape: quat},
		{Name: "position", Shape: vec3}, {Name: "orientation", Shape: quat},
		{Name: "note", Shape: entity.Shape{Kind: entity.KindString}},
	}, Mount: &entity.Mount{Parent: "on", Offset: []string{"offset", "turned"}, Pose: []string{"position", "orientation"}}}
	rock = &entity.Type{Name: "Rock", Revision: 1, Fields: []*entity.Field{
		{Name: "position", Shape: vec3}, {Name: "orientation", Shape: quat},
	}}
)

func with(e *entity.Entity, field string, v entity.Value) *entity.Entity {
	n := e.Clone()
	n.Values[n.Layout.Index(field)] = v
	return n
}

func at(x, y, z float32) entity.Value { return entity.VecOf(entity.KindVec3, x, y, z) }

func turn(x, y, z, w float32) entity.Value { return entity.VecOf(entity.KindQuat, x, y, z, w) }

// newRock returns a rock that is not turned.
func newRock(id entity.ID, x, y, z float32) *entity.Entity {
	e := entity.New(id, rock.Current())
	return with(with(e, "position", at(x, y, z)), "orientation", turn(0, 0, 0, 1))
}

// newProp returns a prop on a parent, which lies a step along x from it and is where that
// carries it.
func newProp(id entity.ID, on *entity.Entity, x, y, z float32) *entity.Entity {
	e := entity.New(id, prop.Current())
	e = with(with(with(e, "on", entity.NewRef(on.ID)), "offset", at(x, y, z)), "turned", turn(0, 0, 0, 1))
	e = with(with(e, "position", at(0, 0, 0)), "orientation", turn(0, 0, 0, 1))
	place, ok := entity.Carried(e, on)
	if !ok {
		panic("a prop is carried")
	}
	return place.Put(e)
}

func worldOf(all ...*entity.Entity) *entity.World {
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(prop, rock))
	for _, e := range all {
		w.Put(e)
	}
	return w
}

func changesOf(all ...*entity.Entity) map[entity.ID]*entity.Entity {
	changes := make(map[entity.ID]*entity.Entity)
	for _, e := range all {
		changes[e.ID] = e
	}
	return changes
}

func TestWhatIsMountedComesAlong(t *testing.T) {
	a := newRock(1, 10, 0, 0)
	b := newProp(2, a, 1, 0, 0)
	c := newProp(3, b, 1, 0, 0)
	w := worldOf(a, b, c, newRock(4, 0, 0, 0))

	out := follow.Of(w, changesOf(with(a, "position", at(10, 5, 0))), nil)
	require.Empty(t, out.Restored)
	require.Equal(t, at(11, 5, 0), out.Carried[2].Value("position"))
	require.Equal(t, at(12, 5, 0), out.Carried[3].Value("position"))
	require.Equal(t, turn(0, 0, 0, 1), out.Carried[3].Value("orientation"))
	require.Len(t, out.Carried, 2)
	require.Equal(t, entity.ID(1), out.Root(3))

	const half = math.Sqrt2 / 2
	out = follow.Of(w, changesOf(with(a, "orientation", turn(0, 0, half, half))), nil) // a quarter about z
	place, ok := entity.Carried(out.Carried[3], out.Carried[2])
	require.True(t, ok)
	is, known := place.Has(out.Carried[3])
	require.True(t, is && known)
	requireAt(t, out.Carried[3], 10, 2, 0)
	require.Equal(t, turn(0, 0, half, half), out.Carried[3].Value("orientation"))

	require.Empty(t, follow.Of(w, changesOf(with(c, "note", entity.NewString("a note"))), nil).Carried)
	require.Empty(t, follow.Of(w, changesOf(a), nil).Carried)
}

func requireAt(t require.TestingT, e *entity.Entity, want ...float64) {
	for i, x := range want {
		require.InDelta(t, x, float64(math.Float32frombits(e.Value("position").Component(i))), 1e-5)
	}
}

func TestAnOffsetOrAnotherParentMovesTheEntity(t *testing.T) {
	a, d := newRock(1, 10, 0, 0), newRock(4, 100, 0, 0)
	b := newProp(2, a, 1, 0, 0)
	c := newProp(3, b, 1, 0, 0)
	w := worldOf(a, b, c, d)

	out := follow.Of(w, changesOf(with(b, "offset", at(2, 0, 0))), nil)
	requireAt(t, out.Carried[2], 12, 0, 0)
	requireAt(t, out.Carried[3], 13, 0, 0)
	require.Equal(t, entity.ID(2), out.Root(2))
	require.Equal(t, entity.ID(2), out.Root(3))

	out = follow.Of(w, changesOf(with(b, "on", entity.NewRef(4))), nil)
	requireAt(t, out.Carried[2], 101, 0, 0)
	requireAt(t, out.Carried[3], 102, 0, 0)

	free := with(b, "on", entity.NewRef(0))
	require.Empty(t, follow.Of(w, changesOf(free), nil).Carried, "what is dismounted stays where it is")
	out = follow.Of(worldOf(a, free, c, d), changesOf(with(free, "on", entity.NewRef(4))), nil)
	requireAt(t, out.Carried[2], 101, 0, 0)
	requireAt(t, out.Carried[3], 102, 0, 0)

	placed := with(with(free, "on", entity.NewRef(4)), "position", at(7, 7, 7))
	out = follow.Of(worldOf(a, free, c, d), changesOf(placed), nil)
	require.NotContains(t, out.Carried, entity.ID(2), "the author says where it is")
	requireAt(t, out.Carried[3], 8, 7, 7)
}

func TestAPoseAloneHasNoEffect(t *testing.T) {
	a := newRock(1, 10, 0, 0)
	b := newProp(2, a, 1, 0, 0)
	w := worldOf(a, b)
	edit := with(with(b, "position", at(50, 0, 0)), "note", entity.NewString("a note"))
	out := follow.Of(w, changesOf(edit), nil)
	require.Empty(t, out.Carried)
	require.True(t, out.Restored[2].Equal(with(b, "note", entity.NewString("a note"))))

	both := follow.Of(w, changesOf(edit, with(a, "position", at(9, 0, 0))), nil)
	require.Empty(t, both.Restored, "the author moved the parent, too, and says where the child is")
	require.Empty(t, both.Carried)

	rounded := with(b, "position", at(11.0005, 0, 0))
	require.Empty(t, follow.Of(w, changesOf(rounded), nil).Restored, "an engine's rounding is no edit to be told of")

	apart := worldOf(a, with(b, "position", at(50, 0, 0)))
	require.Empty(t, follow.Of(apart, changesOf(with(b, "position", at(60, 0, 0))), nil).Restored, "it is where nothing carries it")
	require.Empty(t, follow.Of(apart, changesOf(b), nil).Restored, "it is brought back")
	require.Empty(t, follow.Of(apart, changesOf(with(a, "position", at(11, 0, 0))), nil).Carried, "it was left behind before")
}

func TestWhatWasBroughtIsAsItIs(t *testing.T) {
	a := newRock(1, 10, 0, 0)
	b := newProp(2, a, 1, 0, 0)
	c := newProp(3, b, 1, 0, 0)
	w := worldOf(a, b, c)
	brought := func(id entity.ID) bool { return id == 1 }
	out := follow.Of(w, changesOf(with(a, "position", at(0, 0, 0)), with(c, "offset", at(2, 0, 0))), brought)
	require.NotContains(t, out.Carried, entity.ID(2))
	requireAt(t, out.Carried[3], 13, 0, 0)
}

// A checkout brings what is mounted and what it is mounted on, and before anything looks at
// that the author moves the latter further.
func TestWhatWasBroughtComesAlongWithALaterMove(t *testing.T) {
	a := newRock(1, 10, 0, 0)
	b := newProp(2, a, 1, 0, 0)
	c := newProp(3, b, 1, 0, 0)
	w := worldOf(a, b, c)
	brought := func(id entity.ID) bool { return id == 2 || id == 3 }
	changes := changesOf(with(a, "position", at(30, 0, 0)), with(b, "position", at(21, 0, 0)), with(c, "position", at(22, 0, 0)))
	out := follow.Of(w, changes, brought)
	requireAt(t, out.Carried[2], 31, 0, 0)
	requireAt(t, out.Carried[3], 32, 0, 0)
	require.Empty(t, out.Restored)
}

func TestSmallMovesDoNotAddUp(t *testing.T) {
	a := newRock(1, 1000, 0, 0)
	b := newProp(2, a, 1, 0, 0)
	w := worldOf(a, b)
	for i := range 1000 {
		a = with(a, "position", at(1000+float32(i)/10000, 0, 0))
		for _, e := range follow.Of(w, changesOf(a), nil).Carried {
			w.Put(e)
		}
		w.Put(a)
	}
	b, _ = w.Get(2)
	place, _ := entity.Carried(b, a)
	is, _ := place.Has(b)
	require.True(t, is)
	require.InDelta(t, 1001.1, float64(math.Float32frombits(b.Value("position").Component(0))), 2e-3)
}

// counting counts what is read of a world.
type counting struct {
	entity.Source
	got, listed int
}

func (c *counting) Get(id entity.ID) (*entity.Entity, bool) {
	c.got++
	return c.Source.Get(id)
}

func (c *counting) All() iter.Seq[*entity.Entity] { panic("all entities are read") }

func (c *counting) MountParents() iter.Seq2[entity.ID, entity.ID] {
	c.listed++
	return entity.MountParents(c.Source)
}

func TestWorkIsThatOfWhatMoves(t *testing.T) {
	w := worldOf()
	for i := range entity.ID(5000) {
		r := newRock(10*i+1, float32(i), 0, 0)
		w.Put(r)
		w.Put(newProp(10*i+2, r, 1, 0, 0))
	}
	a, _ := w.Get(11)
	b, _ := w.Get(12)
	c := &counting{Source: w}
	require.Len(t, follow.Of(c, changesOf(with(a, "position", at(5, 5, 5))), nil).Carried, 1)
	require.LessOrEqual(t, c.got, 2)
	require.Equal(t, 1, c.listed)

	c = &counting{Source: w}
	follow.Of(c, changesOf(with(b, "note", entity.NewString("a note"))), nil)
	require.LessOrEqual(t, c.got, 1)
	require.Zero(t, c.listed, "nothing moved")

	deep := newRock(1, 0, 0, 0)
	w, above := worldOf(deep), deep
	for i := range entity.ID(5000) {
		above = newProp(i+2, above, 1, 0, 0)
		w.Put(above)
	}
	c = &counting{Source: w}
	require.Len(t, follow.Of(c, changesOf(with(deep, "position", at(0, 5, 0)), with(above, "offset", at(2, 0, 0))), nil).Carried, 5000)
	require.LessOrEqual(t, c.got, 5001, "each is read once, however deep it is")
}

// A parent that carries thousands costs a look at each of them, and as many look ups as there
// are entities that move: not one more where another of its children was edited, too.
func TestAParentOfThousands(t *testing.T) {
	const n = 3000
	parent := newRock(1, 10, 0, 0)
	w := worldOf(parent, newRock(n+10, 0, 0, 0))
	for id := range entity.ID(n) {
		w.Put(newProp(id+2, parent, float32(id), 0, 0))
	}
	edited, _ := w.Get(7)
	for _, also := range []*entity.Entity{nil, with(edited, "note", entity.NewString("a note")), with(edited, "offset", at(-1, 0, 0))} {
		c := &counting{Source: w}
		changes := changesOf(with(parent, "position", at(20, 0, 0)))
		if also != nil {
			changes[also.ID] = also
		}
		out := follow.Of(c, changes, nil)
		require.Len(t, out.Carried, n)
		require.LessOrEqual(t, c.got, n+1)
		require.Equal(t, 1, c.listed)
		requireAt(t, out.Carried[n+1], 20+n-1, 0, 0)
	}
	c := &counting{Source: w}
	require.Empty(t, follow.Of(c, changesOf(with(parent, "position", at(10, 0, 0))), nil).Carried, "it stands where it was")
	require.Zero(t, c.listed)
}

// A change set that moves nothing costs the same whatever is mounted in the world.
func TestWhatMovesNothingCostsNoAllocations(t *testing.T) {
	parent := newRock(1, 10, 0, 0)
	small, large := worldOf(parent), worldOf(parent)
	edited := newProp(2, parent, 1, 0, 0)
	small.Put(edited)
	for id := range entity.ID(3000) {
		large.Put(newProp(id+2, parent, 1, 0, 0))
	}
	changes := changesOf(with(edited, "note", entity.NewString("a note")))
	cost := func(w *entity.World) float64 { return testing.AllocsPerRun(100, func() { follow.Of(w, changes, nil) }) }
	require.Equal(t, cost(small), cost(large))
	require.LessOrEqual(t, cost(large), 12.0)
}

// forest draws a world of rocks and props, most where they are carried, and some in circles,
// on nothing that there is, or somewhere else.
func forest(t *rapid.T) *entity.World {
	w := worldOf()
	n := entity.ID(rapid.IntRange(2, 12).Draw(t, "entities"))
	for id := entity.ID(1); id <= n; id++ {
		if id == 1 || rapid.IntRange(0, 3).Draw(t, "rock") == 0 {
			w.Put(with(newRock(id, 0, 0, 0), "position", place(t)))
			continue
		}
		on, _ := w.Get(entity.ID(rapid.Uint32Range(1, uint32(id-1)).Draw(t, "on")))
		offset := place(t)
		e := with(newProp(id, on, 0, 0, 0), "offset", offset)
		e = with(e, "turned", orientation(t))
		to, _ := entity.Carried(e, on)
		e = to.Put(e)
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0: // left behind
			e = with(e, "position", place(t))
		case 1: // on what is not there, or comes later: perhaps a circle
			e = with(e, "on", entity.NewRef(entity.ID(rapid.Uint32Range(uint32(id), uint32(n)+1).Draw(t, "above"))))
		case 2:
			e = with(e, "on", entity.NewRef(0))
		}
		w.Put(e)
	}
	return w
}

func place(t *rapid.T) entity.Value {
	c := rapid.IntRange(-50, 50)
	return at(float32(c.Draw(t, "x")), float32(c.Draw(t, "y")), float32(c.Draw(t, "z")))
}

func orientation(t *rapid.T) entity.Value {
	const half = math.Sqrt2 / 2
	return rapid.SampledFrom([]entity.Value{
		turn(0, 0, 0, 1), turn(0, 0, half, half), turn(half, 0, 0, half), turn(0.5, 0.5, 0.5, 0.5), turn(0, 0, -3, 3),
	}).Draw(t, "orientation")
}

// edits draws what an author does to a world.
func edits(t *rapid.T, w *entity.World) map[entity.ID]*entity.Entity {
	changes := make(map[entity.ID]*entity.Entity)
	for range rapid.IntRange(1, 4).Draw(t, "edits") {
		id := rapid.SampledFrom(w.IDs()).Draw(t, "entity")
		e, changed := changes[id]
		if !changed {
			e, _ = w.Get(id)
		}
		if e == nil {
			continue
		}
		kinds := []string{"position", "position", "orientation", "gone"}
		if e.Type() == prop.Name {
			kinds = append(kinds, "offset", "offset", "turned", "on", "on", "note")
		}
		switch kind := rapid.SampledFrom(kinds).Draw(t, "edit"); kind {
		case "gone":
			e = nil
		case "position", "offset":
			e = with(e, kind, place(t))
		case "orientation", "turned":
			e = with(e, kind, orientation(t))
		case "on":
			e = with(e, kind, entity.NewRef(entity.ID(rapid.Uint32Range(0, 13).Draw(t, "on"))))
		case "note":
			e = with(e, kind, entity.NewString("a note"))
		}
		changes[id] = e
	}
	return changes
}

func TestForestsFollowAsTheModelSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := forest(t)
		changes := edits(t, w)
		brought := make(map[entity.ID]bool)
		for _, id := range slices.Sorted(maps.Keys(changes)) {
			brought[id] = rapid.IntRange(0, 5).Draw(t, "brought") == 0
		}
		out := follow.Of(w, changes, func(id entity.ID) bool { return brought[id] })

		m := model{was: w, is: maps.Clone(changes), brought: brought, done: make(map[entity.ID]*entity.Entity)}
		want := make(map[entity.ID]*entity.Entity)
		for _, id := range w.IDs() {
			if e := m.final(id); e != nil && e != m.now(id) {
				want[id] = e
			}
		}
		got := maps.Clone(out.Carried)
		maps.Copy(got, out.Restored)
		require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)))
		for id, e := range want {
			require.True(t, e.Equal(got[id]), "entity %d", id)
		}
		for id := range out.Carried {
			require.NotContains(t, out.Restored, id)
			root := out.Root(id)
			require.Contains(t, changes, root)
			require.False(t, brought[root] && root != id)
		}
	})
}

// model says the same by looking at everything, from the top.
type model struct {
	was     *entity.World
	is      map[entity.ID]*entity.Entity
	brought map[entity.ID]bool
	done    map[entity.ID]*entity.Entity
}

func (m *model) old(id entity.ID) *entity.Entity {
	e, _ := m.was.Get(id)
	return e
}

func (m *model) now(id entity.ID) *entity.Entity {
	if e, changed := m.is[id]; changed {
		return e
	}
	return m.old(id)
}

func (m *model) inCircle(id entity.ID) bool {
	at := id
	for range m.was.Len() + 1 {
		e := m.now(at)
		if e == nil {
			return false
		}
		if at = e.MountParent(); at == id {
			return true
		}
	}
	return false
}

// isReached reports whether an author's change has anything to do with an entity: what only
// came from elsewhere carries nothing.
func (m *model) isReached(id entity.ID) bool {
	if _, changed := m.is[id]; changed {
		return true
	}
	e := m.now(id)
	on := e.MountParent()
	return on != 0 && m.now(on) != nil && m.old(on) != nil && m.final(on) != m.old(on) && (!m.brought[on] || m.final(on) != m.now(on))
}

// isMovedByAuthor reports whether what was brought with an entity is carried by it now.
func (m *model) isMovedByAuthor(id entity.ID) bool {
	was, is := m.old(id), m.now(id)
	if was == nil || is == nil {
		return false
	}
	differs := func(f string) bool {
		return is.Layout.Index(f) >= 0 && !was.Value(f).Equal(is.Value(f))
	}
	byHand := !m.brought[id] && slices.ContainsFunc([]string{"position", "orientation", "offset", "turned"}, differs)
	return byHand || m.final(id) != is
}

func (m *model) final(id entity.ID) *entity.Entity {
	if e, done := m.done[id]; done {
		return e
	}
	was, is := m.old(id), m.now(id)
	if was == nil || is == nil || is.MountParent() == 0 || m.inCircle(id) || m.brought[id] && !m.isMovedByAuthor(is.MountParent()) || !m.isReached(id) {
		m.done[id] = is
		return is
	}
	m.done[id] = m.derived(was, is)
	return m.done[id]
}

func (m *model) derived(was, is *entity.Entity) *entity.Entity {
	parent := m.now(is.MountParent())
	if parent == nil {
		return is
	}
	parent = m.final(parent.ID)
	to, ok := entity.Carried(is, parent)
	if !ok {
		return is
	}
	var from entity.Place
	on := m.old(was.MountParent())
	if on != nil {
		from, _ = entity.Carried(was, on)
		if stood, _ := from.Has(was); !stood {
			return is
		}
	}
	same := func(fields ...string) bool {
		return !slices.ContainsFunc(fields, func(f string) bool { return !was.Value(f).Equal(is.Value(f)) })
	}
	mount := !same("on", "offset", "turned")
	if m.brought[parent.ID] && !mount && parent == m.now(parent.ID) {
		return is // its parent came as it is, and so did it
	}
	moved := mount && on == nil || on != nil && from != to
	given := !same("position", "orientation") && !m.brought[is.ID]
	at, _ := to.Has(is)
	switch {
	case moved && !given:
		return to.Put(is)
	case given && !moved && !at && on != nil:
		return with(with(is, "position", was.Value("position")), "orientation", was.Value("orientation"))
	}
	return is
}

// TestWhatStoodStands has no entity left behind by an author that moves what carries it, and
// all of it be undone by moving that back.
func TestWhatStoodStands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := forest(t)
		changes := edits(t, w)
		out := follow.Of(w, changes, nil)
		after := maps.Clone(changes)
		maps.Copy(after, out.Restored)
		maps.Copy(after, out.Carried)
		now := entity.NewOverlay(w, after)
		for id := range out.Carried {
			e, _ := now.Get(id)
			on, _ := now.Get(e.MountParent())
			to, _ := entity.Carried(e, on)
			is, _ := to.Has(e)
			require.True(t, is, "entity %d is where its parent carries it", id)
		}
		if !allStand(w) {
			return // one that was left behind may have come to stand where it should be
		}
		back := make(map[entity.ID]*entity.Entity)
		for id := range after {
			back[id], _ = w.Get(id)
		}
		for id, e := range follow.Of(now, back, nil).Carried {
			on, _ := w.Get(e.MountParent())
			to, _ := entity.Carried(e, on)
			stands, _ := to.Has(e)
			require.True(t, stands, "undone as a whole, entity %d is where it was", id)
		}
	})
}

// allStand reports whether everything is where its parent carries it.
func allStand(w *entity.World) bool {
	for e := range w.All() {
		on, ok := w.Get(e.MountParent())
		if !ok {
			continue
		}
		to, _ := entity.Carried(e, on)
		if stands, _ := to.Has(e); !stands {
			return false
		}
	}
	return true
}
