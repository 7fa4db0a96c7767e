package test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheExamplesOfExpressions runs each command of worldfs help expressions on an island.
func TestTheExamplesOfExpressions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "2000", "w")
	b = b.cd("w")
	b.env = append(slices.Clone(b.env), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	_, examples, found := strings.Cut(b.run("worldfs", "help", "expressions"), "Examples:\n")
	require.True(t, found)
	ran := 0
	for line := range strings.Lines(examples) {
		command, isExample := strings.CutPrefix(line, "  ")
		if !isExample {
			break
		}
		out, code := b.try("sh", "-c", command)
		require.Zero(t, code, "%s%s", command, out)
		require.NotEmpty(t, strings.TrimSpace(out), "%sfinds nothing", command)
		ran++
	}
	require.Greater(t, ran, 5)
}
