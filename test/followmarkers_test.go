package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A clone without the merge driver: git puts markers into the panel's text, too, and they are
// committed.
func TestMarkersInADerivedPoseGo(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted"}) {
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

// More was committed since, so that nothing is known of the merge but its markers: the panel
// is where the door that the person took carries it, whichever that is.
func TestMarkersInADerivedPoseGoOnceTheMergeIsOver(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		for how, up := range map[string]float64{"--ours": 5, "--theirs": 3} {
			t.Run(place+" "+how, func(t *testing.T) {
				b := editingWorld(t, place)
				door, offset := b.positionOf("6555"), b.offset()
				b.bothMove(func(b *bench) { b.sync(); b.raise("6555", 5) }, func(b *bench) { b.raise("6555", 3) })
				_, code := b.try("git", "merge", "bob")
				require.Equal(t, 1, code)
				b.run("git", "checkout", how, "--", config.entityPath("6555"))
				b.run("git", "add", "-A")
				b.run("git", "commit", "-q", "-m", "merged")
				b.set(1002, `entity_name = "the bunker"`)
				b.commit("Ann")
				require.Contains(t, b.textOf("6006"), "<<<<")
				out := b.run("worldfs", "resolve")
				require.NotContains(t, out, "6006")
				require.NotContains(t, out, "thrown away")
				require.NotContains(t, b.textOf("6006"), "<<<<")
				b.requireRaised("6555", door, up)
				b.requireCarried(offset)
				b.run("worldfs", "check")
			})
		}
	}
}
