package changeset

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

func TestTheTableOfAMatrix(t *testing.T) {
	typ := &entity.Type{Name: "Node", Revision: 1, Fields: []*entity.Field{
		{Name: "transform", Shape: entity.Shape{Kind: entity.KindMat3x4}},
	}}
	world := func(c ...float32) *entity.World {
		w := entity.NewWorld(entity.GUID{}, entity.NewTypes(typ))
		e := entity.New(1, typ.Current())
		e.Values[0] = entity.VecOf(entity.KindMat3x4, c...)
		w.Put(e)
		return w
	}
	start := world(1, 0, 0, 4, 0, 1, 0, 0, 0, 0, 1, 0)
	table := func(a, b *entity.World) string {
		var out bytes.Buffer
		require.NoError(t, Table(&out, entity.Diff(a, b), false, 0))
		return out.String()
	}
	moved := table(start, world(1, 0, 0, 7, 0, 1, 0, 4, 0, 0, 1, 0))
	require.Contains(t, moved, "1 0 0 4, 0 1 0 0, 0 0 1 0 → 1 0 0 7, 0 1 0 4, 0 0 1 0")
	require.Contains(t, moved, "moved 5 (dx +3 dy +4 dz 0)")
	require.NotContains(t, table(start, world(0, -1, 0, 4, 1, 0, 0, 0, 0, 0, 1, 0)), "moved 0")
	require.Contains(t, table(entity.NewWorld(entity.GUID{}, nil), start), "at 4 0 0")
}
