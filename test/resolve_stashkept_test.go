package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A stash has all of the commit that it was made on besides what was stashed. What is unmerged
// by another command, and is as it is in that commit, is no conflict of the stash.
func TestAStashThatIsKeptIsNotWhatIsUnmerged(t *testing.T) {
	t.Parallel()
	for name, c := range inTurn(t, map[string]struct {
		begin func(b *bench)
		says  string
	}{
		"a pull":         {func(b *bench) { b.pull(1) }, "pull: "},
		"cherry-pick -n": {func(b *bench) { onBobs(b); b.try("git", "cherry-pick", "-n", "main") }, "apply: "},
		"git am -3": {func(b *bench) {
			b.run("sh", "-c", "git format-patch -q -1 --stdout >../patch")
			onBobs(b)
			b.try("git", "am", "-q", "-3", "../patch")
		}, "am: "},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newShared(t, "plain", 300)
			w.bob.set(6555, "map_size = 99")
			w.publish()
			b := w.ann
			b.set(6555, "map_size = 98")
			b.run("worldfs", "sync")
			b.run("git", "commit", "-qam", "Ann")
			b.set(10000, "position.x = 1")
			b.run("worldfs", "sync")
			b.run("git", "stash", "-q")
			c.begin(b)
			out, code := b.try("worldfs", "resolve")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, c.says)
			require.Contains(t, out, "1 left to settle")
		})
	}
}

// onBobs has a branch checked out that is what Bob has published.
func onBobs(b *bench) {
	b.run("git", "fetch", "-q")
	b.run("git", "checkout", "-q", "-b", "bobs", "origin/main")
}
