package merge

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/entity/reference"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

func merged(t require.TestingT, base, ours, theirs *entity.World, o Options) *Result {
	r, err := Worlds(Of(base), Of(ours), Of(theirs), o)
	require.NoError(t, err)
	return r
}

// requireSame fails unless both have the same entities and declarations.
func requireSame(t require.TestingT, want *entity.World, got *Result) {
	require.Empty(t, entity.Diff(want, got))
	require.Equal(t, want.Len(), got.Len())
	require.Equal(t, want.Types.Len(), got.Types.Len())
	for _, typ := range want.Types.All() {
		require.True(t, sameType(typ, got.Types.Get(typ.Name)), typ.Name)
	}
}

func TestOneSidesChangesStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b *entity.World
		if rapid.Bool().Draw(t, "scene") {
			a = drawWorld(t)
			b = drawSide(t, a, -1)
		} else {
			a, b = entitytest.World().Draw(t, "a"), entitytest.World().Draw(t, "b")
		}
		for _, policy := range []Policy{Leave, Shared, Mine} {
			o := Options{Policy: policy}
			for _, r := range []*Result{merged(t, a, a, b, o), merged(t, a, b, a, o), merged(t, a, b, b, o)} {
				requireSame(t, b, r)
				require.Empty(t, r.Conflicts)
				require.Empty(t, r.Repairs)
				require.Empty(t, r.Renumbered)
			}
		}
	})
}

func TestSidesSwapped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawWorld(t)
		a, b := drawSide(t, base, 0), drawSide(t, base, 1)
		r := merged(t, base, a, b, Options{Policy: Shared})
		s := merged(t, base, b, a, Options{Policy: Mine})
		requireSame(t, r.World(base.ID), s)
		require.Equal(t, len(r.Conflicts), len(s.Conflicts))
		require.Equal(t, r.Repairs, s.Repairs)
		left, swapped := merged(t, base, a, b, Options{}), merged(t, base, b, a, Options{})
		require.Equal(t, len(left.Conflicts) == 0, len(swapped.Conflicts) == 0)
		if len(left.Conflicts) == 0 {
			requireSame(t, left.World(base.ID), swapped)
		}
	})
}

// TestSharedSideIsWho has double-created IDs too: which side is called ours
// makes no difference while the shared side is the same.
func TestSharedSideIsWho(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawWorld(t)
		a, b := drawSide(t, base, -1), drawSide(t, base, -1)
		for _, policy := range []Policy{Shared, Mine} {
			o := Options{Policy: policy, Shared: Theirs}
			if rapid.Bool().Draw(t, "ranges") {
				o.Ranges = testRanges
			}
			r := merged(t, base, a, b, o)
			o.Shared = Ours
			s := merged(t, base, b, a, o)
			requireSame(t, r.World(base.ID), s)
			require.Equal(t, r.Repairs, s.Repairs)
			require.Equal(t, len(r.Renumbered), len(s.Renumbered))
		}
	})
}

func TestNoDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawWorld(t)
		a, b := drawSide(t, base, 0), drawSide(t, base, 1)
		o := Options{Policy: rapid.SampledFrom([]Policy{Leave, Shared, Mine}).Draw(t, "policy")}
		r := merged(t, base, a, b, o)
		last := entity.ID(0)
		for e := range r.All() {
			require.Greater(t, e.ID, last)
			last = e.ID
			require.NoError(t, e.Validate())
			requireRefs(t, e, r, a, b)
		}
		for id := range circular(r) {
			require.True(t, circular(a)[id] || circular(b)[id], "%d follows itself", id)
		}
		requireKept(t, base, a, b, r)
		requireKept(t, base, b, a, r)
		requireUnique(t, a, b, r)
		requireNoDoubles(t, a, b, r)
		requireTruth(t, base, a, b, r)
		applied := entity.NewWorld(base.ID, a.Types)
		for e := range a.All() {
			applied.Put(e)
		}
		r.Changes().Apply(applied)
		require.Empty(t, entity.Diff(applied, r))
	})
}

// requireUnique fails if entities share a value that no two may have, neither
// side had them do so, and no conflict says so.
func requireUnique(t require.TestingT, a, b *entity.World, r *Result) {
	had := make(map[entity.ID]bool)
	for _, f := range slices.Concat(entity.Check(a), entity.Check(b)) {
		had[0] = had[0] || f.Code == entity.CodeNotUnique
	}
	for _, f := range entity.Check(r) {
		told := slices.ContainsFunc(r.Conflicts, func(c Conflict) bool { return c.Kind == NotUnique && c.Left })
		require.True(t, f.Code != entity.CodeNotUnique || had[0] || told, "%s", f)
	}
}

// requireNoDoubles fails if a ref stands in an array twice that did so on neither
// side.
func requireNoDoubles(t require.TestingT, a, b *entity.World, r *Result) {
	most := func(w entity.Source, id entity.ID) map[entity.ID]int {
		counts := make(map[entity.ID]int)
		if e, ok := w.Get(id); ok {
			for _, item := range e.Value("path").Items() {
				counts[item.Ref()]++
			}
		}
		return counts
	}
	for e := range r.All() {
		ours, theirs := most(a, e.ID), most(b, e.ID)
		for to, n := range most(r, e.ID) {
			require.True(t, to == 0 || n < 2 || ours[to] > 1 || theirs[to] > 1, "%s has %d twice", e, to)
		}
	}
}

// requireTruth fails if the report says what is not so.
func requireTruth(t require.TestingT, base, a, b *entity.World, r *Result) {
	has := func(w entity.Source, id entity.ID) bool { _, ok := w.Get(id); return ok }
	for _, o := range r.Outcomes() {
		sides := map[string]bool{"ours": has(a, o.ID), "theirs": has(b, o.ID)}
		sides["both"] = sides["ours"] && sides["theirs"]
		require.Equal(t, o.What == "deleted", !has(r, o.ID), "%s", o)
		switch o.What {
		case "deleted":
			require.False(t, sides[o.By], "%s", o)
			require.True(t, o.By == "both" || sides["ours"] || sides["theirs"], "%s", o)
		case "created":
			require.False(t, has(base, o.ID), "%s", o)
		default:
			require.True(t, has(base, o.ID), "%s", o)
		}
		require.True(t, o.DeletedBy == "" || !sides[o.DeletedBy], "%s", o)
	}
	for _, c := range r.Conflicts {
		if c.Kind == Deleted || c.Kind == DeletedAbove {
			require.Equal(t, either(c.Stands, has(a, c.ID), has(b, c.ID)), has(r, c.ID), "%s", c)
		}
	}
}

// requireRefs fails if the entity has a ref to nothing that neither side had.
func requireRefs(t require.TestingT, e *entity.Entity, r *Result, a, b *entity.World) {
	had := func(w *entity.World, field string, id entity.ID, direct bool) bool {
		holder, _ := w.Get(e.ID)
		_, there := w.Get(id)
		return !there && refersTo(holder, field, id, direct)
	}
	for i, f := range e.Layout.Fields {
		reference.Each(&f.Shape, e.Values[i], func(id entity.ID, direct bool) {
			_, there := r.Get(id)
			require.True(t, there || had(a, f.Name, id, direct) || had(b, f.Name, id, direct), "%s refers to %d", e, id)
		})
	}
}

// circular returns the entities that follow themselves.
func circular(w entity.Source) map[entity.ID]bool {
	parent := make(map[entity.ID]entity.ID)
	for e := range w.All() {
		parent[e.ID] = e.Value("parent").Ref()
	}
	out := make(map[entity.ID]bool)
	for id := range parent {
		at := parent[id]
		for range len(parent) {
			if at == id {
				out[id] = true
			}
			at = parent[at]
		}
	}
	return out
}

// requireKept fails if something is lost that only side changed and that
// nothing in the report names.
func requireKept(t require.TestingT, base, side, other *entity.World, r *Result) {
	named := func(id entity.ID) bool {
		return slices.ContainsFunc(r.Conflicts, func(c Conflict) bool { return c.ID == id }) ||
			slices.ContainsFunc(r.Repairs, func(r Repair) bool { return r.ID == id })
	}
	for b, e := range entity.Differing(base, side) {
		id := entity.ID(0)
		if b != nil {
			id = b.ID
		} else {
			id = e.ID
		}
		if named(id) {
			continue
		}
		o, inOther := other.Get(id)
		got, ok := r.Get(id)
		if e == nil || b != nil && !inOther {
			require.False(t, ok && e == nil && (!inOther || o.Same(b)), "%d is not deleted", id)
			continue
		}
		require.True(t, ok, "%d is lost", id)
		for i, f := range e.Layout.Fields {
			was := entity.Value{}
			if b != nil {
				was = b.Value(f.Name)
			}
			alone := o == nil || o.Value(f.Name).Equal(was)
			at := got.Layout.Index(f.Name)
			if alone && !e.Values[i].Equal(was) && at >= 0 && got.SavesField(at) {
				require.True(t, got.Value(f.Name).Equal(e.Values[i]), "%s, %s: %s", e, f.Name, shown(&f.Shape, e.Values[i]))
			}
		}
	}
}

func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawWorld(t)
		r := merged(t, base, drawSide(t, base, -1), drawSide(t, base, -1), Options{})
		data, err := packfile.Encode(base.ID, r.Types, r)
		require.NoError(t, err)
		pack, err := packfile.Parse(data)
		require.NoError(t, err)
		require.NoError(t, pack.Check())
		require.Empty(t, entity.Diff(r, pack))
		var lines bytes.Buffer
		require.NoError(t, interchange.Write(&lines, r.Types, r, nil))
		doc, err := interchange.Read(&lines, "merged", nil, nil)
		require.NoError(t, err)
		require.Len(t, doc.Entities, r.Len())
		for _, e := range doc.Entities {
			want, _ := r.Get(e.ID)
			require.True(t, want.Same(e), "%s", e)
			text := textcodec.Append(nil, want)
			back, err := textcodec.Decode(text, e.ID, r.Types)
			require.NoError(t, err)
			require.True(t, want.Same(back.Entity), "%s", text)
		}
	})
}
