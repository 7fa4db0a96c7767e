package cache_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/dev/realworld"
	"github.com/worldfs/worldfs/textcodec"
)

// Every text of a real world reads back as the entity it was made of, and
// serving it takes nothing from the bytes.
func TestRealWorldsAreServedAsTheirCanonicalTexts(t *testing.T) {
	for _, path := range realworld.Worlds(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b := newBench(t, 0)
			f, err := interchange.Open(path)
			require.NoError(t, err)
			defer f.Close()
			doc, err := interchange.Read(f, path, nil, nil)
			require.NoError(t, err)
			want := make(map[entity.ID]*entity.Entity)
			for _, e := range doc.Entities {
				want[e.ID] = e
			}
			r, err := b.w.Import(cache.Intake{Types: doc.Types, Entities: doc.Entities, Whole: true})
			require.NoError(t, err)
			require.Equal(t, len(want), r.Created)
			v, err := b.w.View()
			require.NoError(t, err)
			n := 0
			for e := range v.All() {
				require.True(t, want[e.ID].Equal(e), e.String())
				text := textcodec.Append(nil, e)
				res, err := textcodec.Decode(text, e.ID, v.Types())
				require.NoError(t, err)
				require.True(t, res.Canonical && res.Entity.Equal(e), e.String())
				n++
			}
			require.Equal(t, len(want), n)
			st, err := b.w.Status()
			require.NoError(t, err)
			for _, f := range st.Findings {
				require.False(t, f.Blocks, f.String())
			}
		})
	}
}
