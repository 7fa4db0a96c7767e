package changeset

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/entity/expression"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/dev/realworld"
)

func requireSameWorld(t require.TestingT, want, got entity.Source) {
	for a, b := range entity.Differing(want, got) {
		require.Fail(t, "worlds differ", "want %v\n got %v", line(a), line(b))
	}
}

func line(e *entity.Entity) string {
	if e == nil {
		return "nothing"
	}
	return string(interchange.AppendEntity(nil, e))
}

func copyOf(src entity.Source) *entity.World {
	c := entity.NewWorld(entity.GUID{}, nil)
	for e := range src.All() {
		c.Put(e)
	}
	return c
}

// long is a type whose values are long enough for hunks.
var long = &entity.Type{Name: "Path", Revision: 4, Fields: []*entity.Field{
	{Name: "text", Shape: entity.Shape{Kind: entity.KindString}},
	{Name: "points", Shape: entity.Shape{Kind: entity.KindArray, Of: &entity.Shape{Kind: entity.KindF32, Optional: true}}},
	{Name: "keyed", Shape: entity.Shape{Kind: entity.KindArray, Key: "id", Of: &entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
		{Name: "id", Shape: entity.Shape{Kind: entity.KindU8}}, {Name: "at", Shape: entity.Shape{Kind: entity.KindF32}},
	}}}},
	{Name: "targets", Shape: entity.Shape{Kind: entity.KindSet, Of: &entity.Shape{Kind: entity.KindRef}}},
}}

func longEntity(id entity.ID) *rapid.Generator[*entity.Entity] {
	return rapid.Custom(func(t *rapid.T) *entity.Entity {
		e := entity.New(id, long.Current())
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "d\r\n"}), 0, 30).Draw(t, "lines")
		e.Values[0] = entity.NewString(strings.Join(lines, "") + rapid.SampledFrom([]string{"", "end"}).Draw(t, "end"))
		points := rapid.SliceOfN(entitytest.Value(long.Fields[1].Of), 0, 30).Draw(t, "points")
		e.Values[1] = entity.NewList(entity.KindArray, points)
		keys := rapid.SliceOfNDistinct(rapid.Uint8Range(0, 40), 0, 30, rapid.ID[uint8]).Draw(t, "keys")
		var keyed []entity.Value
		for _, k := range keys {
			keyed = append(keyed, entity.NewStruct([]entity.Value{
				entity.NewUint(entity.KindU8, uint64(k)), entity.F32Of(float32(rapid.IntRange(0, 3).Draw(t, "at")))}))
		}
		e.Values[2] = entity.NewList(entity.KindArray, keyed)
		e.Values[3] = refs(rapid.SliceOfN(rapid.Uint64Range(1, 9), 0, 6).Draw(t, "refs")...)
		return e
	})
}

func refs(ids ...uint64) entity.Value {
	var items []entity.Value
	for _, id := range ids {
		items = append(items, entity.NewUint(entity.KindRef, id))
	}
	items, _ = entity.SortSet(items)
	return entity.NewList(entity.KindSet, items)
}

func world() *rapid.Generator[*entity.World] {
	return rapid.Custom(func(t *rapid.T) *entity.World {
		w := entitytest.World().Draw(t, "world")
		w.Types.Put(long)
		for id := range rapid.IntRange(0, 4).Draw(t, "long ones") {
			if _, taken := w.Get(entity.ID(id + 1)); !taken {
				w.Put(longEntity(entity.ID(id+1)).Draw(t, "long"))
			}
		}
		return w
	})
}

// edited generates a world that somebody made of w.
func edited(t *rapid.T, w *entity.World) *entity.World {
	c := copyOf(w)
	c.Types = w.Types
	for e := range w.All() {
		switch rapid.IntRange(0, 6).Draw(t, "what") {
		case 0:
			c.Delete(e.ID)
		case 1:
			c.Put(entitytest.Entity(e.ID, e.Layout.Type).Draw(t, "replaced"))
		case 2, 3, 4:
			c.Put(editedEntity(t, e))
		}
	}
	id := entity.ID(rapid.Uint32Min(1).Draw(t, "new id"))
	if _, taken := w.Get(id); !taken {
		c.Put(entitytest.Entity(id, w.Types.All()[0]).Draw(t, "created"))
	}
	return c
}

func editedEntity(t *rapid.T, e *entity.Entity) *entity.Entity {
	n := e.Clone()
	for i, f := range n.Layout.Fields {
		if !rapid.Bool().Draw(t, "changed") {
			continue
		}
		items, isList := entity.HunkItems(n.Values[i])
		if !isList || len(items) < 8 {
			n.Values[i] = entitytest.Value(&f.Shape).Draw(t, f.Name)
			continue
		}
		at := rapid.IntRange(0, len(items)-1).Draw(t, "cut")
		items = append(append([]entity.Value(nil), items[:at]...), items[min(len(items), at+rapid.IntRange(0, 3).Draw(t, "cut off")):]...)
		if f.Kind == entity.KindArray {
			n.Values[i] = entity.NewList(entity.KindArray, items)
			continue
		}
		var text strings.Builder
		for _, line := range items {
			text.WriteString(line.Text())
		}
		n.Values[i] = entity.NewString(text.String() + "new\n")
	}
	if rapid.Bool().Draw(t, "raw") && n.Layout.Index("raw") < 0 {
		n.Unknown = append(n.Unknown, entity.Raw{Name: "raw", Lines: entitytest.Text().Draw(t, "lines")})
	}
	return n
}

func formatted(t require.TestingT, set entity.ChangeSet) string {
	var out bytes.Buffer
	require.NoError(t, Format(&out, set))
	return out.String()
}

func parsed(t require.TestingT, text string, types *entity.Types) entity.ChangeSet {
	set, err := Parse(strings.NewReader(text), "c.changes", types)
	require.NoError(t, err, "%s", text)
	return set
}

func applied(set entity.ChangeSet, w entity.Source) *entity.World {
	out := copyOf(w)
	set.Apply(out)
	return out
}

func TestWhatIsReadDoesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := world().Draw(t, "a")
		b := edited(t, a)
		text := formatted(t, entity.Diff(a, b))
		set := parsed(t, text, a.Types)
		requireSameWorld(t, b, applied(set, a))
		requireSameWorld(t, a, applied(set.Invert(), b))
		require.Equal(t, text, formatted(t, set))
		inverse := formatted(t, set.Invert())
		requireSameWorld(t, a, applied(parsed(t, inverse, a.Types), b))
		require.Equal(t, inverse, formatted(t, parsed(t, inverse, a.Types)))
	})
}

func TestTextsOneAfterTheOtherDoBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := world().Draw(t, "a")
		b := edited(t, a)
		c := edited(t, b)
		both := formatted(t, entity.Diff(a, b)) + formatted(t, entity.Diff(b, c))
		set := parsed(t, both, a.Types)
		requireSameWorld(t, c, applied(set, a))
		requireSameWorld(t, a, applied(set.Invert(), c))
		text := formatted(t, set)
		require.Equal(t, text, formatted(t, parsed(t, text, a.Types)))

		undone := formatted(t, entity.Diff(a, b)) + formatted(t, entity.Diff(b, a))
		requireSameWorld(t, a, applied(parsed(t, undone, a.Types), a))
	})
}

func TestFiltersPartition(t *testing.T) {
	where, err := expression.Compile("id % 2 == 0")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		a := world().Draw(t, "a")
		b := edited(t, a)
		set := entity.Diff(a, b)
		for _, f := range []Filter{
			{Types: []string{"Path"}}, {Fields: []string{"text", "targets"}}, {IDs: []entity.ID{1, 3}}, {Where: where},
			{Box: &Box{Min: [3]float64{-10, -10, -10}, Max: [3]float64{10, 10, 10}}}, {Near: &Near{Radius: 5}},
		} {
			not := f
			not.Not = true
			one, other := Select(set, a, f), Select(set, a, not)
			require.Len(t, set, len(one)+len(other))
			require.Empty(t, Select(one, a, not))
			requireSameWorld(t, b, applied(one, applied(other, a)))
		}
	})
}

// TestSidesOfAWorldThatStoodStill holds the sides of an application to what a
// merge needs of them: the base is the world itself.
func TestSidesOfAWorldThatStoodStill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := world().Draw(t, "a")
		b := edited(t, a)
		set := parsed(t, formatted(t, entity.Diff(a, b)), a.Types)
		base, theirs, homeless := Sides(set, a)
		require.Empty(t, homeless)
		requireSameWorld(t, a, copyOf(base))
		requireSameWorld(t, b, copyOf(theirs))
		requireSameWorld(t, a, base)
		require.Equal(t, b.Len(), theirs.Len())

		// Already done: the other side is what is there.
		base, theirs, homeless = Sides(set, b)
		for _, c := range homeless {
			require.False(t, whole(c))
		}
		requireSameWorld(t, b, copyOf(theirs))
		if len(homeless) == 0 {
			require.Equal(t, a.Len(), base.Len())
		}
	})
}

func TestSidesDifferInWhatTheyTouchOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := world().Draw(t, "a")
		now := edited(t, a)
		base, theirs, _ := Sides(entity.Diff(a, edited(t, a)), now)
		for _, pair := range [][2]entity.Source{{base, theirs}, {theirs, now}, {base, now}} {
			quick, ok := pair[0].(entity.Differ).Differing(pair[1])
			require.True(t, ok)
			var got, want []string
			for a, b := range quick {
				got = append(got, fmt.Sprint(line(a), line(b)))
			}
			for a, b := range entity.Differing(copyOf(pair[0]), copyOf(pair[1])) {
				want = append(want, fmt.Sprint(line(a), line(b)))
			}
			require.Equal(t, want, got)
		}
	})
}

func TestRealWorlds(t *testing.T) {
	for _, path := range realworld.Worlds(t) {
		in, err := interchange.Open(path)
		require.NoError(t, err)
		d, err := interchange.Read(in, path, nil, nil)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		types := entity.NewTypes(d.Types...)
		a, b := entity.NewWorld(entity.GUID{}, types), entity.NewWorld(entity.GUID{}, types)
		for i, e := range d.Entities {
			switch i % 10 {
			case 0:
				a.Put(e)
			case 1:
				b.Put(e)
			default:
				a.Put(e)
				b.Put(mirrored(e))
			}
		}
		text := formatted(t, entity.Diff(a, b))
		requireSameWorld(t, b, applied(parsed(t, text, types), a))
	}
}

// mirrored returns e with some of its values changed.
func mirrored(e *entity.Entity) *entity.Entity {
	n := e.Clone()
	for i, v := range n.Values {
		switch items, _ := entity.HunkItems(v); {
		case v.Kind() == entity.KindVec2 || v.Kind() == entity.KindVec3:
			n.Values[i] = entity.NewVec(v.Kind(), [4]uint32{v.Component(1), v.Component(0), v.Component(2)})
		case v.Kind() == entity.KindArray && len(items) > 3:
			n.Values[i] = entity.NewList(entity.KindArray, append(append([]entity.Value(nil), items[:2]...), items[3:]...))
		}
	}
	return n
}
