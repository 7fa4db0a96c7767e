package greatloss_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/greatloss"
)

func TestIs(t *testing.T) {
	for _, c := range []struct {
		had, gone int
		is        bool
	}{{0, 0, false}, {1, 1, true}, {50, 49, false}, {50, 50, true}, {1000, 99, false}, {150, 100, true}, {200, 100, false}, {201, 101, true}} {
		require.Equal(t, c.is, greatloss.Is(c.had, c.gone), c)
	}
}

func TestRenumberedEntitiesAreNotGone(t *testing.T) {
	types := entity.NewTypes(&entity.Type{Name: "Lamp", Fields: []*entity.Field{
		{Name: "radius", Shape: entity.Shape{Kind: entity.KindU32}}, {Name: "parent", Shape: entity.Shape{Kind: entity.KindRef}},
	}})
	lamp := func(id entity.ID, radius uint64, parent entity.ID) *entity.Entity {
		e := entity.New(id, types.Get("Lamp").Current())
		e.Values[0], e.Values[1] = entity.NewUint(entity.KindU32, radius), entity.NewRef(parent)
		return e
	}
	w := entity.NewWorld(entity.GUID{}, types)
	w.Put(lamp(1, 5, 0))
	w.Put(lamp(2, 6, 1))
	w.Put(lamp(3, 6, 1))
	made := []*entity.Entity{lamp(11, 5, 0), lamp(12, 6, 11), lamp(14, 7, 0)}
	require.Equal(t, 2, greatloss.Renumbered(w, []entity.ID{1, 2, 3}, made))
	require.Zero(t, greatloss.Renumbered(w, []entity.ID{1, 2, 3}, nil))
}
