package merge

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

// yielding returns the scene's types with what yields set.
func yielding(set func(node *entity.Type, field func(name string) *entity.Field)) *entity.Types {
	types := sceneTypes()
	node := types.Get("Node")
	set(node, func(name string) *entity.Field { return node.Current().Fields[node.Current().Index(name)] })
	return types
}

func typeYields(node *entity.Type, _ func(string) *entity.Field) { node.Yields = true }

func says(field string, yields bool) func(*entity.Type, func(string) *entity.Field) {
	return func(node *entity.Type, f func(string) *entity.Field) {
		node.Yields = !yields
		f(field).Yields = &yields
	}
}

func newYieldingScene(t *testing.T, n entity.ID, types *entity.Types) *scene {
	w := func() *entity.World { return entity.NewWorld(entity.GUID{}, types) }
	s := &scene{t, types, w(), w(), w()}
	for id := entity.ID(1); id <= n; id++ {
		s.all(id, 0)
	}
	return s
}

func at(x float32) map[string]entity.Value {
	return map[string]entity.Value{"position": entity.VecOf(entity.KindVec3, x)}
}

// recompute is a program's bulk change of the entities of a side.
func (s *scene) recompute(side *entity.World, n entity.ID) {
	for id := entity.ID(1); id <= n; id++ {
		s.put(side, id, at(1000))
	}
}

// swapped is the scene with the sides called the other way around.
func (s *scene) swapped() *scene { return &scene{s.t, s.types, s.base, s.theirs, s.ours} }

// bothWays merges with either side as ours, and requires the same world.
func (s *scene) bothWays(o Options) *Result {
	r := s.merge(o)
	swap := s.swapped().merge(o)
	if r.Counts.Left == 0 {
		requireSame(s.t, r.World(s.base.ID), swap)
	}
	require.Equal(s.t, r.Counts.Left, swap.Counts.Left)
	require.Equal(s.t, r.Counts.Decided, swap.Counts.Decided)
	return r
}

// TestTerrainStory has a terrain recompute of 3,000 entities meet 12 that were moved by
// hand, of which one has a new name from the program's side, too.
func TestTerrainStory(t *testing.T) {
	for name, set := range map[string]func(*entity.Type, func(string) *entity.Field){"type": typeYields, "field": says("position", true)} {
		t.Run(name, func(t *testing.T) {
			s := newYieldingScene(t, 4000, yielding(set))
			s.recompute(s.theirs, 3000)
			for id := entity.ID(11); id <= 132; id += 11 {
				s.put(s.ours, id, at(float32(id)))
			}
			s.put(s.theirs, 11, named("by the program"))
			for _, policy := range []Policy{Leave, Shared, Mine} {
				r := s.bothWays(Options{Policy: policy})
				require.Zero(t, r.Counts.Left)
				require.Len(t, r.Conflicts, 12, "what gave way is listed")
				require.Contains(t, r.Conflicts[0].String(), "yours stands since it yields and the other side's is a program's bulk change")
				for id := entity.ID(1); id <= 3000; id++ {
					want := at(1000)["position"]
					if id%11 == 0 && id <= 132 {
						want = at(float32(id))["position"]
					}
					e, _ := r.Get(id)
					require.Equal(t, want, e.Value("position"), "%d", id)
				}
				requireName(t, r, 11, "by the program")
			}
		})
	}
}

func TestWhatYieldsIsDeleted(t *testing.T) {
	s := newYieldingScene(t, 100, yielding(typeYields))
	for id := entity.ID(1); id <= 60; id++ {
		s.theirs.Delete(id)
	}
	s.put(s.ours, 7, named("by hand"))
	s.put(s.ours, 200, to("parent", 8))
	s.recompute(s.theirs, 0)
	r := s.bothWays(Options{})
	require.Zero(t, r.Counts.Left)
	requireName(t, r, 7, "by hand")
	require.Equal(t, entity.ID(8), parentOf(t, r, 200), "what something made by hand follows stays")
	require.Equal(t, 43, r.Len())

	s = newYieldingScene(t, 100, yielding(typeYields))
	s.recompute(s.theirs, 60)
	s.ours.Delete(7)
	r = s.bothWays(Options{})
	require.Zero(t, r.Counts.Left)
	_, stays := r.Get(7)
	require.False(t, stays)
}

func TestWhereNothingGivesWay(t *testing.T) {
	draw := func(set func(*entity.Type, func(string) *entity.Field), ours, theirs entity.ID) *scene {
		s := newYieldingScene(t, 100, yielding(set))
		s.recompute(s.theirs, theirs)
		for id := entity.ID(1); id <= ours; id++ {
			s.put(s.ours, id, at(5))
		}
		return s
	}
	left := func(s *scene, o Options) int { return s.bothWays(o).Counts.Left }
	for what, c := range map[string]struct {
		s    *scene
		o    Options
		left int
	}{
		"one is bulk":                  {draw(typeYields, 1, 60), Options{}, 0},
		"both are bulk":                {draw(typeYields, 40, 60), Options{}, 40},
		"neither is":                   {draw(typeYields, 3, 20), Options{}, 3},
		"another share":                {draw(typeYields, 3, 20), Options{Bulk: 0.1}, 0},
		"few entities":                 {draw(typeYields, 1, 9), Options{Bulk: 0.01}, 1},
		"nothing yields":               {draw(func(*entity.Type, func(string) *entity.Field) {}, 1, 60), Options{}, 1},
		"the field does not yield":     {draw(says("position", false), 1, 60), Options{}, 1},
		"another field says it yields": {draw(says("name", true), 1, 60), Options{}, 1},
	} {
		require.Equal(t, c.left, left(c.s, c.o), what)
	}
	s := draw(typeYields, 1, 3)
	require.Zero(t, s.merge(Options{Program: Theirs}).Counts.Left, "its side is known to be a program's")
	require.Equal(t, 1, draw(typeYields, 1, 60).merge(Options{Program: Ours}).Counts.Left, "both are programs'")
}

func TestWhatComesBeforeYielding(t *testing.T) {
	s := newYieldingScene(t, 100, yielding(typeYields))
	s.recompute(s.theirs, 60)
	s.put(s.ours, 1, at(5))
	s.put(s.ours, 2, at(5))
	position := func(o Options, id entity.ID) entity.Value { e, _ := s.merge(o).Get(id); return e.Value("position") }
	rule := Options{Rules: func(_, field string) (Policy, bool) { return Shared, field == "position" }}
	require.Equal(t, at(1000)["position"], position(rule, 1))
	chosen := Options{Choose: func(id entity.ID, _, _ string) Party {
		if id == 1 {
			return Theirs
		}
		return Neither
	}}
	require.Equal(t, at(1000)["position"], position(chosen, 1))
	require.Equal(t, at(5)["position"], position(chosen, 2))
}

// TestYieldsIsMergedWithTheDeclaration has one side say that a type yields, and the other
// that a field of it does not.
func TestYieldsIsMergedWithTheDeclaration(t *testing.T) {
	s := newYieldingScene(t, 100, sceneTypes())
	s.recompute(s.theirs, 60)
	for _, id := range []entity.ID{1, 2} {
		s.put(s.ours, id, at(5))
		s.put(s.ours, id, named("by hand"))
		s.put(s.theirs, id, named("by the program"))
	}
	s.ours.Types = yielding(typeYields)
	s.theirs.Types = yielding(func(_ *entity.Type, field func(string) *entity.Field) { field("name").Yields = new(bool) })
	r := s.bothWays(Options{})
	require.True(t, r.Types.Get("Node").Yields)
	require.Equal(t, 2, r.Counts.Left, "the names")
	require.Equal(t, 2, r.Counts.Decided, "the positions")
}

// TestRegeneratedClusters has a program make the set of a disposable range anew, of which
// one was moved by hand, and then two people do so.
func TestRegeneratedClusters(t *testing.T) {
	types := yielding(typeYields)
	w := func() *entity.World { return entity.NewWorld(entity.GUID{}, types) }
	s := &scene{t, types, w(), w(), w()}
	for id := entity.ID(200); id < 240; id++ {
		s.all(id, 0)
	}
	regenerate := func(side *entity.World, from entity.ID, name string) {
		for id := entity.ID(200); id < 240; id++ {
			side.Delete(id)
		}
		for id := from; id < from+30; id++ {
			s.put(side, id, named(name))
		}
	}
	regenerate(s.theirs, 250, "anew")
	s.put(s.ours, 203, at(7))
	r := s.bothWays(Options{Ranges: Ranges{List: ranges.List}})
	require.Zero(t, r.Counts.Left)
	require.Len(t, r.Conflicts, 1)
	require.Equal(t, 31, r.Len())
	e, ok := r.Get(203)
	require.True(t, ok, "what was done by hand stays")
	require.Equal(t, at(7)["position"], e.Value("position"))

	s.put(s.ours, 203, at(0))
	regenerate(s.ours, 251, "by Ann")
	r = s.bothWays(Options{Ranges: Ranges{List: ranges.List}, Peers: true})
	require.Empty(t, kinds(r))
	require.Equal(t, 30, r.Len(), "one set remains")
}

// TestBothDeleteAndOneAdds is silent.
func TestBothDeleteAndOneAdds(t *testing.T) {
	s := newYieldingScene(t, 3, yielding(typeYields))
	s.ours.Delete(2)
	s.theirs.Delete(2)
	s.put(s.ours, 9, named("C"))
	s.put(s.ours, 3, to("link", 9))
	r := s.bothWays(Options{})
	require.Empty(t, kinds(r))
	require.Equal(t, 3, r.Len())
	requireName(t, r, 9, "C")
}

// drawBulk has a side change all nodes of a world in a field, or take some away, besides
// what it does by hand.
func drawBulk(t *rapid.T, base *entity.World, remainder int) *entity.World {
	w := drawSide(t, base, remainder)
	field := rapid.SampledFrom([]string{"", "position", "name", "code", "links", "gone"}).Draw(t, "in bulk")
	all := entity.NewWorld(w.ID, w.Types)
	for e := range w.All() {
		i := e.Layout.Index(field)
		switch {
		case field == "gone" && e.ID%4 != 0:
			continue
		case i >= 0:
			e = e.Clone()
			f := e.Layout.Fields[i]
			e.Values[i] = drawnValue(t, f)
			settle(e)
		}
		all.Put(e)
	}
	return all
}

// TestYieldingLaws has programs and people change worlds in which something yields.
func TestYieldingLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := yielding(func(node *entity.Type, field func(string) *entity.Field) {
			node.Yields = rapid.Bool().Draw(t, "yields")
			for _, name := range []string{"position", "name", "code", "links"} {
				field(name).Yields = rapid.Ptr(rapid.Bool(), true).Draw(t, name+" yields")
			}
		})
		base := entity.NewWorld(entity.GUID{7}, types)
		for id := entity.ID(1); id <= maxTestID; id++ {
			base.Put(drawEntity(t, id, types))
		}
		a, b := drawBulk(t, base, 0), drawBulk(t, base, 1)
		o := Options{
			Policy: rapid.SampledFrom([]Policy{Leave, Shared, Mine}).Draw(t, "policy"), Peers: true,
			Program: rapid.SampledFrom([]Party{Neither, Ours, Theirs}).Draw(t, "program"),
			Bulk:    rapid.SampledFrom([]float64{0, 0.1, 0.9}).Draw(t, "bulk"),
		}
		if rapid.Bool().Draw(t, "ranges") {
			o.Ranges = testRanges
		}
		requireNothingAdded(t, base, b, o)
		r := merged(t, base, a, b, o)
		requireHeld(t, r)
		if len(o.Ranges.List) == 0 { // of a disposable range one set stands
			requireKept(t, base, a, b, r)
			requireKept(t, base, b, a, r)
		}
		requireUnique(t, a, b, r)
		requireStanding(t, r)
		for _, side := range []*entity.World{a, b} { // merging again changes nothing
			requireSame(t, r.World(base.ID), merged(t, side, r.World(base.ID), side, o))
		}
		o.Program = o.Program.Other()
		requireSwapped(t, base, a, b, o, r)
	})
}
