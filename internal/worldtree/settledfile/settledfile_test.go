package settledfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/settledfile"
	"github.com/worldfs/worldfs/merge"
)

var lamps = &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
	{Name: "at", Shape: entity.Shape{Kind: entity.KindRef}},
	{Name: "radius", Shape: entity.Shape{Kind: entity.KindU32}},
}}

func lamp(at entity.ID, radius uint64) *entity.Entity {
	return &entity.Entity{ID: 4, Layout: lamps.Layout(1), Values: []entity.Value{entity.NewRef(at), entity.NewUint(entity.KindU32, radius)}}
}

func TestBeforeRepairs(t *testing.T) {
	before := merge.Version{Shape: &lamps.Fields[0].Shape, Value: entity.NewRef(9)}
	repairs := []merge.Repair{{Kind: merge.MovedUp, ID: 4, Field: "at", From: before}}
	merged := lamp(1, 2)
	require.True(t, lamp(9, 2).Same(settledfile.BeforeRepairs(lamp(9, 3), merged, repairs)), "what the person has not seen is mended")
	require.Same(t, merged, settledfile.BeforeRepairs(lamp(8, 3), merged, repairs), "the person has settled it otherwise")
	require.Same(t, merged, settledfile.BeforeRepairs(lamp(9, 3), merged, []merge.Repair{{Kind: merge.MovedUp, ID: 5, Field: "at", From: before}}))
	require.Same(t, merged, settledfile.BeforeRepairs(lamp(9, 3), merged, []merge.Repair{{Kind: merge.Dropped, ID: 4, Field: "at", From: before}}))
}

func TestWithUnsettled(t *testing.T) {
	marked := []entity.Finding{{Code: entity.CodeConflict, ID: 4, Field: "radius"}, {Code: entity.CodeConflict, ID: 5, Field: "at"}}
	require.True(t, lamp(9, 2).Same(settledfile.WithUnsettled(lamp(9, 3), lamp(1, 2), marked)))
}
