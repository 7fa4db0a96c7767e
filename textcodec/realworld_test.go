package textcodec_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/dev/realworld"
	"github.com/worldfs/worldfs/textcodec"
)

func TestRealWorldsReadBack(t *testing.T) {
	for _, path := range realworld.Worlds(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in, err := interchange.Open(path)
			require.NoError(t, err)
			defer in.Close()
			doc, err := interchange.Read(in, path, nil, nil)
			require.NoError(t, err)
			types := entity.NewTypes(doc.Types...)
			var text []byte
			for _, e := range doc.Entities {
				text = textcodec.Append(text[:0], e)
				r, err := textcodec.Decode(text, e.ID, types)
				require.NoError(t, err)
				require.True(t, r.Canonical && e.Equal(r.Entity), "%s", text)
				require.Empty(t, r.Findings)
			}
		})
	}
}
