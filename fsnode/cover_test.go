package fsnode_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
)

// The world directory in the mount, and a file there.
func (r *rig) in(name string) string { return filepath.Join(filepath.Dir(r.mnt), name) }

// under returns where something in the world directory lies beneath the mount.
func (r *rig) under(name string) string { return filepath.Join(r.dir.Place(), name) }

func TestTheStateIsShownButClosed(t *testing.T) {
	r := newCoverRig(t, 3)
	secret := r.in(".worldfs/keep")
	require.NoError(t, os.WriteFile(r.under(".worldfs/keep"), []byte("state"), 0o600))
	text, err := os.ReadFile(secret)
	require.NoError(t, err)
	require.Equal(t, "state", string(text))
	require.NoError(t, os.WriteFile(r.under(".worldfs/keep"), []byte("other state"), 0o600))
	text, err = os.ReadFile(secret)
	require.NoError(t, err)
	require.Equal(t, "other state", string(text), "it is never stale")
	require.NoError(t, os.WriteFile(r.in("free"), nil, 0o644))

	for what, err := range map[string]error{
		"write":             os.WriteFile(secret, []byte("x"), 0o600),
		"truncate":          os.Truncate(secret, 0),
		"append":            appendTo(secret, "x"),
		"create":            os.WriteFile(r.in(".worldfs/new"), nil, 0o600),
		"mkdir":             os.Mkdir(r.in(".worldfs/dir"), 0o700),
		"symlink":           os.Symlink("x", r.in(".worldfs/link")),
		"mkfifo":            unix.Mkfifo(r.in(".worldfs/fifo"), 0o600),
		"unlink":            os.Remove(secret),
		"rmdir":             unix.Rmdir(r.in(".worldfs/packs")),
		"rmdir of itself":   unix.Rmdir(r.in(".worldfs")),
		"link out":          os.Link(secret, r.in("linked")),
		"link in":           os.Link(r.in("free"), r.in(".worldfs/linked")),
		"rename out":        os.Rename(secret, r.in("out")),
		"rename to entity":  os.Rename(secret, r.path("77.entity_text")),
		"rename in":         os.Rename(r.in("free"), secret),
		"rename of itself":  os.Rename(r.in(".worldfs"), r.in("state")),
		"exchange":          unix.Renameat2(unix.AT_FDCWD, secret, unix.AT_FDCWD, r.in("free"), unix.RENAME_EXCHANGE),
		"chmod":             os.Chmod(secret, 0o666),
		"chmod of itself":   os.Chmod(r.in(".worldfs"), 0o777),
		"utimes":            os.Chtimes(secret, time.Unix(1, 0), time.Unix(1, 0)),
		"setxattr":          unix.Setxattr(secret, "user.x", []byte("x"), 0),
		"setxattr, itself":  unix.Setxattr(r.in(".worldfs"), "user.x", []byte("x"), 0),
		"removexattr":       unix.Removexattr(secret, "user.x"),
		"rename of the way": os.Rename(filepath.Join(r.top, "levels"), filepath.Join(r.top, "maps")),
		"rename of home":    os.Rename(r.mnt, r.in("things")),
	} {
		if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.ENODATA) {
			t.Errorf("%s: %v", what, err)
		}
	}
	after, err := os.ReadFile(r.under(".worldfs/keep"))
	require.NoError(t, err)
	require.Equal(t, "other state", string(after))
	require.Error(t, os.RemoveAll(r.in(".worldfs")))
	_, err = os.Stat(r.under(".worldfs/state.db"))
	require.NoError(t, err)
	require.NoError(t, r.world.Sync())
}

func TestWhatTheDaemonWritesBeneathIsSeenAtOnce(t *testing.T) {
	r := newCoverRig(t, 3)
	for _, name := range []string{"world.pack", "types/Lamp.toml", "id_ranges"} {
		for i := range 20 {
			text := fmt.Sprint("version ", i*i*i)
			require.NoError(t, os.WriteFile(r.under(name)+".new", []byte(text), 0o644))
			require.NoError(t, os.Rename(r.under(name)+".new", r.under(name)))
			got, err := os.ReadFile(r.in(name))
			require.NoError(t, err)
			require.Equal(t, text, string(got))
			info, err := os.Stat(r.in(name))
			require.NoError(t, err)
			require.EqualValues(t, len(text), info.Size())
		}
		require.NoError(t, os.Remove(r.under(name)))
		require.NoFileExists(t, r.in(name))
	}
	// And what is written through the mount is beneath at once.
	require.NoError(t, os.WriteFile(r.in("world.pack"), []byte("saved"), 0o644))
	got, err := os.ReadFile(r.under("world.pack"))
	require.NoError(t, err)
	require.Equal(t, "saved", string(got))
	require.NoError(t, os.Remove(r.under("world.pack")))
}

// Elsewhere the kernel remembers for a moment what is not there; the daemon says
// where it wrote.
func TestWhatTheDaemonSaysItWroteBeneathIsSeenAtOnce(t *testing.T) {
	r := newCoverRig(t, 1)
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(r.floor+filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(r.floor+path, []byte(text), 0o644))
	}
	for i, path := range []string{"out/a", "out/a", "out/b", "out/deep/c", "out/deep/d", "out/e"} {
		_, _ = os.Stat(filepath.Join(r.top, path)) // it may be there already
		text := fmt.Sprint("version ", i*i*i)
		write(path, text)
		require.NoError(t, r.mount.InvalidateBeneath("out", 2))
		got, err := os.ReadFile(filepath.Join(r.top, path))
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	require.NoError(t, r.mount.InvalidateBeneath("nowhere/at/all", 2))
}

func TestAFileOfAnotherTimeBecomesAnEntityWithANumberOfItsOwn(t *testing.T) {
	r := newCoverRig(t, 3)
	// While they are open the kernel remembers them: at one time no two have one
	// number.
	look := func() {
		seen := map[uint64]string{}
		for i := range 30 {
			for _, path := range []string{r.path(fmt.Sprint(100+i, ".entity_text")), r.in(fmt.Sprint("new", i))} {
				f, err := os.Open(path)
				require.NoError(t, err)
				defer f.Close()
				info, err := f.Stat()
				require.NoError(t, err)
				ino := info.Sys().(*syscall.Stat_t).Ino
				require.Empty(t, seen[ino], "%s has the same number %d", path, ino)
				seen[ino] = path
			}
		}
	}
	for i := range 30 {
		// Made beneath, so the mount has given it no number; the filesystem gives
		// that which it had to the next one.
		name := fmt.Sprint("old", i)
		require.NoError(t, os.WriteFile(r.under(name), []byte(name), 0o644))
		open, err := os.Open(r.in(name))
		require.NoError(t, err)
		require.NoError(t, os.Rename(r.in(name), r.path(fmt.Sprint(100+i, ".entity_text"))))
		text := make([]byte, 10)
		n, _ := open.ReadAt(text, 0)
		require.Equal(t, name, string(text[:n]), "it stays open")
		require.NoError(t, open.Close())
		_, err = os.Stat(r.under(name))
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	for i := range 30 {
		require.NoError(t, os.WriteFile(r.under(fmt.Sprint("new", i)), nil, 0o644))
	}
	look()
	r.again()
	look()
	for i := range 30 {
		require.Equal(t, fmt.Sprint("old", i), r.read(fmt.Sprint(100+i, ".entity_text")))
	}
}

// TestARenameOntoAnEntityKeepsTheFileThatWasMade shows invariant 1.
func TestARenameOntoAnEntityKeepsTheFileThatWasMade(t *testing.T) {
	r := newCoverRig(t, 3)
	tmp := filepath.Join(r.top, ".svn", "tmp")
	require.NoError(t, os.MkdirAll(tmp, 0o755))
	for i := range 10 {
		from := filepath.Join(tmp, "svn-XXXXXX")
		require.NoError(t, os.WriteFile(from, fmt.Append(nil, "text ", i), 0o644))
		info, err := os.Stat(from)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(from, 0o444))
		require.NoError(t, os.Rename(from, r.path("1.entity_text")))
		require.NoFileExists(t, from)
		require.Equal(t, fmt.Sprint("text ", i), r.read("1.entity_text"))
		require.Equal(t, info.Sys().(*syscall.Stat_t).Ino, r.stat("1.entity_text").Ino)
		require.EqualValues(t, unix.S_IFREG|0o444, r.stat("1.entity_text").Mode)
	}
	left, err := os.ReadDir(r.floor + ".svn/tmp")
	require.NoError(t, err)
	require.Empty(t, left)
	ino := r.stat("1.entity_text").Ino
	r.again()
	require.Equal(t, "text 9", r.read("1.entity_text"))
	require.Equal(t, ino, r.stat("1.entity_text").Ino)
}

func TestTheEntitiesDirectoryCanBeRemovedAndMadeAgain(t *testing.T) {
	r := newCoverRig(t, 2)
	require.ErrorIs(t, unix.Rmdir(r.mnt), unix.ENOTEMPTY)
	require.NoError(t, os.Remove(r.path("1.entity_text")))
	require.NoError(t, os.Remove(r.path("2.entity_text")))
	r.write("notes", "")
	require.ErrorIs(t, unix.Rmdir(r.mnt), unix.ENOTEMPTY)
	require.NoError(t, os.Remove(r.path("notes")))
	require.NoError(t, unix.Rmdir(r.mnt))
	require.NoDirExists(t, r.mnt)
	require.ErrorIs(t, unix.Rmdir(r.mnt), unix.ENOENT)
	entries, err := os.ReadDir(r.in("."))
	require.NoError(t, err)
	for _, e := range entries {
		require.NotEqual(t, "entities", e.Name())
	}
	require.True(t, r.mount.EntitiesRemoved())

	require.NoError(t, os.Mkdir(r.mnt, 0o750))
	require.ErrorIs(t, os.Mkdir(r.mnt, 0o750), unix.EEXIST)
	info, err := os.Stat(r.mnt)
	require.NoError(t, err)
	require.Equal(t, os.ModeDir|0o750, info.Mode())
	r.write("1.entity_text", "Lamp\n1\n1\n; watts\n    7\n")
	require.Equal(t, []string{"1.entity_text"}, r.names())
	require.False(t, r.mount.EntitiesRemoved())

	// The first entity from elsewhere brings it back.
	require.NoError(t, os.Remove(r.path("1.entity_text")))
	require.NoError(t, unix.Rmdir(r.mnt))
	_, err = r.world.Import(cache.Intake{Entities: []*entity.Entity{lamp(5, lampType())}, AllowLoss: true})
	require.NoError(t, err)
	r.mount.WaitNotified()
	require.Eventually(t, func() bool { _, err := os.Stat(r.path("5.entity_text")); return err == nil },
		time.Minute, 10*time.Millisecond)
}

// TestNothingBeneathIsReachedThroughASymlink shows invariant 5.
func TestNothingBeneathIsReachedThroughASymlink(t *testing.T) {
	r := newCoverRig(t, 1)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "f"), []byte("outside"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(r.top, "dir"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(r.top, "dir", "f"), []byte("inside"), 0o644))
	open, err := os.Open(filepath.Join(r.top, "dir"))
	require.NoError(t, err)
	defer open.Close()
	// Beneath, the directory that the kernel knows makes way to a symlink.
	require.NoError(t, os.Rename(r.floor+"dir", r.floor+"gone"))
	require.NoError(t, os.Symlink(outside, r.floor+"dir"))
	fd, err := unix.Openat(int(open.Fd()), "f", unix.O_RDONLY, 0)
	if err == nil { // the kernel may remember it for a moment
		text := make([]byte, 7)
		n, _ := unix.Read(fd, text)
		require.NotEqual(t, "outside", string(text[:max(n, 0)]))
		require.NoError(t, unix.Close(fd))
	}
}

// What the daemon is writing beside a file, until it takes that file's place, is in no
// listing: svn looks at each name that it lists, and fails where one has gone.
func TestANameThatPassesIsInNoListing(t *testing.T) {
	r := newCoverRig(t, 1)
	for _, in := range []string{"world.pack", "types/Lamp.toml", ".worldfs/state.db"} {
		for _, suffix := range []string{"tmp", "next"} {
			passing := disk.Beside(r.under(in), suffix)
			require.NoError(t, os.WriteFile(passing, nil, 0o644))
			names, err := os.ReadDir(filepath.Dir(r.in(in)))
			require.NoError(t, err)
			require.NotEmpty(t, names)
			for _, name := range names {
				require.NotEqual(t, filepath.Base(passing), name.Name())
			}
			require.NoError(t, os.Remove(passing))
		}
	}
	own := filepath.Base(disk.Beside("notes", "tmp")) // where the daemon writes nothing
	require.NoError(t, os.WriteFile(filepath.Join(r.top, own), nil, 0o644))
	names, err := os.ReadDir(r.top)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(names, func(e os.DirEntry) bool { return e.Name() == own }))
}
