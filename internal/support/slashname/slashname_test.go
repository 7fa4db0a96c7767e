package slashname

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIn(t *testing.T) {
	names := []string{"a", "a-b/x", "a/b", "a/c/d", "a0", "b/a/c"}
	require.Equal(t, []string{"a/b", "a/c/d"}, In(names, "a"))
	require.Equal(t, []string{"a/c/d"}, In(names, "a/c"))
	require.Empty(t, In(names, "c"))
	require.Empty(t, In(nil, "a"))
}

func TestIsBelow(t *testing.T) {
	names := map[string]bool{"a/b": true, "c": true}
	for name, want := range map[string]bool{"a/b": true, "a/b/x/y": true, "a/bc": false, "a": false, "c/d": true, "d/c": false, "": false} {
		require.Equal(t, want, IsBelow(name, names), name)
	}
}

func TestDir(t *testing.T) {
	dir, ok := Dir("a/b/c")
	require.True(t, ok)
	require.Equal(t, "a/b", dir)
	_, ok = Dir("a")
	require.False(t, ok)
}
