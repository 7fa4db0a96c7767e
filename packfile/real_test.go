package packfile_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/dev/realworld"
	"github.com/worldfs/worldfs/packfile"
)

// realWorld reads a world in the interchange form.
func realWorld(t testing.TB, path string) *entity.World {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	doc, err := interchange.Read(z, path, nil, nil)
	require.NoError(t, err)
	w := entity.NewWorld(entity.GUID{1}, entity.NewTypes(doc.Types...))
	for _, e := range doc.Entities {
		w.Put(e)
	}
	return w
}

func TestRealWorlds(t *testing.T) {
	for _, path := range realworld.Worlds(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			w := realWorld(t, path)
			data := encode(t, w)
			p := parse(t, data)
			require.NoError(t, p.Check())
			requireSame(t, w, p)
			requireReadBySpec(t, w, data)
			again, err := packfile.Encode(p.World(), p.Types(), p)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, again))
			t.Logf("%d entities, %d types, %.1f bytes an entity", w.Len(), w.Types.Len(), float64(len(data))/float64(w.Len()))
		})
	}
}
