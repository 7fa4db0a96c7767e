package interchange

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/dev/realworld"
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
		d, err := Read(in, path, nil, nil)
		require.NoError(t, err)
		require.NoError(t, in.Close())
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

// TestDefaultsAtARevision reads structs that had other members at a revision
// than the default that is declared for them.
func TestDefaultsAtARevision(t *testing.T) {
	const lines = `{"type":{"name":"T","revision":9,"fields":[{"name":"s","kind":"struct","fields":[{"name":"a","kind":"u8"},{"name":"b","kind":"u8","since":5}],"default":{"a":1,"b":2}}]}}
{"entity":{"id":1,"type":"T","revision":4}}
{"entity":{"id":2,"type":"T"}}
`
	d, err := Read(bytes.NewReader([]byte(lines)), "w", nil, nil)
	require.NoError(t, err)
	for _, e := range d.Entities {
		require.NoError(t, e.Validate())
	}
	require.Equal(t, `{"id":1,"type":"T","revision":4,"fields":{"s":{"a":1}}}`, string(AppendEntity(nil, d.Entities[0])))
	require.Equal(t, `{"id":2,"type":"T","revision":9,"fields":{"s":{"a":1,"b":2}}}`, string(AppendEntity(nil, d.Entities[1])))
}

func BenchmarkRead(b *testing.B) {
	for _, path := range realworld.Worlds(b) {
		in, err := Open(path)
		require.NoError(b, err)
		data, err := io.ReadAll(in)
		require.NoError(b, err)
		require.NoError(b, in.Close())
		b.Run(filepath.Base(path), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := Read(bytes.NewReader(data), path, nil, nil)
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, path := range realworld.Worlds(b) {
		in, err := Open(path)
		require.NoError(b, err)
		d, err := Read(in, path, nil, nil)
		require.NoError(b, err)
		require.NoError(b, in.Close())
		w := world(d)
		b.Run(filepath.Base(path), func(b *testing.B) {
			b.SetBytes(int64(len(write(b, w))))
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, Write(io.Discard, w.Types, w, nil))
			}
		})
	}
}
