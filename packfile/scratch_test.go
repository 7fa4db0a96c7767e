package packfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// What lies in a Scratch is what Get returns, whatever lay in it before.
func TestGetInto(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := parse(t, encode(t, worlds().Draw(t, "world")))
		var s packfile.Scratch
		for want := range p.All() {
			got, ok := p.GetInto(want.ID, &s)
			require.True(t, ok)
			require.Equal(t, want.Layout, got.Layout)
			require.True(t, want.Equal(got))
		}
		s.Reset()
		_, ok := p.GetInto(entity.ID(0), &s)
		require.False(t, ok)
	})
}
