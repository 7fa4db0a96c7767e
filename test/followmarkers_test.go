package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A clone without the merge driver: git puts markers into the panel's text, too, and they are
// committed.
func TestMarkersInADerivedPoseGo(t *testing.T) {
	for _, place := range []string{"plain", "mounted"} {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			b.bothMove(func(b *bench) { b.set(6555, "position.x = 12") }, func(b *bench) { b.set(6555, "position.x = 22") })
			_, code := b.try("git", "merge", "bob")
			require.Equal(t, 1, code)
			b.run("git", "commit", "-q", "-a", "-m", "merged")
			require.NotContains(t, b.left(), "6006")
			b.run("worldfs", "resolve", "--take", "mine")
			require.NotContains(t, b.textOf("6006"), "<<<<")
			b.run("worldfs", "check")
		})
	}
}
