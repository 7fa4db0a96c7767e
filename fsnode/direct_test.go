package fsnode_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestTheKernelWritesSubversionsDatabaseByItself does what SQLite does, and more:
// all of it is in the file beneath, whoever looks.
func TestTheKernelWritesSubversionsDatabaseByItself(t *testing.T) {
	r := newCoverRig(t, 2)
	require.NoError(t, os.Mkdir(r.in(".svn"), 0o755))
	path, beneath := r.in(".svn/wc.db"), r.under(".svn/wc.db")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	require.NoError(t, err)
	defer f.Close()
	again, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer again.Close()
	before := r.mount.Requests()["write"]
	const pieces = 50
	for i := range int64(pieces) {
		_, err := f.WriteAt([]byte("0123456789"), 10*i)
		require.NoError(t, err)
	}
	direct := os.Getuid() == 0 && !noKernelCache
	if direct {
		require.Equal(t, before, r.mount.Requests()["write"])
	}
	is := func(size int, start string) {
		t.Helper()
		for _, at := range []string{path, beneath} {
			text, err := os.ReadFile(at)
			require.NoError(t, err)
			require.Len(t, text, size, at)
			require.Equal(t, start, string(text[:len(start)]), at)
			info, err := os.Stat(at)
			require.NoError(t, err)
			require.EqualValues(t, size, info.Size())
		}
	}
	is(10*pieces, "0123")
	require.NoError(t, again.Truncate(12))
	is(12, "0123")
	_, err = again.WriteAt([]byte("ab"), 0)
	require.NoError(t, err)
	require.NoError(t, again.Sync())
	is(12, "ab23")

	if direct {
		require.ErrorIs(t, os.Rename(path, r.path("1.entity_text")), unix.EXDEV, "what is written to it would be lost")
		require.ErrorIs(t, unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, r.path("2.entity_text"), unix.RENAME_EXCHANGE), unix.EXDEV)
	}
	is(12, "ab23")

	require.NoError(t, os.Rename(path, filepath.Join(filepath.Dir(path), "old")))
	_, err = f.WriteAt([]byte("cd"), 0)
	require.NoError(t, err)
	elsewhere, err := os.ReadFile(filepath.Join(filepath.Dir(path), "old"))
	require.NoError(t, err)
	require.Equal(t, "cd23456789\x30\x31", string(elsewhere))
	require.NoError(t, os.Remove(filepath.Join(filepath.Dir(path), "old")))
	_, err = f.WriteAt([]byte("ef"), 0)
	require.NoError(t, err)
	head := make([]byte, 4)
	_, err = again.ReadAt(head, 0)
	require.NoError(t, err)
	require.Equal(t, "ef23", string(head))
}

// TestAFileOpenBeforeItIsTheDatabaseStaysSo: the kernel refuses to open a file
// both ways at a time.
func TestAFileOpenBeforeItIsTheDatabaseStaysSo(t *testing.T) {
	r := newCoverRig(t, 1)
	require.NoError(t, os.Mkdir(r.in(".svn"), 0o755))
	for _, move := range [][2]string{{"copy", ".svn/wc.db"}, {".svn/wc.db", "back"}} {
		f, err := os.OpenFile(r.in(move[0]), os.O_RDWR|os.O_CREATE, 0o644)
		require.NoError(t, err)
		defer f.Close()
		require.NoError(t, os.Rename(r.in(move[0]), r.in(move[1])))
		again, err := os.OpenFile(r.in(move[1]), os.O_RDWR, 0)
		require.NoError(t, err)
		defer again.Close()
		_, err = f.WriteAt([]byte("text of "+move[0]), 0)
		require.NoError(t, err)
		text, err := os.ReadFile(r.in(move[1]))
		require.NoError(t, err)
		require.Equal(t, "text of "+move[0], string(text))
	}
}
