package merge

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

// movedTo returns the new ID of a renumbered entity.
func movedTo(t require.TestingT, r *Result, name string) Renumbering {
	for _, n := range r.Renumbered {
		if n.Name == name {
			return n
		}
	}
	require.Fail(t, "it has its ID still", name)
	return Renumbering{}
}

func requireName(t *testing.T, r *Result, id entity.ID, name string) {
	e, ok := r.Get(id)
	require.True(t, ok, "there is no %d", id)
	require.Equal(t, name, e.Name())
}

func TestMadeTwiceGoesByOwner(t *testing.T) {
	s := newScene(t)
	s.all(100, 0)
	s.put(s.ours, 5, named("my five"))
	s.put(s.ours, 6, to("parent", 5)) // in Bob's range, and 101 in Ann's own
	s.put(s.ours, 101, nil)
	s.put(s.theirs, 5, named("their five"))
	s.put(s.theirs, 150, named("their 150"))
	s.put(s.ours, 150, named("my 150"))
	s.put(s.theirs, 7, to("link", 150))
	s.put(s.ours, 100, map[string]entity.Value{"links": entity.NewList(entity.KindSet, []entity.Value{entity.NewRef(5)})})
	r := s.merge(Options{Ranges: ranges})
	require.Empty(t, kinds(r))
	require.Len(t, r.Renumbered, 2)
	five, other := movedTo(t, r, "my five"), movedTo(t, r, "their 150")
	require.Equal(t, Ours, five.Side)
	require.True(t, five.Outside, "what ours made is in two owners' ranges, so it is not known for whom")
	require.Equal(t, Theirs, other.Side)
	require.Less(t, other.To, entity.ID(100), "in Bob's range, in which theirs made 7")
	requireName(t, r, 5, "their five")
	requireName(t, r, 150, "my 150")
	require.Equal(t, five.To, parentOf(t, r, 6))
	e, _ := r.Get(7)
	require.Equal(t, other.To, e.Value("link").Ref())
	e, _ = r.Get(100)
	require.Equal(t, []entity.Value{entity.NewRef(five.To)}, e.Value("links").Items())
}

// TestANewIDIsInTheCreatorsOwnRange has Ann merge on her machine, on Bob's, and on one
// that only merges.
func TestANewIDIsInTheCreatorsOwnRange(t *testing.T) {
	s := newScene(t)
	s.put(s.ours, 5, named("Ann's"))
	s.put(s.theirs, 5, named("Bob's"))
	r := s.merge(Options{Ranges: ranges})
	moved := movedTo(t, r, "Ann's")
	require.True(t, moved.To >= 100 && moved.To < 200, "%d", moved.To)
	require.NotContains(t, moved.String(), "id_ranges")

	s.put(s.ours, 101, nil)
	s.put(s.theirs, 6, nil)
	for _, machine := range []Ranges{{List: ranges.List}, {List: ranges.List, Keys: []string{"Bob"}, Party: Theirs}, ranges} {
		require.Equal(t, moved, movedTo(t, s.merge(Options{Ranges: machine}), "Ann's"), "the worlds say the same to all machines")
	}
	s.put(s.ours, 7, nil)
	require.True(t, movedTo(t, s.merge(Options{Ranges: ranges}), "Ann's").Outside)
}

// TestTheCreatorOfOneEntityIsKnown has theirs be the work of two, of which one made an
// entity in the other's range.
func TestTheCreatorOfOneEntityIsKnown(t *testing.T) {
	s := newScene(t)
	s.put(s.ours, 150, named("Ann's"))
	s.put(s.theirs, 150, named("Bob's"))
	s.put(s.theirs, 101, nil)
	o := Options{Ranges: ranges}
	o.Ranges.Keys = nil
	o.Ranges.Creators = func(p Party, ids []entity.ID) map[entity.ID][]string {
		require.Equal(t, []entity.ID{150}, ids)
		return map[entity.ID][]string{150: {map[Party]string{Ours: "Ann", Theirs: "Bob"}[p]}}
	}
	r := s.merge(o)
	require.Less(t, movedTo(t, r, "Bob's").To, entity.ID(100))
	requireName(t, r, 150, "Ann's")
}

// TestACreatorWithoutARange has the highest ID be right before a disposable range, or the
// range of another.
func TestACreatorWithoutARange(t *testing.T) {
	s := newScene(t)
	s.all(199, 0)
	s.put(s.ours, 500, named("mine"))
	s.put(s.theirs, 500, named("theirs"))
	o := Options{Ranges: ranges}
	o.Ranges.Keys = []string{"Carol"}
	r := s.merge(o)
	moved := movedTo(t, r, "mine")
	require.Nil(t, o.Ranges.of(moved.To))
	require.Contains(t, moved.String(), "in none")
	require.Equal(t, moved, movedTo(t, s.merge(o), "mine"))

	o.Ranges.List = []Range{{From: 1, To: 300, Owners: []string{"Clusters"}, Disposable: true}, {From: 300, To: 1 << 32, Owners: []string{"Dave"}}}
	moved = movedTo(t, s.merge(o), "mine")
	require.GreaterOrEqual(t, moved.To, entity.ID(300), "there is no ID outside, but one that no program deletes")
	o.Ranges.List = []Range{{From: 1, To: 1 << 32, Owners: []string{"Clusters"}, Disposable: true}}
	s.ours.Delete(199)
	s.base.Delete(199)
	require.NotPanics(t, func() { s.merge(o) })
}

func TestAFullRange(t *testing.T) {
	s := newScene(t)
	for id := entity.ID(100); id < 200; id++ {
		s.all(id, 0)
	}
	s.put(s.ours, 5, named("mine"))
	s.put(s.theirs, 5, named("theirs"))
	require.True(t, movedTo(t, s.merge(Options{Ranges: ranges}), "mine").Outside)
	s.base.Delete(117)
	s.ours.Delete(117)
	s.theirs.Delete(117)
	require.Equal(t, entity.ID(117), movedTo(t, s.merge(Options{Ranges: ranges}), "mine").To)
}

func TestMadeAlikeButMeaningOthers(t *testing.T) {
	s := newScene(t)
	s.put(s.ours, 1, named("a"))
	s.put(s.theirs, 1, named("b"))
	s.put(s.ours, 2, to("link", 1))
	s.put(s.theirs, 2, to("link", 1))
	s.put(s.ours, 3, named("same"))
	s.put(s.theirs, 3, named("same"))
	for _, o := range []Options{{}, {Peers: true}} {
		r := s.merge(o)
		require.Len(t, r.Renumbered, 2)
		require.Equal(t, 5, r.Len())
		for _, n := range r.Renumbered {
			e, _ := r.Get(n.To)
			if n.From == 2 {
				requireName(t, r, e.Value("link").Ref(), map[Party]string{Ours: "a", Theirs: "b"}[n.Side])
			}
		}
	}
}

// TestWhatRefersToARenumberedOneIsKnown has an earlier merge have given what both refer to
// another ID, on one side.
func TestWhatRefersToARenumberedOneIsKnown(t *testing.T) {
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} { // one of which gets the new ID
		s := newScene(t)
		s.put(s.ours, 1, named(names[0]))
		s.put(s.theirs, 1, named(names[1]))
		s.put(s.theirs, 2, map[string]entity.Value{"name": entity.NewString("refers"), "link": entity.NewRef(1)})
		s.put(s.theirs, 3, map[string]entity.Value{"name": entity.NewString("refers on"), "link": entity.NewRef(2)})
		o := Options{Peers: true}
		s.ours = s.merge(o).World(s.base.ID)
		r := s.merge(o)
		require.Empty(t, kinds(r))
		require.Empty(t, entity.Diff(s.ours, r), "%v", r.Renumbered)

		s.put(s.theirs, 4, named("theirs' own"))
		s.put(s.ours, 4, named("ours' own"))
		s.put(s.theirs, 3, map[string]entity.Value{"name": entity.NewString("refers on"), "link": entity.NewRef(4)})
		r = s.merge(o)
		require.Equal(t, s.ours.Len()+2, r.Len(), "what refers to another is another: %v", r.Renumbered)
	}
}

func TestTheLastIDIsTaken(t *testing.T) {
	s := newScene(t)
	s.all(entity.MaxID, 0)
	s.put(s.ours, 1, named("a"))
	s.put(s.theirs, 1, named("b"))
	o := Options{Ranges: Ranges{List: []Range{{From: 2, To: 1<<32 - 1, Owners: []string{"Dave"}}}}}
	require.True(t, s.merge(o).Renumbered[0].To < entity.MaxID)
}

// lower returns those below an ID. In a circle what an entity refers to may be told apart
// by nothing but IDs.
func lower(ids []uint32, id uint32) (out []uint32) {
	for _, l := range ids {
		if l < id {
			out = append(out, l)
		}
	}
	return out
}

// drawMaker draws what a side makes of a world: entities of IDs that other sides use, too,
// and that refer to each other. Two of two IDs are told apart by their content.
func drawMaker(t *rapid.T, base *entity.World) *entity.World {
	w := entity.NewWorld(base.ID, base.Types)
	for e := range base.All() {
		w.Put(e)
	}
	made := rapid.SliceOfNDistinct(rapid.Uint32Range(20, 24), 0, 4, rapid.ID[uint32]).Draw(t, "made")
	for _, id := range made {
		e := entity.New(entity.ID(id), w.Types.Get("Node").Current())
		set := func(field string, v entity.Value) { e.Values[e.Layout.Index(field)] = v }
		set("name", entity.NewString(fmt.Sprint(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"), id)))
		to := rapid.SampledFrom(append([]uint32{0, 1}, lower(made, id)...))
		set("link", entity.NewRef(entity.ID(to.Draw(t, "link"))))
		set("parent", entity.NewRef(1))
		w.Put(e)
	}
	return w
}

// TestPeersChooseAlike has two machines merge each other's work, each its own as ours, and
// three come together in every order.
func TestPeersChooseAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := entity.NewWorld(entity.GUID{7}, sceneTypes())
		base.Put(entity.New(1, base.Types.Get("Node").Current()))
		var makers [3]*entity.World
		for i := range makers {
			makers[i] = drawMaker(t, base)
		}
		o := Options{Peers: true}
		if rapid.Bool().Draw(t, "ranges") {
			o.Ranges = Ranges{List: []Range{{From: 1, To: 20, Owners: []string{"Dave"}}, {From: 25, To: 1_500_000_000, Owners: []string{"Clusters"}, Disposable: true}}}
		}
		var first *entity.World
		for _, order := range [][3]int{{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
			two := merged(t, base, makers[order[0]], makers[order[1]], o)
			three := merged(t, base, two.World(base.ID), makers[order[2]], o)
			requireMade(t, makers[order[0]], makers[order[1]], two, o)
			if first == nil {
				first = three.World(base.ID)
			}
			require.Empty(t, entity.Diff(first, three), "%v", order)
			requireSame(t, first, merged(t, base, makers[order[2]], two.World(base.ID), o))
		}
	})
}

// requireMade fails unless all that two sides made is there, and refers to its own side's.
func requireMade(t require.TestingT, ours, theirs *entity.World, r *Result, o Options) {
	at := map[Party]map[entity.ID]entity.ID{Ours: {}, Theirs: {}}
	for _, n := range r.Renumbered {
		at[n.Side][n.From] = n.To
		in := o.Ranges.of(n.To)
		require.Nil(t, in, "%s", n)
	}
	for p, w := range map[Party]*entity.World{Ours: ours, Theirs: theirs} {
		now := func(id entity.ID) entity.ID {
			if to, moved := at[p][id]; moved {
				return to
			}
			return id
		}
		for e := range w.All() {
			got, ok := r.Get(now(e.ID))
			require.True(t, ok, "%s is lost", e)
			require.Equal(t, e.Name(), got.Name())
			require.Equal(t, now(e.Value("link").Ref()), got.Value("link").Ref(), "%s", e)
		}
	}
}

// TestPeersRegenerate has two machines make the set of a disposable range anew: one set
// remains, on both the same.
func TestPeersRegenerate(t *testing.T) {
	s := newScene(t)
	for id := entity.ID(200); id < 240; id++ {
		s.all(id, 0)
		s.ours.Delete(id)
		s.theirs.Delete(id)
	}
	for i := entity.ID(0); i < 30; i++ {
		s.put(s.ours, 205+i, named("Ann's"))
		s.put(s.theirs, 220+i, named("Bob's"))
	}
	r := merged(t, s.base, s.ours, s.theirs, Options{Ranges: ranges, Peers: true})
	require.Empty(t, kinds(r))
	require.Empty(t, r.Renumbered)
	require.Equal(t, 30, r.Len())
	names := make(map[string]int)
	for e := range r.All() {
		names[e.Name()]++
	}
	require.Len(t, names, 1)
	requireSame(t, r.World(s.base.ID), merged(t, s.base, s.theirs, s.ours, Options{Ranges: ranges, Peers: true}))
}

// TestOneOfTwoMergesIsOne merges what one side made into a merge of it in which what it
// refers to has got another ID.
func TestOneOfTwoMergesIsOne(t *testing.T) {
	for _, name := range []string{"a", "b", "c", "d"} {
		s := newScene(t)
		s.put(s.ours, 20, named("mine"))
		s.put(s.ours, 23, to("link", 20))
		s.put(s.ours, 24, to("link", 23))
		s.put(s.theirs, 20, named(name))
		o := Options{Peers: true}
		two := s.merge(o).World(s.base.ID)
		require.Equal(t, s.base.Len()+4, two.Len())
		requireSame(t, two, merged(t, s.base, two, s.ours, o))
		requireSame(t, two, merged(t, s.base, s.ours, two, o))
	}
}
