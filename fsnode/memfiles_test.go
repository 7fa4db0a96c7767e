package fsnode_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// newMemFilesRig mounts a world of three lamps in which new files beside the
// entities stay in memory for as long as the test takes.
func newMemFilesRig(t *testing.T) *rig {
	r := newRig(t, 3)
	r.mount.SetFlushDelay(time.Hour)
	return r
}

// onDisk returns the path to a file in scratch, as it is on the disk.
func (r *rig) onDisk(name string) string { return filepath.Join(r.dir.ScratchPath(), name) }

func TestATemporaryFileNeverTouchesTheDisk(t *testing.T) {
	r := newMemFilesRig(t)
	r.write("3.entity_text.tmp", "text")
	st := r.stat("3.entity_text.tmp")
	require.NoError(t, os.Chmod(r.path("3.entity_text.tmp"), 0o640))
	open, err := os.OpenFile(r.path("3.entity_text.tmp"), os.O_RDWR|os.O_APPEND, 0)
	require.NoError(t, err)
	defer open.Close()
	require.NoFileExists(t, r.onDisk("3.entity_text.tmp"))
	require.NoError(t, os.Rename(r.path("3.entity_text.tmp"), r.path("3.entity_text")))
	require.NoFileExists(t, r.path("3.entity_text.tmp"))
	_, err = open.WriteString(" and more")
	require.NoError(t, err)
	require.Equal(t, "text and more", r.read("3.entity_text"))
	require.Equal(t, st.Ino, r.stat("3.entity_text").Ino)
	require.EqualValues(t, syscall.S_IFREG|0o640, r.stat("3.entity_text").Mode)
}

func TestAFileInMemoryThatIsRemovedIsStillOpen(t *testing.T) {
	r := newMemFilesRig(t)
	f, err := os.OpenFile(r.path("4913"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	require.NoError(t, err)
	defer f.Close()
	_, err = os.OpenFile(r.path("4913"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	require.ErrorIs(t, err, os.ErrExist)
	require.NoError(t, os.Remove(r.path("4913")))
	require.NoFileExists(t, r.path("4913"))
	_, err = f.WriteString("still here")
	require.NoError(t, err)
	require.NoError(t, f.Sync(), "it goes on without a name")
	text := make([]byte, 4)
	_, err = f.ReadAt(text, 6)
	require.NoError(t, err)
	require.Equal(t, "here", string(text))
	var st unix.Stat_t
	require.NoError(t, unix.Fstat(int(f.Fd()), &st))
	require.Zero(t, st.Nlink)
	require.NoFileExists(t, r.onDisk("4913"))
	r.write("4913", "another")
	require.Equal(t, "another", r.read("4913"))
}

// TestAFileInMemoryIsFlushedWhereItMatters: it looks the same before and after.
// It shows invariant 12.
func TestAFileInMemoryIsFlushedWhereItMatters(t *testing.T) {
	for why, do := range map[string]func(r *rig) error{
		"fsync": func(r *rig) error {
			f, err := os.Open(r.path("new"))
			require.NoError(r, err)
			defer f.Close()
			return f.Sync()
		},
		"fsync of the directory": func(r *rig) error {
			d, err := os.Open(r.mnt)
			require.NoError(r, err)
			defer d.Close()
			return d.Sync()
		},
		"listing": func(r *rig) error {
			require.Contains(r, r.names(), "new")
			return nil
		},
		"link":                       func(r *rig) error { return os.Link(r.path("new"), r.path("link")) },
		"attribute":                  func(r *rig) error { return unix.Setxattr(r.path("new"), "user.x", []byte("y"), 0) },
		"grown":                      func(r *rig) error { return os.Truncate(r.path("new"), 8<<20) },
		"renamed":                    func(r *rig) error { return os.Rename(r.path("new"), r.path("other")) },
		"exchanged":                  func(r *rig) error { return r.exchange("new", "1.entity_text") },
		"others renamed onto it":     func(r *rig) error { return os.Rename(r.path("2.entity_text"), r.path("new")) },
		"the end of the mount":       func(r *rig) error { r.again(); return nil },
		"the scratch directory read": func(r *rig) error { _, err := r.mount.Scratch(); return err },
	} {
		t.Run(why, func(t *testing.T) {
			r := newMemFilesRig(t)
			r.write("new", "text")
			require.NoError(t, os.Chmod(r.path("new"), 0o604))
			at := time.Unix(1_000_000_000, 5)
			require.NoError(t, os.Chtimes(r.path("new"), at, at))
			before := r.stat("new")
			require.NoFileExists(t, r.onDisk("new"))
			open, err := os.Open(r.path("new"))
			require.NoError(t, err)
			defer func() { require.NoError(t, open.Close()) }()
			if why == "the end of the mount" {
				require.NoError(t, open.Close())
				open, err = os.Open(os.DevNull)
				require.NoError(t, err)
			}
			require.NoError(t, do(r))
			switch why {
			case "renamed":
				require.FileExists(t, r.onDisk("other"))
				require.NoError(t, os.Rename(r.path("other"), r.path("new")))
			case "exchanged":
				require.NoError(t, r.exchange("new", "1.entity_text"))
			case "others renamed onto it":
				return
			}
			require.FileExists(t, r.onDisk("new"))
			after := r.stat("new")
			require.Equal(t, before.Ino, after.Ino)
			require.Equal(t, before.Mode, after.Mode)
			if why != "grown" {
				require.Equal(t, before.Mtim, after.Mtim)
				require.Equal(t, "text", r.read("new"))
			}
		})
	}
}

func (r *rig) exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, r.path(a), unix.AT_FDCWD, r.path(b), unix.RENAME_EXCHANGE)
}

// statAnew returns attributes that the kernel has asked for just now.
func (r *rig) statAnew(name string) unix.Statx_t {
	var st unix.Statx_t
	require.NoError(r, unix.Statx(unix.AT_FDCWD, r.path(name), unix.AT_STATX_FORCE_SYNC, unix.STATX_BASIC_STATS, &st))
	return st
}

// TestAFileThatGrowsOldIsOnTheDisk and nobody can tell when that was.
// It shows invariant 12.
func TestAFileThatGrowsOldIsOnTheDisk(t *testing.T) {
	r := newRig(t, 1)
	gone, err := os.Create(r.path("gone"))
	require.NoError(t, err)
	defer gone.Close()
	_, err = gone.WriteString("nameless")
	require.NoError(t, err)
	require.NoError(t, os.Remove(r.path("gone")))
	r.write("new", "text")
	before, dir := r.statAnew("new"), r.statAnew(".")
	require.Eventually(t, func() bool {
		_, err := os.Lstat(r.onDisk("new"))
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, before, r.statAnew("new"))
	require.Equal(t, dir, r.statAnew("."))
	require.Equal(t, "text", r.read("new"))
	text := make([]byte, 8)
	_, err = gone.ReadAt(text, 0)
	require.NoError(t, err)
	require.Equal(t, "nameless", string(text))
}

// TestManyFilesInMemoryFindRoom: what memory has no room for is on the disk.
func TestManyFilesInMemoryFindRoom(t *testing.T) {
	r := newMemFilesRig(t)
	const files, size = 40, 1 << 20
	text := make([]byte, size)
	for i := range files {
		text[0] = byte(i)
		require.NoError(t, os.WriteFile(r.path("big"+string(rune('A'+i))), text, 0o644))
	}
	flushed, err := os.ReadDir(r.dir.ScratchPath())
	require.NoError(t, err)
	require.Greater(t, len(flushed), files/2)
	for i := range files {
		got, err := os.ReadFile(r.path("big" + string(rune('A'+i))))
		require.NoError(t, err)
		require.Len(t, got, size)
		require.EqualValues(t, i, got[0])
	}
	r.again()
	require.Len(t, r.names(), 3+files)
}
