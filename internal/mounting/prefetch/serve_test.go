package prefetch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServe gives Serve a directory whose name is not one word of one line, as any
// path may be, with a shard, and what only has a shard's name.
func TestServe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "two words\n\"quoted\" \xff")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "3"), 0o700))
	for _, name := range []string{"7.entity_text", "3/3.entity_text", "4", "other"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "5")))
	first := fmt.Sprintf("%d %s\n", 1<<20, strconv.Quote(dir))
	other := func(at string, words []string) (int, bool, error) {
		return len(at + strings.Join(words, "")), words[0] == "other", nil
	}
	var said strings.Builder
	asked := first + "\n7.entity_text\x003/3.entity_text\x00missing\nother\x00word\n"
	require.NoError(t, Serve(strings.NewReader(asked), &said, other))
	require.Equal(t, fmt.Sprintf("2\n3\n%d\n", len(dir+"otherword")), said.String())

	said.Reset()
	require.NoError(t, Serve(strings.NewReader(first+"other\n"), &said, nil))
	require.Equal(t, "1\n", said.String(), "it is a file's name then")
	require.Error(t, Serve(strings.NewReader("no limit\n\n"), &said, nil))
	require.NoError(t, Serve(strings.NewReader(""), &said, nil), "the process that was to ask was killed")
}

func TestADirectoryThatIsGoneIsNoError(t *testing.T) {
	var said strings.Builder
	dir := strconv.Quote(filepath.Join(t.TempDir(), "missing"))
	require.NoError(t, Serve(strings.NewReader("100 "+dir+"\n\n"), &said, nil))
	require.Equal(t, "0\n", said.String())
}
