package merge

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
)

// mountedType has a place, and perhaps one relative to another entity.
func mountedType() *entity.Type {
	vec, quat := entity.Shape{Kind: entity.KindVec3}, entity.Shape{Kind: entity.KindQuat}
	return &entity.Type{Name: "Part", Revision: 1,
		Mount: &entity.Mount{Parent: "on", Offset: []string{"offset", "turn"}, Pose: []string{"position", "rotation"}},
		Fields: []*entity.Field{
			{Name: "on", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
			{Name: "offset", Shape: vec}, {Name: "turn", Shape: quat},
			{Name: "position", Shape: vec}, {Name: "rotation", Shape: quat},
			{Name: "label", Shape: entity.Shape{Kind: entity.KindString}},
		},
	}
}

// mounting is a world that an author edits as programs of worldfs have it be edited.
type mounting struct {
	*entity.World
	typ *entity.Type
}

func newMounting() mounting {
	typ := mountedType()
	return mounting{entity.NewWorld(entity.GUID{1}, entity.NewTypes(typ)), typ}
}

func (w mounting) clone() mounting {
	n := mounting{entity.NewWorld(w.ID, w.Types), w.typ}
	for e := range w.All() {
		n.Put(e)
	}
	return n
}

// put puts an entity on another, 0 for none, where that carries it.
func (w mounting) put(id, on entity.ID, at ...float32) {
	e := entity.New(id, w.typ.Layout(1))
	e.Values[0] = entity.NewRef(on)
	e.Values[2], e.Values[4] = entity.VecOf(entity.KindQuat, 0, 0, 0, 1), entity.VecOf(entity.KindQuat, 0, 0, 0, 1)
	e.Values[3] = entity.VecOf(entity.KindVec3, at...)
	if on != 0 {
		e.Values[1], e.Values[3] = e.Values[3], e.Values[1]
		parent, _ := w.Get(on)
		p, _ := entity.Carried(e, parent)
		e = p.Put(e)
	}
	w.Put(e)
}

// edit makes changes, nil of an entity that goes, with what comes along.
func (w mounting) edit(changes map[entity.ID]*entity.Entity) {
	along := follow.Of(w.clone(), changes, nil)
	for _, set := range []map[entity.ID]*entity.Entity{changes, along.Carried, along.Restored} {
		for id, e := range set {
			if e == nil {
				w.Delete(id)
			} else {
				w.Put(e)
			}
		}
	}
}

// set changes one value of an entity.
func (w mounting) set(id entity.ID, field string, v entity.Value) {
	e, _ := w.Get(id)
	e = e.Clone()
	e.Values[e.Layout.Index(field)] = v
	w.edit(map[entity.ID]*entity.Entity{id: e})
}

func place3(x, y, z float32) entity.Value { return entity.VecOf(entity.KindVec3, x, y, z) }

// shownField is a field as conflicts show it.
func shownField(e *entity.Entity, field string) string {
	f := e.Layout.Fields[e.Layout.Index(field)]
	return version(&f.Shape, e.Value(field)).String()
}

// requireCarried requires that all that is mounted stands where it is carried.
func requireCarried(t require.TestingT, s entity.Source) {
	for e := range s.All() {
		on, there := s.Get(e.MountParent())
		if !there {
			continue
		}
		p, ok := entity.Carried(e, on)
		require.True(t, ok)
		is, _ := p.Has(e)
		require.True(t, is, "%s is at %s, and %s carries it elsewhere", e, shownField(e, "position"), on)
	}
}

func TestPosesOfWhatIsMountedAreDerived(t *testing.T) {
	base := newMounting()
	base.put(1, 0, 10, 0, 0)
	base.put(2, 1, 1, 0, 0)
	base.put(3, 2, 0, 1, 0)
	quarter := entity.VecOf(entity.KindQuat, 0, 0, 0.70710677, 0.70710677)
	cases := map[string]struct {
		ours, theirs func(w mounting)
		at           entity.Value // of 3
		conflicts    []string     // the fields
		policy       Policy
	}{
		"one moved the parent, the other the child": {
			ours:   func(w mounting) { w.set(1, "position", place3(20, 0, 0)) },
			theirs: func(w mounting) { w.set(2, "offset", place3(2, 0, 0)) },
			at:     place3(22, 1, 0),
		},
		"one moved the parent, the other turned it": {
			ours:   func(w mounting) { w.set(1, "position", place3(20, 0, 0)) },
			theirs: func(w mounting) { w.set(1, "rotation", quarter) },
			at:     place3(19, 1, 0),
		},
		"both moved the parent": {
			ours:   func(w mounting) { w.set(1, "position", place3(20, 0, 0)) },
			theirs: func(w mounting) { w.set(1, "position", place3(30, 0, 0)) },
			at:     place3(21, 1, 0), conflicts: []string{"1 position"},
		},
		"both moved the parent, and a policy decides": {
			ours:   func(w mounting) { w.set(1, "position", place3(20, 0, 0)) },
			theirs: func(w mounting) { w.set(1, "position", place3(30, 0, 0)) },
			at:     place3(31, 1, 0), conflicts: []string{"1 position"}, policy: Shared,
		},
		"both moved the child": {
			ours:   func(w mounting) { w.set(2, "offset", place3(2, 0, 0)) },
			theirs: func(w mounting) { w.set(2, "offset", place3(3, 0, 0)) },
			at:     place3(12, 1, 0), conflicts: []string{"2 offset"},
		},
		"one moved the parent, the other deleted the child in between": {
			ours: func(w mounting) { w.set(1, "position", place3(20, 0, 0)) },
			theirs: func(w mounting) {
				w.set(3, "on", entity.NewRef(1))
				w.edit(map[entity.ID]*entity.Entity{2: nil})
			},
			at: place3(20, 1, 0),
		},
		"one moved the parent, the other took the child down and moved it": {
			ours: func(w mounting) { w.set(1, "position", place3(20, 0, 0)) },
			theirs: func(w mounting) {
				w.set(3, "on", entity.NewRef(0))
				w.set(3, "position", place3(5, 5, 5))
			},
			at: place3(5, 5, 5),
		},
		"one moved the parent, the other mounted something on it": {
			ours: func(w mounting) { w.set(1, "position", place3(20, 0, 0)) },
			theirs: func(w mounting) {
				w.edit(map[entity.ID]*entity.Entity{3: nil})
				w.put(4, 1, 0, 0, 5)
			},
		},
	}
	for name, c := range cases {
		for _, swapped := range []bool{false, true} {
			if swapped && c.policy == Leave && len(c.conflicts) > 0 {
				continue // ours stands
			}
			t.Run(fmt.Sprint(name, swapped), func(t *testing.T) {
				ours, theirs, o := base.clone(), base.clone(), Options{Policy: c.policy}
				c.ours(ours)
				c.theirs(theirs)
				if swapped {
					ours, theirs, o.Shared = theirs, ours, Ours
				}
				r, err := Worlds(Of(base.World), Of(ours.World), Of(theirs.World), o)
				require.NoError(t, err)
				var conflicts []string
				for _, c := range r.Conflicts {
					conflicts = append(conflicts, fmt.Sprint(c.ID, " ", c.Field))
				}
				require.Equal(t, c.conflicts, conflicts)
				requireCarried(t, r)
				if !c.at.IsNull() {
					e, _ := r.Get(3)
					require.Equal(t, c.at, e.Value("position"))
				}
			})
		}
	}
}

// A side's edit of a pose alone, by a tool that knows nothing of mounts, goes where the other
// side has the entity come along, and that is told.
func TestAPoseThatGoesInAMergeIsTold(t *testing.T) {
	base := newMounting()
	base.put(1, 0, 10, 0, 0)
	base.put(2, 1, 1, 0, 0)
	base.put(3, 2, 0, 1, 0)
	moved, placed := base.clone(), base.clone()
	moved.set(1, "position", place3(20, 0, 0))
	e, _ := placed.Get(2)
	e = e.Clone()
	e.Values[3] = place3(7, 7, 7)
	placed.Put(e)
	for _, sides := range [][2]mounting{{moved, placed}, {placed, moved}} {
		r, err := Worlds(Of(base.World), Of(sides[0].World), Of(sides[1].World), Options{})
		require.NoError(t, err)
		require.Empty(t, r.Conflicts)
		requireCarried(t, r)
		require.Len(t, r.Repairs, 1)
		require.Equal(t, Carried, r.Repairs[0].Kind)
		require.Equal(t, "Part 2, position: it is mounted, and the other side had it come along: what was given has no effect ([7,7,7] became [21,0,0])", r.Repairs[0].String())
	}
	r, err := Worlds(Of(base.World), Of(base.World), Of(placed.World), Options{})
	require.NoError(t, err)
	require.Empty(t, r.Repairs)
	require.Empty(t, entity.Diff(placed.World, r), "where the other side changed nothing, it is as the one has it")

	both := moved.clone() // the author moved the parent, and placed the child
	both.Put(e)
	r, err = Worlds(Of(base.World), Of(base.World), Of(both.World), Options{})
	require.NoError(t, err)
	require.Empty(t, entity.Diff(both.World, r))
}

// What a merge looks at of a parent with thousands of children is each of these, once.
func TestAMergeWithAParentOfThousands(t *testing.T) {
	const n = 3000
	base := newMounting()
	base.put(1, 0, 10, 0, 0)
	for id := range entity.ID(n) {
		base.put(id+2, 1, float32(id), 0, 0)
	}
	ours, theirs := base.clone(), base.clone()
	ours.set(1, "position", place3(20, 0, 0))
	theirs.set(2, "offset", place3(-1, 0, 0))
	theirs.set(1, "rotation", entity.VecOf(entity.KindQuat, 0, 0, 1, 0))
	c := &lookups{World: ours.World}
	r, err := Worlds(Of(base.World), Side{Types: ours.Types, Entities: c}, Of(theirs.World), Options{})
	require.NoError(t, err)
	requireCarried(t, r)
	require.Len(t, r.changed, n+1)
	require.Empty(t, r.Repairs)
	require.LessOrEqual(t, c.got, 20*n, "not the square of the children")
}

// lookups counts what is looked up in a world.
type lookups struct {
	*entity.World
	got int
}

func (l *lookups) Get(id entity.ID) (*entity.Entity, bool) {
	l.got++
	return l.World.Get(id)
}

// Two authors, each of whom moves, mounts and deletes as worldfs has it be done, never conflict
// in a pose, and what comes of both stands where it is carried.
func TestMergedPosesAreCarried(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := newMounting()
		coordinate := rapid.SampledFrom([]float32{-7, 0, 0.25, 3, 1000})
		place := func() entity.Value {
			return place3(coordinate.Draw(t, "x"), coordinate.Draw(t, "y"), coordinate.Draw(t, "z"))
		}
		n := rapid.Uint32Range(2, 8).Draw(t, "entities")
		for id := range entity.ID(n) {
			base.put(id+1, entity.ID(rapid.Uint32Range(0, uint32(id)).Draw(t, "on")), 1, 2, 3)
		}
		author := func() mounting {
			w := base.clone()
			for range rapid.IntRange(0, 6).Draw(t, "edits") {
				id := rapid.SampledFrom(slices.Sorted(slices.Values(w.IDs()))).Draw(t, "which")
				switch rapid.IntRange(0, 4).Draw(t, "edit") {
				case 0:
					if e, _ := w.Get(id); e.MountParent() == 0 {
						w.set(id, "position", place())
					}
				case 1:
					w.set(id, "offset", place())
				case 2:
					w.set(id, "turn", entity.VecOf(entity.KindQuat, coordinate.Draw(t, "i"), 0, 1, 1))
				case 3: // no circles, not even together
					w.set(id, "on", entity.NewRef(entity.ID(rapid.Uint32Range(0, uint32(id)-1).Draw(t, "on"))))
				case 4:
					w.set(id, "label", entity.NewString(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "label")))
				}
			}
			return w
		}
		ours, theirs := author(), author()
		requireCarried(t, ours)
		requireCarried(t, theirs)
		for _, o := range []Options{{}, {Policy: Shared}, {Policy: Mine}} {
			r, err := Worlds(Of(base.World), Of(ours.World), Of(theirs.World), o)
			require.NoError(t, err)
			for _, c := range r.Conflicts {
				if c.Field == "position" || c.Field == "rotation" {
					its, _ := ours.Get(c.ID)
					other, _ := theirs.Get(c.ID)
					require.Zero(t, its.MountParent()+other.MountParent(), c)
				}
			}
			requireCarried(t, r)
			swapped := o
			swapped.Shared = Ours
			s, err := Worlds(Of(base.World), Of(theirs.World), Of(ours.World), swapped)
			require.NoError(t, err)
			if o.Policy != Leave || r.Counts.Left == 0 {
				require.Empty(t, entity.Diff(r, s))
			}
			one, err := Worlds(Of(base.World), Of(ours.World), Of(base.World), o)
			require.NoError(t, err)
			require.Empty(t, entity.Diff(ours.World, one))
			again, err := Worlds(Of(base.World), Side{Types: r.Types, Entities: r}, Side{Types: r.Types, Entities: r}, o)
			require.NoError(t, err)
			require.Empty(t, entity.Diff(r, again))
		}
	})
}
