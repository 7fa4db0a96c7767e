package island_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
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
	require.Equal(t, "13df7c86de9e5bd87ec15aee7bf040151061a1636626a9247697976c66047a1c", hex.EncodeToString(sum[:]))
}

func TestTheTextIsAboutEightMegabytes(t *testing.T) {
	size := len(textOf(island.Generate(island.DefaultEntities, seed)))
	t.Logf("%d bytes of text, %d an entity", size, size/island.DefaultEntities)
	require.InDelta(t, 8.0e6, size, 0.3e6)
}

func TestThePackIsSmall(t *testing.T) {
	w := island.Generate(island.DefaultEntities, seed)
	pack, err := packfile.Encode(w.ID, w.Types, w)
	require.NoError(t, err)
	t.Logf("%d bytes of pack, %.1f an entity", len(pack), float64(len(pack))/island.DefaultEntities)
	require.LessOrEqual(t, len(pack), 138*island.DefaultEntities)
}
