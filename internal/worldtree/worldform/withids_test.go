package worldform

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// Two entities change places, and refs follow, in entities that stay, too.
func TestWithIDs(t *testing.T) {
	ref := &entity.Type{Name: "Link", Revision: 1, Fields: []*entity.Field{{Name: "to", Shape: entity.Shape{Kind: entity.KindRef}}}}
	types := entity.NewTypes(ref)
	world := entity.NewWorld(entity.GUID{}, types)
	for id, to := range map[entity.ID]entity.ID{1: 2, 2: 1, 3: 2, 4: 9} {
		e := entity.New(id, types.Get("Link").Current())
		e.Values[0] = entity.NewRef(to)
		world.Put(e)
	}
	w := &World{Types: types, Source: world, Texts: map[entity.ID][]byte{1: []byte("x"), 4: []byte("y")}, Findings: []entity.Finding{{ID: 1}, {ID: 4}}}
	now := w.WithIDs(map[entity.ID]entity.ID{1: 2, 2: 7})
	to := func(id entity.ID) entity.ID {
		e, ok := now.Source.Get(id)
		require.True(t, ok, id)
		require.Equal(t, id, e.ID)
		return e.Values[0].Ref()
	}
	require.Equal(t, entity.ID(7), to(2))
	require.Equal(t, entity.ID(2), to(7))
	require.Equal(t, entity.ID(7), to(3))
	require.Equal(t, entity.ID(9), to(4))
	_, ok := now.Source.Get(1)
	require.False(t, ok)
	require.Equal(t, map[entity.ID][]byte{4: []byte("y")}, now.Texts)
	require.Equal(t, []entity.Finding{{ID: 2}, {ID: 4}}, now.Findings)
	require.Len(t, w.Texts, 2, "the world itself stays as it is")
}
