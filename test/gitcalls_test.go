package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// gitCalls returns the processes of git that a command starts, as they are typed.
func (b *bench) gitCalls(exit int, name string, args ...string) (calls []string) {
	b.Helper()
	trace := filepath.Join(b.TempDir(), "trace")
	other := *b
	other.env = append(slices.Clone(b.env), "GIT_TRACE2_EVENT="+trace)
	out, code := other.try(name, args...)
	require.Equal(b, exit, code, out)
	data, err := os.ReadFile(trace)
	require.NoError(b, err)
	for line := range strings.Lines(string(data)) {
		var e struct {
			Event string   `json:"event"`
			Argv  []string `json:"argv"`
		}
		require.NoError(b, json.Unmarshal([]byte(line), &e))
		if e.Event == "start" {
			calls = append(calls, strings.Join(e.Argv[1:], " "))
		}
	}
	return calls
}

// A command asks git once where the world lies, and no more than it needs to know: each
// question is a process.
func TestGitIsNotAskedTwice(t *testing.T) {
	b := resolveWorld(t, "below")
	status := b.gitCalls(0, "worldfs", "status")
	require.LessOrEqual(t, len(status), 17, "%s", strings.Join(status, "\n"))
	b.differ()
	b.try("git", "merge", "-q", "bob")
	resolve := b.gitCalls(1, "worldfs", "resolve")
	require.LessOrEqual(t, len(resolve), 45, "%s", strings.Join(resolve, "\n"))
	for _, calls := range [][]string{status, resolve} {
		asked := slices.DeleteFunc(slices.Clone(calls), func(call string) bool { return !strings.Contains(call, "--show-prefix") })
		require.Len(t, asked, 1, "%s", strings.Join(calls, "\n"))
	}
}

// Nor does it start a process for each file of which git made a third text from two.
func TestGitIsNotAskedAboutEachFile(t *testing.T) {
	b := resolveWorld(t, "plain")
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	for branch, axis := range map[string]string{"ann": "x", "bob": "z"} {
		b.run("git", "checkout", "-q", "-b", branch, base)
		b.run("worldfs", "set", "--where", "id < 58000 && position != null", "position."+axis+" = position."+axis+" + 1")
		b.commit(branch)
	}
	b.run("git", "checkout", "-q", "ann")
	b.try("git", "merge", "-q", "-m", "merged", "bob")
	calls := b.gitCalls(1, "worldfs", "resolve")
	require.LessOrEqual(t, len(calls), 70, "%s", strings.Join(calls, "\n"))
	require.Greater(t, len(strings.Split(b.left(), "\n")), 70)
}
