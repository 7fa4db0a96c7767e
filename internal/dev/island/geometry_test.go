package island

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

func TestTurnsAreOfUnitLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-3000, 3000)
		length := 0.0
		for _, c := range newTurn(n.Draw(t, "a"), n.Draw(t, "b"), n.Draw(t, "c")) {
			length += float64(c) * float64(c)
		}
		require.InDelta(t, 1, length, 1e-6)
	})
}

func TestAChildFollowsItsParent(t *testing.T) {
	right := newTurn(0, 0, 414) // 90 degrees: x becomes y
	p := newPose(point{1000, 2000, 3000}, right)
	c := p.child(newPose(point{500, 0, 100}, right))
	for i, want := range []float64{1, 2.5, 3.1} {
		require.InDelta(t, want, c.at[i], 1e-3)
	}
	for i, want := range []float64{0, 0, 1, 0} {
		require.InDelta(t, want, c.turn[i], 1e-3)
	}
	require.Equal(t, p, p.child(newPose(point{}, upright)))
}

func TestMountedEntitiesAreWhereTheirOffsetSays(t *testing.T) {
	w := Generate(DefaultEntities, 1)
	mounted := 0
	for e := range w.All() {
		on, ok := w.Get(e.Value("mount_parent_id").Ref())
		if !ok {
			require.True(t, e.Value("mount_position").IsNull(), "%s", e)
			continue
		}
		mounted++
		var offset pose
		copy(offset.at[:], components(e.Value("mount_position")))
		copy(offset.turn[:], components(e.Value("mount_orientation")))
		require.Equal(t, poseOf(on).child(offset), poseOf(e), "%s", e)
	}
	require.Greater(t, mounted, 300)
}

func components(v entity.Value) []float32 {
	out := make([]float32, v.Kind().Components())
	for i := range out {
		out[i] = floatOf(v, i)
	}
	return out
}

func TestSquareRoot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<60).Draw(t, "n")
		s := squareRoot(n)
		require.LessOrEqual(t, s*s, n)
		require.Greater(t, (s+1)*(s+1), n)
	})
}

// TestTerrainIsContinuous allows what slopes come to over its step of 14 mm:
// natural ones 12, and a ramp, from a hill of 90 m to a level 9 m high within
// the 25 m that are half the level's radius, 46.
func TestTerrainIsContinuous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		land := newTerrain(rapid.Uint64().Draw(t, "seed"), DefaultEntities)
		land.levels = []level{{bunkerAt, 50_000}}
		n := rapid.Int64Range(-600_000, 600_000)
		x, y := n.Draw(t, "x"), n.Draw(t, "y")
		require.InDelta(t, land.height(x, y), land.height(x+10, y-10), 60)
	})
}
