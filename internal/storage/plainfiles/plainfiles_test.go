package plainfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// texts are entities' files in memory.
type texts map[entity.ID]string

type textFile string

func (f textFile) PlainText() ([]byte, error) { return []byte(f), nil }
func (f textFile) PlainAttr() fileattr.Attr {
	return fileattr.Attr{Mode: DefaultMode, Mtime: time.Unix(981173106, 0)}
}

func (t texts) IDs(after entity.ID, n int) (ids []entity.ID) {
	for id := range t {
		if id > after {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(n, len(ids))]
}

func (t texts) Has(id entity.ID) bool   { _, ok := t[id]; return ok }
func (t texts) IsBroken(entity.ID) bool { return false }

func (t texts) Open(id entity.ID) (EntityFile, error) {
	text, ok := t[id]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return textFile(text), nil
}

// write brings dir to what t has and returns the stamps from then on.
func (t texts) write(tb testing.TB, w *Writer) map[entity.ID]state.Stamp {
	tb.Helper()
	w.Files, w.Stamps = t, make(map[entity.ID]state.Stamp)
	if w.Disk == nil {
		w.Disk = &disk.Disk{}
	}
	require.NoError(tb, w.WriteAll())
	gone, err := w.RemoveGone()
	require.NoError(tb, err)
	require.NoError(tb, w.SyncNames(gone))
	now := make(map[entity.ID]state.Stamp)
	for id, s := range w.Known {
		if !slices.Contains(gone, id) {
			now[id] = s
		}
	}
	for id, s := range w.Stamps {
		now[id] = s
	}
	return now
}

func scan(t *testing.T, dir string, known map[entity.ID]state.Stamp) *Scan {
	s, err := ScanDir(dir, layout.None, func() (map[entity.ID]state.Stamp, error) { return known, nil })
	require.NoError(t, err)
	return s
}

// settle has every file's change be older than the clock's last tick, so that a stamp
// tells whether it stands as it was.
func settle(t *testing.T, dir string, known map[entity.ID]state.Stamp) map[entity.ID]state.Stamp {
	time.Sleep(3 * time.Duration(fileattr.Tick))
	s := scan(t, dir, known)
	require.Empty(t, s.Texts)
	for id, st := range s.Stamps {
		known[id] = st
	}
	return known
}

func TestWhatIsWrittenIsFoundAsItIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "entities")
	world := texts{}
	for id := range entity.ID(300) {
		world[id+1] = fmt.Sprintf("Lamp\n1\n%d\n", id+1)
	}
	known := settle(t, dir, world.write(t, &Writer{Dir: dir, Own: true}))
	require.Len(t, known, 300)

	s := scan(t, dir, known)
	require.Equal(t, 300, s.Files)
	require.Empty(t, s.Texts, "invariant 1: what stands as it was is not read")
	require.Empty(t, s.Gone)

	w := &Writer{Dir: dir, Own: true, Shared: true, Known: known}
	world.write(t, w)
	require.Zero(t, w.Written, "invariant 1: what stands as it was is not written")
	require.NoDirExists(t, filepath.Join(dir, worlddir.StagingName))
}

func TestChangesAreFound(t *testing.T) {
	dir := t.TempDir()
	known := settle(t, dir, texts{1: "one", 2: "two", 3: "three", 4: "four"}.write(t, &Writer{Dir: dir, Own: true}))
	path := func(id entity.ID) string { return filepath.Join(dir, layout.FileName(id)) }
	require.NoError(t, os.WriteFile(path(1), []byte("changed"), 0o644))
	require.NoError(t, os.Remove(path(2)))
	require.NoError(t, os.Chmod(path(3), 0o600))
	require.NoError(t, os.Remove(path(4)))
	require.NoError(t, os.Symlink(path(1), path(4)))
	require.NoError(t, os.WriteFile(path(5), []byte("new"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "7"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "7", layout.FileName(7)), []byte("sharded"), 0o644))

	s := scan(t, dir, known)
	require.Equal(t, map[entity.ID][]byte{1: []byte("changed"), 5: []byte("new")}, s.Texts)
	require.Equal(t, []entity.ID{2}, s.Gone)
	require.Equal(t, uint32(0o600), s.Attrs[3].Mode)
	require.Len(t, s.Notes, 1, "invariant 4: a symlink is not followed, and is no deletion")
	require.Equal(t, entity.ID(4), s.Notes[0].ID)
	require.Len(t, s.Misplaced, 1)
}

// Invariant 3.
func TestAnEditIsNeitherOverwrittenNorRemoved(t *testing.T) {
	dir := t.TempDir()
	known := settle(t, dir, texts{1: "one", 2: "two", 3: "three"}.write(t, &Writer{Dir: dir, Own: true}))
	for id := range entity.ID(2) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, layout.FileName(id+1)), []byte("edit"), 0o644))
	}
	w := &Writer{Dir: dir, Own: true, Shared: true, Known: known}
	texts{1: "other", 4: "four"}.write(t, w)
	slices.Sort(w.Skipped)
	require.Equal(t, []entity.ID{1, 2}, w.Skipped)
	for id, want := range map[entity.ID]string{1: "edit", 2: "edit", 4: "four"} {
		got, err := os.ReadFile(filepath.Join(dir, layout.FileName(id)))
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	require.NoFileExists(t, filepath.Join(dir, layout.FileName(3)))
}

// Invariants 2 and 5.
func TestAFileHasItsOldBytesWhateverFails(t *testing.T) {
	for _, step := range []string{"first", "sync", "rename"} {
		t.Run(step, func(t *testing.T) {
			dir := t.TempDir()
			known := settle(t, dir, texts{1: "one"}.write(t, &Writer{Dir: dir, Own: true}))
			broken := errors.New("broken")
			failing := &disk.Disk{Fault: func(at string) error {
				if at == step+" plain file" || step == "sync" && at == "fsync plain file" {
					return broken
				}
				return nil
			}}
			w := &Writer{Files: texts{1: "other"}, Disk: failing, Dir: dir, Own: true, Shared: true, Known: known, Stamps: make(map[entity.ID]state.Stamp)}
			if step == "first" {
				w.First = func() error { return broken }
			}
			require.ErrorIs(t, w.WriteAll(), broken)
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, entries, 1, "nothing that was staged is left")
			got, err := os.ReadFile(filepath.Join(dir, layout.FileName(1)))
			require.NoError(t, err)
			require.Equal(t, "one", string(got))
		})
	}
}
