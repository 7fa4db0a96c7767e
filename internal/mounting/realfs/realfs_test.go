package realfs_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

func openScratch(t *testing.T, dir string) *realfs.Scratch {
	t.Helper()
	s, err := realfs.OpenScratch(dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func names(t *testing.T, d *realfs.Desc) (out []string) {
	t.Helper()
	all, err := d.List()
	require.NoError(t, err)
	for _, e := range all {
		out = append(out, e.Name)
	}
	return out
}

func TestACrashInAMoveLeavesWhatIsTheOnlyOne(t *testing.T) {
	dir := t.TempDir()
	s := openScratch(t, dir)
	a := fileattr.Attr{Mode: 0o640, Mtime: time.Unix(5, 6), Atime: time.Unix(7, 8)}
	copied, err := s.Prepare(a, []byte("a copy"))
	require.NoError(t, err)
	copied.Desc.Close()
	only, err := s.Prepare(a, []byte("the only one"))
	require.NoError(t, err)
	only.Desc.Close()
	require.NoError(t, s.MarkOnly(only))
	require.Len(t, names(t, s.Moving), 2)

	again := openScratch(t, dir)
	require.Empty(t, names(t, again.Moving))
	left, err := filepath.Glob(filepath.Join(dir, "worldfs-recovered.*"))
	require.NoError(t, err)
	require.Len(t, left, 1)
	text, err := os.ReadFile(left[0])
	require.NoError(t, err)
	require.Equal(t, "the only one", string(text))
	st, err := os.Stat(left[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), st.Mode())
	require.True(t, st.ModTime().Equal(a.Mtime))
}

func TestNoPathLeadsOut(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "outside"), nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "in", "sub"), 0o700))
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "in", "link")))
	in, err := realfs.OpenDir(filepath.Join(dir, "in"), false)
	require.NoError(t, err)
	defer in.Close()
	for _, path := range []string{"../outside", "sub/../../outside", "link/outside", "/etc/passwd"} {
		_, err := in.Open(path, unix.O_RDONLY)
		require.Error(t, err, path)
	}
	d, err := in.Open("sub", unix.O_PATH)
	require.NoError(t, err)
	d.Close()
}

func TestAFilesNumberIsOnItAndNotShown(t *testing.T) {
	s := openScratch(t, t.TempDir())
	var inos realfs.Inos
	inos.Init(s.Root)
	d, err := realfs.Create(s.Root, "file")
	require.NoError(t, err)
	defer d.Close()
	st, err := d.Stat()
	require.NoError(t, err)
	inos.Store(d, st, 4711)
	ino, stored := inos.Of(d, st)
	require.Equal(t, uint64(4711), ino)
	if stored { // the filesystem has attributes
		n, err := d.ListXattr(make([]byte, 100))
		require.NoError(t, err)
		require.Zero(t, n)
		_, err = d.GetXattr("user.worldfs.ino", make([]byte, 100))
		require.ErrorIs(t, err, unix.ENODATA)
	}

	inos.Unstore(d, st, 4711)
	ino, stored = inos.Of(d, st)
	require.Equal(t, uint64(4711), ino)
	require.False(t, stored)
	inos.Drop(st)
	ino, _ = inos.Of(d, st)
	require.Zero(t, ino)
}

func TestACachedDescriptorIsNotClosedWhileItIsUsed(t *testing.T) {
	s := openScratch(t, t.TempDir())
	var cache realfs.Cache
	cache.Open()
	defer cache.Close()
	d, err := realfs.Create(s.Root, "file")
	require.NoError(t, err)
	cache.Put("file", d)
	there, err := cache.Use("file", unix.O_WRONLY, func(d *realfs.Desc) error {
		realfs.EvictCaches()
		_, err := d.WriteAt([]byte("text"), 0)
		return err
	})
	require.NoError(t, err)
	require.True(t, there)
	there, err = cache.Use("file", unix.O_RDONLY, func(*realfs.Desc) error { return nil })
	require.NoError(t, err)
	require.False(t, there)
	require.ErrorIs(t, d.Sync(), unix.EBADF)
}

func TestADirectoryIsMadeWhereAFileIs(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "5"), []byte("in the way"), 0o600))
	s := openScratch(t, dir)
	made, err := s.EnsureDir("5")
	require.NoError(t, err)
	require.True(t, made)
	text, err := os.ReadFile(filepath.Join(dir, "5~"))
	require.NoError(t, err)
	require.Equal(t, "in the way", string(text))
	made, err = s.EnsureDir("5")
	require.NoError(t, err)
	require.False(t, made)
}

func TestAFlushedFileShowsTheTimeThatItHad(t *testing.T) {
	s := openScratch(t, t.TempDir())
	before, err := s.Root.Stat()
	require.NoError(t, err)
	seen, err := realfs.FlushedCtime{}.Flush(s.Root, func() error {
		d, err := realfs.Create(s.Root, "file")
		d.Close()
		return err
	})
	require.NoError(t, err)
	after, err := s.Root.Stat()
	require.NoError(t, err)
	require.True(t, seen.Show(realfs.StatxTime(after.Ctime)).Equal(realfs.StatxTime(before.Ctime)))
	later := time.Now().Add(time.Hour)
	require.True(t, seen.Show(later).Equal(later))
}
