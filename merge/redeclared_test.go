package merge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// TestABitThatBothSidesName merges an entity that neither side changed, and one that
// both made alike, where the sides gave one bit two names: what each side's entity
// says by name follows the name, whichever side is called ours.
func TestABitThatBothSidesName(t *testing.T) {
	named := func(name string, ids ...entity.ID) *entity.World {
		s := entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{{Name: "a"}}}
		if name != "" {
			s.Names = append(s.Names, entity.Name{Name: name, Number: 1})
		}
		types := entity.NewTypes(&entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{field("flags", s)}})
		w := entity.NewWorld(entity.GUID{1}, types)
		for _, id := range ids {
			e := entity.New(id, types.Get("Lamp").Layout(1))
			e.Values[0] = entity.NewUint(entity.KindFlags, 2)
			w.Put(e)
		}
		return w
	}
	base, x, y := named("", 1), named("x", 1, 2), named("y", 1, 2)
	for _, policy := range []Policy{Leave, Shared, Mine} {
		r := merged(t, base, x, y, Options{Policy: policy, Shared: Ours})
		s := merged(t, base, y, x, Options{Policy: policy, Shared: Theirs})
		requireSame(t, r.World(base.ID), s)
		require.Len(t, r.Repairs, 1)
		for _, id := range []entity.ID{1, 2} {
			e, there := r.Get(id)
			require.True(t, there)
			require.NotZero(t, e.Values[0].Uint())
		}
	}
}
