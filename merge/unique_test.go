package merge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

func unique(name string) *entity.Field {
	f := field(name, scalar(entity.KindU32))
	f.Unique = true
	return f
}

func serials(t *testing.T, r *Result) map[entity.ID]uint64 {
	out := make(map[entity.ID]uint64)
	for e := range r.All() {
		out[e.ID] = e.Value("serial").Uint()
	}
	return out
}

func TestUniqueValuesThatBecomeEqual(t *testing.T) {
	typ := lamp(1, unique("serial"))
	with := func(numbers ...uint64) *entity.World {
		var all []map[string]entity.Value
		for _, n := range numbers {
			all = append(all, values{"serial": u32(n)})
		}
		return worldOf(typ, 1, all...)
	}
	for _, c := range []struct {
		name               string
		base, ours, theirs *entity.World
		policy             Policy
		conflicts          []string
		left               int
		want               map[entity.ID]uint64
	}{
		{"both changed one", with(1, 2), with(9, 2), with(1, 9), Leave, []string{"unique 2"}, 1, map[entity.ID]uint64{1: 9, 2: 2}},
		{"theirs stands", with(1, 2), with(9, 2), with(1, 9), Shared, []string{"unique 1"}, 0, map[entity.ID]uint64{1: 1, 2: 9}},
		{"a value passed on", with(1, 2, 3), with(9, 2, 3), with(2, 9, 3), Leave, []string{"property 1", "unique 2"}, 2, map[entity.ID]uint64{1: 9, 2: 2, 3: 3}},
		{"one made, one changed", with(1), with(9), with(1, 9), Leave, []string{"unique 2"}, 1, map[entity.ID]uint64{1: 9, 2: 9}},
		{"one side swapped them", with(1, 2), with(2, 1), with(1, 2), Leave, nil, 0, map[entity.ID]uint64{1: 2, 2: 1}},
		{"one side's own", with(1, 2), with(9, 9), with(1, 2), Leave, nil, 0, map[entity.ID]uint64{1: 9, 2: 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := merged(t, c.base, c.ours, c.theirs, Options{Policy: c.policy})
			require.Equal(t, c.conflicts, kinds(r))
			require.Equal(t, c.left, r.Counts.Left)
			require.Equal(t, c.want, serials(t, r))
			for _, conflict := range r.Conflicts {
				require.Contains(t, conflict.String(), "serial")
			}
		})
	}
	// Both made one.
	ours, theirs := with(1), with(1)
	for id, w := range map[entity.ID]*entity.World{5: ours, 6: theirs} {
		e := entity.New(id, typ.Current())
		e.Values[0] = u32(9)
		w.Put(e)
	}
	for _, policy := range []Policy{Leave, Shared, Mine} {
		r := merged(t, with(1), ours, theirs, Options{Policy: policy})
		require.Equal(t, 1, r.Counts.Left, "no value is there to go back to")
		require.Len(t, r.Marked(), 1)
		require.Equal(t, 3, r.Len())
	}
}

// TestUniqueValuesThatBecomeEqualToADeletedOnes has ours delete an entity and theirs edit it, so that it is
// there all the same, while a value of it is given to another.
func TestUniqueValuesThatBecomeEqualToADeletedOnes(t *testing.T) {
	typ := lamp(1, unique("serial"), field("power", scalar(entity.KindU32)))
	world := func(serials map[entity.ID]uint64) *entity.World {
		w := entity.NewWorld(entity.GUID{}, entity.NewTypes(typ))
		for id, n := range serials {
			e := entity.New(id, typ.Current())
			e.Values[0] = u32(n)
			w.Put(e)
		}
		return w
	}
	brighter := func(w *entity.World, id entity.ID) *entity.World {
		e, _ := w.Get(id)
		e = e.Clone()
		e.Values[1] = u32(7)
		w.Put(e)
		return w
	}
	type is = map[entity.ID]uint64
	for _, c := range []struct {
		name               string
		base, ours, theirs *entity.World
		conflicts          []string
		want, swapped      is
	}{
		{"its neighbour gets the value that it gets", world(is{1: 1, 2: 2}), world(is{2: 9}), world(is{1: 9, 2: 2}),
			[]string{"deleted 1", "unique 1"}, is{1: 1, 2: 9}, is{1: 9, 2: 2}},
		{"a lower one does", world(is{1: 1, 2: 2}), world(is{1: 9}), world(is{1: 1, 2: 9}),
			[]string{"deleted 2", "unique 2"}, is{1: 9, 2: 2}, is{1: 1, 2: 9}},
		{"one that is made does", world(is{1: 1}), world(is{2: 9}), world(is{1: 9}),
			[]string{"deleted 1", "unique 1"}, is{1: 1, 2: 9}, is{1: 9, 2: 9}}, // theirs made one, and there is no other value for it
		{"its neighbour gets the value that it has", world(is{1: 1, 2: 2}), world(is{2: 1}), brighter(world(is{1: 1, 2: 2}), 1),
			[]string{"deleted 1", "unique 2"}, is{1: 1, 2: 2}, is{1: 1, 2: 2}},
		{"a lower one gets that", world(is{1: 1, 2: 2}), world(is{1: 2}), brighter(world(is{1: 1, 2: 2}), 2),
			[]string{"deleted 2", "unique 1"}, is{1: 1, 2: 2}, is{1: 1, 2: 2}},
		{"its neighbours get both", world(is{1: 1, 2: 2, 3: 3}), world(is{2: 9, 3: 1}), world(is{1: 9, 2: 2, 3: 3}),
			[]string{"deleted 1", "unique 1", "unique 3"}, is{1: 1, 2: 9, 3: 3}, is{1: 9, 2: 2, 3: 1}},
		{"both delete one, and the other's gets its value", world(is{1: 1, 2: 2}), world(is{2: 1}), world(is{1: 2}),
			[]string{"deleted 1", "deleted 2"}, is{1: 2, 2: 1}, is{1: 2, 2: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := merged(t, c.base, c.ours, c.theirs, Options{})
			require.ElementsMatch(t, c.conflicts, kinds(r))
			require.Equal(t, c.want, serials(t, r))
			require.Empty(t, entity.Check(r))
			require.Equal(t, len(c.conflicts), r.Counts.Left)

			s := merged(t, c.base, c.theirs, c.ours, Options{})
			require.Equal(t, c.swapped, serials(t, s))
			require.Contains(t, kinds(s), c.conflicts[0])
			require.Equal(t, len(s.Conflicts), s.Counts.Left)
		})
	}
	// Its deletion is undone, and with it nothing else.
	chosen := Options{Choose: func(id entity.ID, _, field string) Party {
		if id == 1 && field == "" {
			return Theirs
		}
		return Neither
	}}
	for policy, want := range map[Policy]is{Leave: {1: 1, 2: 9}, Shared: {1: 9, 2: 2}, Mine: {1: 1, 2: 9}} {
		chosen.Policy = policy
		r := merged(t, world(is{1: 1, 2: 2}), world(is{2: 9}), world(is{1: 9, 2: 2}), chosen)
		require.Equal(t, want, serials(t, r), "%s", policy)
		require.Empty(t, entity.Check(r))
	}
}

// TestUniqueValuesThatAPersonChose has a person choose the side that does not stand for one
// of two entities: what was in force gives way to that.
func TestUniqueValuesThatAPersonChose(t *testing.T) {
	typ := lamp(1, unique("serial"))
	value := func(n uint64) values { return values{"serial": u32(n)} }
	base, ours, theirs := worldOf(typ, 1, value(1), value(2)), worldOf(typ, 1, value(9), value(2)), worldOf(typ, 1, value(1), value(9))
	type is = map[entity.ID]uint64
	for _, c := range []struct {
		chosen    map[entity.ID]Party
		conflicts []string
		left      int
		want      is
	}{
		{map[entity.ID]Party{2: Ours}, []string{"unique 2"}, 0, is{1: 9, 2: 2}},
		{map[entity.ID]Party{2: Theirs}, []string{"unique 1"}, 1, is{1: 1, 2: 9}},
		{map[entity.ID]Party{1: Theirs, 2: Theirs}, []string{"unique 1"}, 0, is{1: 1, 2: 9}},
		{map[entity.ID]Party{1: Ours, 2: Theirs}, nil, 0, is{1: 9, 2: 9}}, // as that person wants it: check says so
	} {
		choose := func(id entity.ID, _, _ string) Party { return c.chosen[id] }
		r := merged(t, base, ours, theirs, Options{Choose: choose})
		require.Equal(t, c.conflicts, kinds(r))
		require.Equal(t, c.left, r.Counts.Left)
		require.Equal(t, c.want, serials(t, r))
	}

	// The base's value is chosen for one, which the other got here.
	both := worldOf(typ, 1, value(2), value(2))
	r := merged(t, base, both, worldOf(typ, 1, value(1), value(2)), Options{Amended: map[Amendment]bool{{ID: 2, Field: "serial"}: true}})
	require.Equal(t, []string{"unique 1"}, kinds(r))
	require.Equal(t, is{1: 1, 2: 2}, serials(t, r))

	// What ours has deleted is to be as theirs has it.
	gone := worldOf(typ, 1, value(1), value(9))
	gone.Delete(1)
	r = merged(t, base, gone, worldOf(typ, 1, value(9), value(2)), Options{Choose: func(id entity.ID, _, _ string) Party {
		return map[entity.ID]Party{1: Theirs}[id]
	}})
	require.Equal(t, []string{"deleted 1", "unique 2"}, kinds(r))
	require.Equal(t, is{1: 9, 2: 2}, serials(t, r))
}

// TestBothDeleteInADisposableRange has both sides make the same change: the deletion
// that counts for nothing brings the entity back to no child of it.
func TestBothDeleteInADisposableRange(t *testing.T) {
	s := newScene(t)
	s.all(12, 0)
	s.all(3, 0)
	for _, w := range []*entity.World{s.ours, s.theirs} {
		s.put(w, 3, to("parent", 12))
		w.Delete(12)
	}
	for _, shared := range []Party{Ours, Theirs} {
		r := s.merge(Options{Ranges: testRanges, Shared: shared})
		requireSame(t, s.ours, r)
		require.Empty(t, r.Conflicts)
		require.Empty(t, r.Repairs)
	}
}

// TestUniqueAgainstWhatComesBack has ours take a value away from one entity of a
// disposable range and declare that no two may have it; with theirs the entity is back.
func TestUniqueAgainstWhatComesBack(t *testing.T) {
	base := worldOf(lamp(1, field("serial", scalar(entity.KindU32))), 1)
	ours := worldOf(lamp(1, unique("serial")), 1)
	theirs := worldOf(base.Types.Get("Lamp"), 1)
	for w, ids := range map[*entity.World][]entity.ID{base: {1, 11, 12}, ours: {1, 12}, theirs: {1, 11, 13}} {
		for _, id := range ids {
			e := entity.New(id, w.Types.Get("Lamp").Current())
			e.Values[0] = u32(map[entity.ID]uint64{1: 5, 11: 5, 12: 6, 13: 7}[id])
			w.Put(e)
		}
	}
	r := merged(t, base, ours, theirs, Options{Ranges: testRanges})
	require.Equal(t, []string{"unique 11"}, kinds(r))
	require.Equal(t, 1, r.Counts.Left)
}

// TestBecomesUnique has one side make two values equal, and the other declare
// that no two may be.
func TestBecomesUnique(t *testing.T) {
	plain, now := lamp(1, field("serial", scalar(entity.KindU32))), lamp(1, unique("serial"))
	base := worldOf(plain, 1, values{"serial": u32(1)}, values{"serial": u32(2)})
	ours := worldOf(plain, 1, values{"serial": u32(2)}, values{"serial": u32(2)})
	theirs := worldOf(now, 1, values{"serial": u32(1)}, values{"serial": u32(2)})
	r := merged(t, base, ours, theirs, Options{})
	require.Equal(t, []string{"unique 1"}, kinds(r))
	require.Equal(t, 1, r.Counts.Left)
	require.Equal(t, map[entity.ID]uint64{1: 2, 2: 2}, serials(t, r), "ours has no other value to go back to")
	require.Equal(t, Ours, r.Conflicts[0].Stands)
	r = merged(t, base, theirs, ours, Options{})
	require.Equal(t, map[entity.ID]uint64{1: 1, 2: 2}, serials(t, r))
	require.Equal(t, Ours, r.Conflicts[0].Stands)
	r = merged(t, base, ours, theirs, Options{Policy: Shared})
	require.Equal(t, map[entity.ID]uint64{1: 1, 2: 2}, serials(t, r))
}

// TestUniqueAcrossARenaming has the other side rename the field: the one conflict says what each
// side has of it, under whichever name, and a policy decides it.
func TestUniqueAcrossARenaming(t *testing.T) {
	was, next := unique("serial"), unique("number")
	before := lamp(1, was)
	ends := *was
	ends.Until, ends.Successor, next.Since = 2, "number", 2
	base := worldOf(before, 1, values{"serial": u32(1)}, values{"serial": u32(2)})
	ours := worldOf(before, 1, values{"serial": u32(9)}, values{"serial": u32(2)})
	theirs := worldOf(lamp(2, &ends, next), 2, values{"number": u32(1)}, values{"number": u32(9)})
	r := merged(t, base, ours, theirs, Options{})
	require.Equal(t, []string{"unique 2"}, kinds(r))
	c := r.Conflicts[0]
	require.Equal(t, []string{"2", "2", "9"}, []string{c.Base.String(), c.Ours.String(), c.Theirs.String()})
	require.Zero(t, merged(t, base, ours, theirs, Options{Policy: Mine}).Counts.Left)
}

// Before an entity is upgraded its value is that of another field: a side in which one has it
// under the former name and one under the new name has not made them equal.
func TestUniqueUnderBothNames(t *testing.T) {
	was, next := unique("serial"), unique("number")
	ends := *was
	ends.Until, ends.Successor, next.Since = 2, "number", 2
	now := lamp(2, &ends, next)
	base := worldOf(now, 1, values{"serial": u32(1)}, values{"serial": u32(2)})
	upgraded := worldOf(now, 2, values{"number": u32(1)}, values{"number": u32(1)})
	side := func(id entity.ID) *entity.World {
		w := worldOf(now, 1, values{"serial": u32(1)}, values{"serial": u32(2)})
		e, _ := upgraded.Get(id)
		w.Put(e)
		return w
	}
	for _, sides := range [][2]entity.ID{{1, 2}, {2, 1}} {
		r := merged(t, base, side(sides[0]), side(sides[1]), Options{})
		require.Equal(t, []string{"unique 2"}, kinds(r))
	}
}
