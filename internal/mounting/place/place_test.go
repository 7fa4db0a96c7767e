package place_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// rig is a tree of a scratch directory with one directory, sub, and a file in it.
type rig struct {
	*testing.T
	path    string
	scratch *realfs.Scratch
	tree    *place.Tree
	top     place.Dir
	sub     place.Dir
	file    place.Location
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, path: t.TempDir()}
	require.NoError(t, os.Mkdir(filepath.Join(r.path, "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(r.path, "sub", "a"), []byte("text"), 0o600))
	var err error
	r.scratch, err = realfs.OpenScratch(r.path, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	r.tree = place.NewTree(r.scratch)
	r.tree.Open()
	t.Cleanup(func() {
		r.tree.EvictAll()
		r.tree.Close()
		r.scratch.Close()
	})
	r.top.Top = r.scratch.Dir
	r.tree.Lock()
	defer r.tree.Unlock()
	r.sub.Loc.Add(r.top.Named("sub"))
	r.note(r.sub.Named("a"))
	return r
}

// note notes a name of the file. The caller has the tree's lock.
func (r *rig) note(p place.Dentry) {
	d, err := r.tree.OpenNameLocked(p.Dir, p.Name)
	require.NoError(r, err)
	defer d.Close()
	st, err := d.Stat()
	require.NoError(r, err)
	r.file.NoteName(p, st)
}

func (r *rig) requireText(h *place.Handle) {
	r.Helper()
	require.NoError(r, h.Use(unix.O_RDONLY, func(d *realfs.Desc) error {
		text := make([]byte, 10)
		n, err := d.ReadAt(text, 0)
		require.Equal(r, "text", string(text[:n]))
		return err
	}))
}

func TestAFileIsFoundAfterItsDirectoryWasRenamed(t *testing.T) {
	r := newRig(t)
	h := r.tree.NewHandle(&r.file)
	r.requireText(&h)
	r.tree.Lock()
	require.NoError(t, r.tree.RenameLocked(r.top.Named("sub"), r.top.Named("elsewhere"), 0))
	r.sub.Loc.Drop(r.top.Named("sub"))
	r.sub.Loc.Add(r.top.Named("elsewhere"))
	r.tree.Unlock()
	r.tree.EvictAll()
	r.requireText(&h)
	require.Equal(t, r.sub.Named("a"), r.tree.LastName(&r.file))
}

func TestAFileIsFoundByItsOtherName(t *testing.T) {
	r := newRig(t)
	require.NoError(t, os.Link(filepath.Join(r.path, "sub", "a"), filepath.Join(r.path, "b")))
	r.tree.Lock()
	r.note(r.top.Named("b"))
	r.tree.Unlock()
	require.False(t, r.tree.IsLast(&r.file, r.top.Named("b")))
	require.NoError(t, os.Remove(filepath.Join(r.path, "b"))) // without a notice
	h := r.tree.NewHandle(&r.file)
	r.requireText(&h)
	require.True(t, r.tree.IsLast(&r.file, r.sub.Named("a")))
}

// loseName removes the file's only name.
func (r *rig) loseName() {
	require.NoError(r, os.Remove(filepath.Join(r.path, "sub", "a")))
	r.tree.Lock()
	defer r.tree.Unlock()
	r.file.Drop(r.sub.Named("a"))
}

// open opens the file to look at it.
func (r *rig) open() *realfs.Desc {
	r.tree.RLock()
	defer r.tree.RUnlock()
	d, err := r.tree.OpenLocked(&r.file, unix.O_PATH)
	require.NoError(r, err)
	return d
}

func TestAFileWithoutANameGoesOnByItsDescriptor(t *testing.T) {
	r := newRig(t)
	h := r.tree.NewHandle(&r.file)
	h.HoldLocked(r.open())
	r.loseName()
	r.requireText(&h)
	h.CloseLocked()
	require.ErrorIs(t, h.Use(unix.O_RDONLY, func(*realfs.Desc) error { return nil }), unix.ENOENT)
}

func TestAFileWithoutANameGoesOnByItsHiddenLink(t *testing.T) {
	r := newRig(t)
	d := r.open()
	require.NoError(t, r.tree.LinkOrphan(&r.file, d))
	d.Close()
	r.loseName()
	h := r.tree.NewHandle(&r.file)
	require.True(t, h.IsOrphan())
	r.requireText(&h)
	r.tree.EvictAll()
	r.tree.UnlinkOrphan(&r.file)
	require.False(t, h.IsOrphan())
	require.ErrorIs(t, h.Use(unix.O_RDONLY, func(*realfs.Desc) error { return nil }), unix.ENOENT)
	left, err := r.scratch.Moving.List()
	require.NoError(t, err)
	require.Empty(t, left)
}
