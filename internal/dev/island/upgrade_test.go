package island_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
)

func TestNothingStopsAShipBuild(t *testing.T) {
	eachSize(t, func(t *testing.T, w *entity.World) {
		for _, f := range entity.Check(w) {
			require.False(t, f.Blocks, "%s", f)
		}
		ships := make(map[string]*entity.Type)
		for _, typ := range w.Types.All() {
			ships[typ.Name] = typ.ForShip()
		}
		for e := range w.All() {
			up, err := entity.Upgrade(e)
			require.NoError(t, err)
			require.Equal(t, up.Layout.Type.Revision, up.Revision(), "%s", e)
			require.NoError(t, up.Validate())
			shipped, err := e.ForShip(ships[e.Type()])
			require.NoError(t, err)
			require.NoError(t, shipped.Validate())
		}
	})
}

// upgrades calls check for each entity of a type that still has a field as it
// was until some revision, with what it is after its upgrade.
func upgrades(t *testing.T, typ, field string, until uint32, check func(before, after *entity.Entity)) {
	found := 0
	for e := range island.Generate(4*island.DefaultEntities, seed).All() {
		if e.Type() != typ || e.Revision() >= until || e.Layout.Index(field) < 0 {
			continue
		}
		up, err := entity.Upgrade(e)
		require.NoError(t, err)
		check(e, up)
		found++
	}
	require.NotZero(t, found, "no %s has the old %s", typ, field)
}

func TestARenamedFieldKeepsItsValue(t *testing.T) {
	upgrades(t, "Tree", "draw_distance", 26, func(before, after *entity.Entity) {
		require.Negative(t, after.Layout.Index("draw_distance"))
		require.NotZero(t, float(before.Value("draw_distance"), 0))
		require.Equal(t, before.Value("draw_distance"), after.Value("fade_end"))
		require.Equal(t, entity.F32Of(80), after.Value("fade_start"), "the default of a new field")
	})
}

func TestAWidenedFieldKeepsItsValue(t *testing.T) {
	upgrades(t, "Path", "width", 20, func(before, after *entity.Entity) {
		require.Equal(t, entity.KindF32, before.Value("width").Kind())
		require.Equal(t, entity.F64Of(float(before.Value("width"), 0)), after.Value("width"))
	})
	upgrades(t, "Note", "written_at", 9, func(before, after *entity.Entity) {
		require.Equal(t, entity.KindI32, before.Value("written_at").Kind())
		require.Equal(t, entity.NewInt(entity.KindI64, before.Value("written_at").Int()), after.Value("written_at"))
		require.NotZero(t, after.Value("written_at").Int())
	})
}

func TestAFieldThatEndedHadItsDefaultEverywhere(t *testing.T) {
	upgrades(t, "Rock", "snow_depth", 13, func(before, after *entity.Entity) {
		require.Equal(t, entity.F32Of(0), before.Value("snow_depth"))
		require.Negative(t, after.Layout.Index("snow_depth"))
	})
}
