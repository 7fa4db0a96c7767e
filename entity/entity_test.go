package entity_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	_ "github.com/worldfs/worldfs/entity/expression" // the language of the conditions here
)

func requireSameWorld(t require.TestingT, want, got *entity.World) {
	require.Equal(t, want.IDs(), got.IDs())
	for e := range want.All() {
		o, _ := got.Get(e.ID)
		require.True(t, e.Equal(o), "entity %d differs", e.ID)
	}
}

func copyOf(w *entity.World) *entity.World {
	c := entity.NewWorld(w.ID, w.Types)
	for e := range w.All() {
		c.Put(e)
	}
	return c
}

// edited generates a world that somebody made of w.
func edited(t *rapid.T, w *entity.World) *entity.World {
	c := copyOf(w)
	for e := range w.All() {
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			c.Delete(e.ID)
		case 1:
			c.Put(entitytest.Entity(e.ID, e.Layout.Type).Draw(t, "replaced"))
		case 2:
			n := e.Clone()
			for i, f := range n.Layout.Fields {
				if rapid.Bool().Draw(t, "changed") {
					n.Values[i] = entitytest.Value(&f.Shape).Draw(t, f.Name)
				}
			}
			c.Put(n)
		}
	}
	id := entity.ID(rapid.Uint32Min(1).Draw(t, "new id"))
	if _, taken := w.Get(id); !taken {
		c.Put(entitytest.Entity(id, w.Types.All()[0]).Draw(t, "created"))
	}
	return c
}

func TestApplyingADiffGivesTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := entitytest.World().Draw(t, "a")
		b := edited(t, a)
		got := copyOf(a)
		entity.Diff(a, b).Apply(got)
		requireSameWorld(t, b, got)
	})
}

func TestApplyingTheInverseGivesTheFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := entitytest.World().Draw(t, "a")
		b := edited(t, a)
		set := entity.Diff(a, b)
		got := copyOf(b)
		set.Invert().Apply(got)
		requireSameWorld(t, a, got)
		require.Empty(t, entity.Diff(a, got))
	})
}

func TestChangesOfDifferentEntitiesCommute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := entitytest.World().Draw(t, "a")
		set := entity.Diff(a, edited(t, a))
		var even, odd entity.ChangeSet
		for _, c := range set {
			if c.ID%2 == 0 {
				even = append(even, c)
			} else {
				odd = append(odd, c)
			}
		}
		one, two := copyOf(a), copyOf(a)
		even.Apply(one)
		odd.Apply(one)
		odd.Apply(two)
		even.Apply(two)
		requireSameWorld(t, one, two)
	})
}

func TestCompareAgreesWithEqualAndIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := entitytest.Shape(2).Draw(t, "shape")
		g := entitytest.Value(&s)
		a, b, c := g.Draw(t, "a"), g.Draw(t, "b"), g.Draw(t, "c")
		require.Equal(t, a.Equal(b), a.Compare(b) == 0)
		require.Equal(t, a.Compare(b), -b.Compare(a))
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 {
			require.LessOrEqual(t, a.Compare(c), 0)
		}
	})
}

func TestCanonicalizeIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := entitytest.Type().Draw(t, "type")
		e := entitytest.Entity(1, typ).Draw(t, "entity")
		require.Empty(t, e.Canonicalize(), "generated sets are sorted")
	})
}

func TestParseID(t *testing.T) {
	for s, want := range map[string]entity.ID{"1": 1, "6555": 6555, "4294967295": entity.MaxID} {
		got, err := entity.ParseID(s)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, s, got.String())
	}
	for _, s := range []string{"", "0", "01", "-1", "+1", "4294967296", "99999999999", "1a", " 1", "../1", "１"} {
		_, err := entity.ParseID(s)
		require.ErrorIs(t, err, entity.ErrID, s)
	}
}

func door() *entity.Type {
	return &entity.Type{Name: "Door", Revision: 72, Fields: []*entity.Field{
		{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "map_size", Shape: entity.Shape{Kind: entity.KindU32}, Since: 63, Until: 85},
		{Name: "handle", Shape: entity.Shape{Kind: entity.KindF32}, Since: 80},
		{Name: "code", Shape: entity.Shape{Kind: entity.KindI32}, SaveWhen: `position.x > 1 && id == 7`},
		{Name: "entity_name", Shape: entity.Shape{Kind: entity.KindString}},
	}}
}

func TestALayoutHasTheFieldsOfItsRevision(t *testing.T) {
	typ := door()
	names := func(revision uint32) (out []string) {
		for _, f := range typ.Layout(revision).Fields {
			out = append(out, f.Name)
		}
		return out
	}
	require.Equal(t, []string{"position", "code", "entity_name"}, names(62))
	require.Equal(t, []string{"position", "map_size", "code", "entity_name"}, names(63))
	require.Equal(t, []string{"position", "map_size", "handle", "code", "entity_name"}, names(84))
	require.Equal(t, []string{"position", "handle", "code", "entity_name"}, names(85))
	require.Same(t, typ.Layout(85), typ.Layout(85))
}

func TestAFieldWhoseConditionFailsIsNotSaved(t *testing.T) {
	e := entity.New(7, door().Layout(72))
	e.Values[0] = entity.VecOf(entity.KindVec3, 2, 0, 0)
	require.Empty(t, e.Canonicalize())
	e.Values[0] = entity.VecOf(entity.KindVec3, 1, 0, 0)
	require.Equal(t, []string{"code"}, e.Canonicalize())
	require.True(t, e.Value("code").IsNull())
	require.NoError(t, e.Validate())
}

func TestMessagesNameAnEntity(t *testing.T) {
	e := entity.New(6555, door().Layout(72))
	require.Equal(t, "Door 6555", e.String())
	e.Values[e.Layout.Index("entity_name")] = entity.NewString("bunker door")
	require.Equal(t, `Door 6555 "bunker door"`, e.String())
}

func TestValidateNamesTheField(t *testing.T) {
	u8 := entity.Shape{Kind: entity.KindU8}
	for reason, typ := range map[string]*entity.Type{
		"line break":    {Name: "A\nB"},
		"is empty":      {Name: "A", Fields: []*entity.Field{{Shape: u8}}},
		"twice":         {Name: "A", Fields: []*entity.Field{{Name: "f", Shape: u8}, {Name: "f", Shape: u8}}},
		"no kind":       {Name: "A", Fields: []*entity.Field{{Name: "f"}}},
		"needs \"of\"":  {Name: "A", Fields: []*entity.Field{{Name: "f", Shape: entity.Shape{Kind: entity.KindSet}}}},
		"needs fields":  {Name: "A", Fields: []*entity.Field{{Name: "f", Shape: entity.Shape{Kind: entity.KindStruct}}}},
		"can be direct": {Name: "A", Fields: []*entity.Field{{Name: "f", Shape: entity.Shape{Kind: entity.KindU8, Direct: true}}}},
		"successor":     {Name: "A", Fields: []*entity.Field{{Name: "f", Shape: u8, Successor: "g"}}},
		"expression":    {Name: "A", Fields: []*entity.Field{{Name: "f", Shape: u8, SaveWhen: "1 +"}}},
		"ends at":       {Name: "A", Fields: []*entity.Field{{Name: "f", Shape: u8, Since: 5, Until: 5}}},
	} {
		err := typ.Validate()
		require.ErrorIs(t, err, entity.ErrInvalid, reason)
		require.ErrorContains(t, err, reason)
		require.ErrorContains(t, err, "type ")
	}
}
