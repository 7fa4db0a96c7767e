package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// The log is written by a process whose output it is: this test once more.
func TestTheLogIsBounded(t *testing.T) {
	dir := plainWorld(t)
	log, err := openLog(dir)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHelperWritesALog$")
	cmd.Env = append(os.Environ(), "WORLDFS_TEST_LOG="+dir.Root)
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Run())
	require.NoError(t, log.Close())
	for _, path := range []string{dir.LogPath(), dir.LogPath() + ".1"} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(100<<10))
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}
	end, err := os.ReadFile(dir.LogPath())
	require.NoError(t, err)
	require.Contains(t, string(end), "line 19999\n", "the last is in the newest")

	require.NoError(t, os.Truncate(dir.LogPath(), maxLog+1))
	log, err = openLog(dir)
	require.NoError(t, err)
	info, err := log.Stat()
	require.NoError(t, err)
	require.Zero(t, info.Size())
	require.NoError(t, log.Close())
}

// A mount that covers the world stands in the way to its log. Another directory
// does so here, since nothing waits for that.
func TestTheLogIsReachedWhateverCoversTheWorld(t *testing.T) {
	dir := plainWorld(t)
	log, err := openLog(dir)
	require.NoError(t, err)
	moved := dir.Root + "-moved"
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHelperWritesALog$")
	cmd.Env = append(os.Environ(), "WORLDFS_TEST_LOG="+dir.Root, "WORLDFS_TEST_LOG_MOVED="+moved)
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Run())
	require.NoError(t, log.Close())
	beneath, err := worlddir.Open(moved)
	require.NoError(t, err)
	for _, path := range []string{beneath.LogPath(), beneath.LogPath() + ".1"} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(100<<10))
	}
}

func TestHelperWritesALog(t *testing.T) {
	root := os.Getenv("WORLDFS_TEST_LOG")
	if root == "" {
		return // TestTheLogIsBounded runs it
	}
	dir, err := worlddir.Open(root)
	require.NoError(t, err)
	w, err := newLogWriter(dir, 64<<10)
	require.NoError(t, err)
	if elsewhere := os.Getenv("WORLDFS_TEST_LOG_MOVED"); elsewhere != "" {
		require.NoError(t, os.Rename(root, elsewhere))
		require.NoError(t, os.MkdirAll(dir.LogPath(), 0o700)) // not a log
	}
	for i := range 20000 {
		fmt.Fprintf(w, "line %d\n", i)
	}
}
