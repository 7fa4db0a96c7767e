package sparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		from   string
		listed []string
		want   string
		found  bool
	}{
		{from: "a/b", listed: []string{"S a/b/world.toml", "S a/world.toml"}, want: "a/b", found: true},
		{from: "a/b/entities", listed: []string{"S a/b/world.toml", "S a/bc/world.toml"}, want: "a/b", found: true},
		{from: "", listed: []string{"S world.toml", "S a/world.toml"}, want: "", found: true},
		{from: "a", listed: []string{"S a/d/world.toml", "S a/c/world.toml", "S b/world.toml"}, want: "a/c", found: true},
		{from: "a", listed: []string{"S a/d/world.toml", "H a/c/world.toml"}},
		{from: "a", listed: []string{"S ab/world.toml", "H world.toml"}},
		{from: "a"},
	} {
		dir, found := nearest(c.listed, c.from)
		require.Equal(t, c.found, found, c)
		require.Equal(t, c.want, dir, c)
	}
}
