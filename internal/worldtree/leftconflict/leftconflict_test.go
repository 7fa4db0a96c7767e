package leftconflict_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/merge"
)

func position(x float32) merge.Version {
	return merge.Version{Shape: &entity.Shape{Kind: entity.KindVec3}, Value: entity.NewVec(entity.KindVec3, [4]uint32{math.Float32bits(x)})}
}

func TestAConflictIsALine(t *testing.T) {
	long := time.Date(2019, 3, 4, 14, 30, 0, 0, time.Local)
	door := entity.New(6555, entity.UnknownType("Door").Current())
	for want, c := range map[string]leftconflict.Conflict{
		`Door 6555 "bunker door" position: yours 46.5, 0, 0 (Ann, 2019-03-04) / shared 50, 0, 0, 3.5 apart`: {
			Type: "Door", ID: 6555, Name: "bunker door", Path: "position", Mine: position(46.5), Shared: position(50), MineBy: leftconflict.Author{Name: "Ann", Time: long},
		},
		"Door 6555: yours deleted it / shared changed it": {
			Type: "Door", ID: 6555, Base: merge.Version{Entity: door}, Shared: merge.Version{Entity: door},
		},
		"Door 6555: yours has none / shared changed it": {
			Type: "Door", ID: 6555, Base: merge.Version{Entity: door}, Shared: merge.Version{Entity: door}, Unborn: true,
		},
		"Door declaration: yours took it away / shared changed it": {
			Type: "Door", Path: "declaration", Mine: merge.Version{Text: "took it away"}, Shared: merge.Version{Text: "changed it"},
		},
	} {
		require.Equal(t, want, c.String())
	}
}
