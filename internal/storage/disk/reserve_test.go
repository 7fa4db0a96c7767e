package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// taken returns how many files a reserve is and how many bytes it takes.
func taken(t *testing.T, r disk.Reserve) (files int, bytes int64) {
	entries, err := os.ReadDir(r.Dir)
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(t, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		bytes += info.Sys().(*syscall.Stat_t).Blocks * 512
	}
	return len(entries), bytes
}

func TestAReserveIsGivenUpForWhatFindsNoRoom(t *testing.T) {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		r := disk.Reserve{Dir: filepath.Join(t.TempDir(), "reserve")}
		require.NoError(t, r.Fill(1<<20))
		files, bytes := taken(t, r)
		require.Equal(t, 32, files)
		require.GreaterOrEqual(t, bytes, int64(1<<20))
		calls := 0
		require.NoError(t, r.Spend(func() error {
			if calls++; calls == 1 {
				return &disk.StepError{Step: "write pack", Err: full}
			}
			files, _ := taken(t, r)
			require.Zero(t, files)
			return nil
		}))
		require.Equal(t, 2, calls)
		files, _ = taken(t, r)
		require.Equal(t, 32, files, "what was not needed is set aside again")
	}
}

func TestAReserveStaysForOtherErrors(t *testing.T) {
	r := disk.Reserve{Dir: filepath.Join(t.TempDir(), "reserve")}
	require.NoError(t, r.Fill(1<<20))
	calls := 0
	err := r.Spend(func() error { calls++; return syscall.EIO })
	require.ErrorIs(t, err, syscall.EIO)
	require.Equal(t, 1, calls)
	files, _ := taken(t, r)
	require.Equal(t, 32, files)
}

func TestAReserveThatIsThereIsEnough(t *testing.T) {
	r := disk.Reserve{Dir: filepath.Join(t.TempDir(), "reserve")}
	require.NoError(t, r.Fill(1<<20))
	require.NoError(t, os.Remove(filepath.Join(r.Dir, "3")))
	require.NoError(t, r.Fill(1<<20), "a little less")
	files, _ := taken(t, r)
	require.Equal(t, 31, files)
	require.NoError(t, r.Fill(2<<20))
	files, bytes := taken(t, r)
	require.Equal(t, 32, files)
	require.GreaterOrEqual(t, bytes, int64(2<<20))
}

func TestAReserveTakesNoDiskThatHasLittleRoom(t *testing.T) {
	r := disk.Reserve{Dir: filepath.Join(t.TempDir(), "reserve")}
	require.NoError(t, r.Fill(1<<60))
	files, _ := taken(t, r)
	require.Zero(t, files)
}

func TestAReserveFollowsNoSymlink(t *testing.T) {
	dir := t.TempDir()
	r := disk.Reserve{Dir: filepath.Join(dir, "reserve")}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "elsewhere"), 0o700))
	require.NoError(t, os.Symlink("elsewhere", r.Dir))
	require.ErrorIs(t, r.Fill(1<<20), syscall.ENOTDIR)
	inside, err := os.ReadDir(filepath.Join(dir, "elsewhere"))
	require.NoError(t, err)
	require.Empty(t, inside)
}
