package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A sparse checkout takes entities out of the world. status says so, a merge keeps them as git
// has them, and they come back.
func TestASparseCheckout(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.differ()
	b.run("git", "sparse-checkout", "set", "--no-cone", "/*", "!/entities/**/1*.entity_text")
	status := b.run("worldfs", "status")
	require.Contains(t, status, "git's checkout is sparse, and leaves")
	require.Contains(t, status, "[git sparse-checkout disable]")
	b.try("git", "merge", "-q", "bob")
	b.left()
	b.run("worldfs", "resolve", "--take", "mine")
	b.run("git", "commit", "-q", "-m", "merged")
	require.Empty(t, b.run("git", "diff", "--name-only", "--diff-filter=D", "ann", "HEAD"))
	require.Contains(t, b.run("worldfs", "vcs", "sync"), "nothing to tell")

	b.run("git", "sparse-checkout", "disable")
	require.NotContains(t, b.run("worldfs", "status"), "git's checkout is sparse")
	require.Empty(t, b.run("git", "status", "--porcelain"))
	for _, id := range []string{"1002", "10000"} {
		b.run("worldfs", "show", id)
	}
}
