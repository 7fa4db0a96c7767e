package interchange

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/realworld"
)

func world(d *Document) *entity.World {
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(d.Types...))
	for _, e := range d.Entities {
		w.Put(e)
	}
	return w
}

func write(t require.TestingT, w *entity.World) []byte {
	var out bytes.Buffer
	require.NoError(t, Write(&out, w.Types, w, nil))
	return out.Bytes()
}

func requireEqual(t require.TestingT, want, got *entity.World) {
	require.Equal(t, want.IDs(), got.IDs())
	for e := range want.All() {
		o, _ := got.Get(e.ID)
		require.True(t, e.Equal(o), "%s came back as\n%s\nnot\n%s", e, AppendEntity(nil, o), AppendEntity(nil, e))
	}
}

func TestRealWorlds(t *testing.T) {
	for _, path := range realworld.Worlds(t) {
		in, err := Open(path)
		require.NoError(t, err)
		start := time.Now()
		d, err := Read(in, path, nil, nil)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		t.Log(path, time.Since(start))
		first := world(d)
		text := write(t, first)
		d, err = Read(bytes.NewReader(text), path, nil, nil)
		require.NoError(t, err)
		requireEqual(t, first, world(d))
		require.True(t, bytes.Equal(text, write(t, world(d))))
	}
}

func TestWorldRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := entitytest.World().Draw(t, "world")
		text := write(t, w)
		d, err := Read(bytes.NewReader(text), "w.jsonl", nil, nil)
		require.NoError(t, err)
		requireEqual(t, w, world(d))
		require.Equal(t, string(text), string(write(t, world(d))))
	})
}
