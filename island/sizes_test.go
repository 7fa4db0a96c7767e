package island_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/island"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// textOf returns all entities' texts, one after the other.
func textOf(w *entity.World) []byte {
	var b []byte
	for e := range w.All() {
		b = textcodec.Append(b, e)
	}
	return b
}

// TestTheIslandStaysTheSame fails when anything of the island changes. That is
// allowed where it is meant; people's demo worlds then differ from before.
func TestTheIslandStaysTheSame(t *testing.T) {
	sum := sha256.Sum256(textOf(island.Generate(island.DefaultEntities, seed)))
	require.Equal(t, "f2b73e5745467bb1369b766df2ef8ad22a1b002014a473cd51ae5afae4fc3a52", hex.EncodeToString(sum[:]))
}

func TestTheTextIsAboutEightMegabytes(t *testing.T) {
	size := len(textOf(island.Generate(island.DefaultEntities, seed)))
	t.Logf("%d bytes of text, %d an entity", size, size/island.DefaultEntities)
	require.InDelta(t, 8.0e6, size, 0.8e6)
}

func TestThePackIsSmall(t *testing.T) {
	w := island.Generate(island.DefaultEntities, seed)
	pack, err := packfile.Encode(w.ID, w.Types, w)
	require.NoError(t, err)
	t.Logf("%d bytes of pack, %.1f an entity", len(pack), float64(len(pack))/island.DefaultEntities)
	require.LessOrEqual(t, len(pack), 140*island.DefaultEntities)
}
