package disk_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

func TestOnlyOrdinaryFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("file"), []byte("text"), 0o600))
	require.NoError(t, os.Mkdir(at("directory"), 0o700))
	require.NoError(t, os.Symlink("file", at("link")))
	require.NoError(t, os.Symlink("directory", at("link to a directory")))
	require.NoError(t, os.Symlink("missing", at("dangling")))
	require.NoError(t, unix.Mkfifo(at("pipe"), 0o600))

	data, err := disk.ReadFile(at("file"), 4)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
	data, err = disk.ReadFile(at("file"), 2)
	require.NoError(t, err)
	require.Equal(t, "tex", string(data), "a byte more than the limit")
	for _, name := range []string{"directory", "link", "link to a directory", "dangling", "pipe"} {
		_, err := disk.ReadFile(at(name), 10)
		require.ErrorIs(t, err, disk.ErrNotOrdinary, name)
		_, err = disk.OpenFile(at(name), os.O_RDWR|os.O_CREATE, 0o600)
		require.ErrorIs(t, err, disk.ErrNotOrdinary, name)
	}
	_, err = disk.ReadFile(at("missing"), 10)
	require.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, disk.CheckDirectory(at("directory")))
	require.ErrorIs(t, disk.CheckDirectory(at("link to a directory")), disk.ErrNotOrdinary)
	require.ErrorIs(t, disk.CheckDirectory(at("file")), disk.ErrNotOrdinary)
	require.True(t, strings.HasPrefix(disk.CheckDirectory(at("file")).Error(), at("file")))
}

func TestSameText(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"a": "text", "same": "text", "other": "next", "longer": "text text"} {
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink("a", at("link")))
	require.NoError(t, unix.Mkfifo(at("pipe"), 0o600))
	require.True(t, disk.SameText(at("a"), at("same"), 4))
	require.False(t, disk.SameText(at("a"), at("same"), 3), "beyond the limit")
	for _, name := range []string{"other", "longer", "link", "pipe", "missing", "."} {
		require.False(t, disk.SameText(at("a"), at(name), 100), name)
		require.False(t, disk.SameText(at(name), at("a"), 100), name)
	}
}
