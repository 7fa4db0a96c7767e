package cache_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// plainBench is a world whose plain files are written.
func plainBench(t *testing.T, n int) *bench {
	b := newBench(t, n)
	_, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	return b
}

func (b *bench) plainPath(id entity.ID) string {
	return filepath.Join(b.dir.EntitiesPath(), layout.FileName(id))
}

func (b *bench) plain(id entity.ID) string {
	text, err := os.ReadFile(b.plainPath(id))
	require.NoError(b, err)
	return string(text)
}

// edit replaces something in an entity's file in the mount.
func (b *bench) edit(id entity.ID, old, new string) {
	text := b.text(id)
	require.Contains(b, text, old)
	b.write(id, strings.Replace(text, old, new, 1))
	require.NoError(b, b.w.Sync())
}

// editPlain replaces something in a plain file, as a checkout does.
func (b *bench) editPlain(id entity.ID, old, new string) {
	text := b.plain(id)
	require.Contains(b, text, old)
	require.NoError(b, os.Remove(b.plainPath(id)))
	require.NoError(b, os.WriteFile(b.plainPath(id), []byte(strings.Replace(text, old, new, 1)), 0o644))
}

func (b *bench) takePlain() cache.Report {
	r, err := b.w.TakePlain()
	require.NoError(b, err)
	return r
}

const atX = "0.000000 : 0\n"

var fixedTime = time.Unix(1600000000, 0)

func TestPlainFilesAreMergedWithWhatChangedHere(t *testing.T) {
	b := plainBench(t, 4)
	b.edit(1, "; watts\n    1\n", "; watts\n    100\n")
	b.edit(2, "; watts\n    2\n", "; watts\n    200\n")
	for i := range 40 { // more packs than are kept
		b.write(4, lampText(4, uint64(1000+i)))
		require.NoError(t, b.w.Sync())
	}
	b.crash()
	b.editPlain(1, atX, "2.5\n")
	b.editPlain(3, "; watts\n    3\n", "; watts\n    300\n")
	r := b.takePlain()
	require.Equal(t, 2, r.Changed)
	require.Empty(t, r.Conflicts)
	require.Empty(t, b.codes())
	require.Contains(t, b.text(1), "; watts\n    100\n")
	require.Contains(t, b.text(1), "2.5")
	require.Equal(t, []int{100, 200, 300, 1039}, []int{b.published(1), b.published(2), b.published(3), b.published(4)})
	_, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	for id := entity.ID(1); id <= 4; id++ {
		require.Equal(t, b.text(id), b.plain(id))
	}
	require.Zero(t, b.takePlain().Changed)
}

// What was merged is the base of the next merge although it is in no pack: the
// plain file's own text is.
func TestAPlainFileThatWasMergedIsTheNextBase(t *testing.T) {
	b := plainBench(t, 1)
	b.edit(1, "; watts\n    1\n", "; watts\n    100\n")
	b.editPlain(1, atX, "2.5\n")
	require.Equal(t, 1, b.takePlain().Changed)
	b.crash() // before the plain files were written
	b.edit(1, "; watts\n    100\n", "; watts\n    101\n")
	b.editPlain(1, "2.5\n", "3.5\n") // whose watts are still those of before
	require.NoError(t, os.Chtimes(b.plainPath(1), fixedTime, fixedTime))
	r := b.takePlain()
	require.Equal(t, 1, r.Changed)
	require.Empty(t, r.Conflicts)
	require.Equal(t, 101, b.published(1))
	require.Contains(t, b.text(1), "3.5")
	require.NotContains(t, b.text(1), "2.5")
}

func TestAConflictOfAPlainFileIsMarked(t *testing.T) {
	b := plainBench(t, 1)
	b.edit(1, "; watts\n    1\n", "; watts\n    100\n")
	b.editPlain(1, "; watts\n    1\n", "; watts\n    50\n")
	b.editPlain(1, atX, "2.5\n")
	r := b.takePlain()
	require.Len(t, r.Conflicts, 1)
	require.Equal(t, "watts", r.Conflicts[0].Field)
	require.Equal(t, []string{"1 conflict"}, b.codes())
	require.Contains(t, b.text(1), "<<<<<<<")
	require.Contains(t, b.text(1), "2.5")
	require.Equal(t, 100, b.published(1))
	require.Zero(t, b.takePlain().Changed, "it is taken in once")
	_, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Equal(t, b.text(1), b.plain(1))
}

func TestAPlainFilesBytesStayWhereItsValuesDo(t *testing.T) {
	b := plainBench(t, 4)
	odd := func(id entity.ID) string { return strings.ReplaceAll(lampText(id, uint64(id)), "\n", "\r\n") }
	for id := entity.ID(1); id <= 2; id++ { // only its form changed
		require.NoError(t, os.WriteFile(b.plainPath(id), []byte(odd(id)), 0o644))
	}
	b.edit(2, "; watts\n    2\n", "; watts\n    200\n")
	require.NoError(t, os.WriteFile(b.plainPath(3), []byte("broken"), 0o644))
	b.edit(3, "; watts\n    3\n", "; watts\n    300\n")
	b.takePlain()
	require.Equal(t, odd(1), b.text(1))
	require.Equal(t, lampText(2, 200), b.text(2))
	require.Equal(t, "broken", b.text(3))
	require.Equal(t, 300, b.published(3), "its last good values stay")

	// Both made the same of it.
	b.edit(4, "; watts\n    4\n", "; watts\n    400\n")
	require.NoError(t, os.WriteFile(b.plainPath(4), []byte(strings.ReplaceAll(lampText(4, 400), "\n", "\r\n")), 0o644))
	r := b.takePlain()
	require.Empty(t, r.Conflicts)
	require.Contains(t, b.text(4), "\r\n")
}

func TestAPlainFileThatIsMissingIsADeletion(t *testing.T) {
	b := plainBench(t, 5)
	require.NoError(t, os.WriteFile(b.plainPath(3), []byte("broken"), 0o644))
	require.NoError(t, os.WriteFile(b.plainPath(9), []byte("broken"), 0o644))
	b.takePlain()
	b.edit(2, "; watts\n    2\n", "; watts\n    200\n")
	for _, id := range []entity.ID{1, 2, 3, 9} {
		require.NoError(t, os.Remove(b.plainPath(id)))
	}
	r := b.takePlain()
	require.Len(t, r.Conflicts, 1, "2 was changed here")
	require.Equal(t, []entity.ID{2, 4, 5}, b.w.IDs(0, 10))
	require.Equal(t, 200, b.published(2))
}

// Both sides made an entity of the same ID: nothing of either is lost.
func TestWhatIsNoFileInThePlaceOfOneIsNoDeletion(t *testing.T) {
	for what, put := range map[string]func(path string) error{
		"a fifo":      func(path string) error { return unix.Mkfifo(path, 0o600) },
		"a symlink":   func(path string) error { return os.Symlink("nowhere", path) },
		"a directory": func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		t.Run(what, func(t *testing.T) {
			b := plainBench(t, 4)
			b.takePlain()
			require.NoError(t, os.Remove(b.plainPath(2)))
			require.NoError(t, put(b.plainPath(2)))
			r := b.takePlain()
			require.Zero(t, r.Deleted)
			require.Equal(t, []string{"2 unreadable"}, b.codes())
			require.Equal(t, 2, b.judged(2))
			require.NoError(t, os.RemoveAll(b.plainPath(2)))
			b.takePlain()
			require.Equal(t, 3, b.w.Len(), "now it is one")
		})
	}
}

func TestAnEntityMadeOnBothSides(t *testing.T) {
	b := plainBench(t, 2)
	b.create(7, lampText(7, 70))
	require.NoError(t, b.w.Sync())
	require.NoError(t, os.WriteFile(b.plainPath(7), []byte(lampText(7, 71)), 0o644))
	b.takePlain()
	var watts []int
	for _, id := range b.w.IDs(2, 10) {
		watts = append(watts, b.published(id))
	}
	require.ElementsMatch(t, []int{70, 71}, watts)
}

func TestABaseThatIsLostIsAFinding(t *testing.T) {
	b := plainBench(t, 2)
	b.edit(1, "; watts\n    1\n", "; watts\n    100\n")
	kept, err := filepath.Glob(filepath.Join(b.dir.PacksPath(), "*"))
	require.NoError(t, err)
	for _, path := range kept {
		require.NoError(t, os.Remove(path))
	}
	b.editPlain(1, atX, "2.5\n")
	b.takePlain()
	require.Contains(t, b.codes(), "0 base-unknown")
	require.Contains(t, b.text(1), "2.5")
}

// What somebody changed while the files were being written keeps its base.
func TestAnEditWhilePlainFilesAreWrittenIsMerged(t *testing.T) {
	b := plainBench(t, 2)
	b.edit(1, "; watts\n    1\n", "; watts\n    100\n")
	b.editPlain(1, atX, "2.5\n")
	for range 2 {
		_, err := b.w.WritePlain("", false)
		require.NoError(t, err)
		require.Contains(t, b.plain(1), "2.5")
		b.edit(2, "; watts\n", "; watts\n    0")
	}
	require.Empty(t, b.takePlain().Conflicts)
	require.Contains(t, b.text(1), "2.5")
	require.Contains(t, b.text(1), "; watts\n    100\n")
}

// Each step on the way of the files may be the last: no torn one is ever there,
// and nothing comes in twice or is lost.
func TestPlainFilesAreWholeAfterACrashInTheMidst(t *testing.T) {
	for n := 0; ; n++ {
		b := plainBench(t, 30)
		for id := entity.ID(1); id <= 20; id++ {
			b.write(id, lampText(id, uint64(id)*100))
		}
		require.NoError(t, b.w.Remove(30))
		require.NoError(t, b.w.Sync())
		before, left := b.texts(), n
		reached := false
		b.w.SetFault(func(step string) error {
			if left--; left >= 0 || !strings.Contains(step, "plain file") {
				return nil
			}
			reached = true
			return os.ErrClosed
		})
		_, err := b.w.WritePlain("", false)
		require.Equal(t, reached, err != nil)
		b.crash()
		r := b.takePlain()
		require.Zero(t, r.Broken)
		require.Equal(t, before, b.texts())
		_, err = b.w.WritePlain("", false)
		require.NoError(t, err)
		for id, text := range before {
			require.Equal(t, text, b.plain(id))
		}
		entries, err := os.ReadDir(b.dir.EntitiesPath())
		require.NoError(t, err)
		require.Len(t, entries, len(before))
		if !reached {
			require.Greater(t, n, 5)
			return
		}
		n += n / 4
	}
}

func (b *bench) texts() map[entity.ID]string {
	texts := make(map[entity.ID]string)
	for _, id := range b.w.IDs(0, 1000) {
		texts[id] = b.text(id)
	}
	return texts
}

// A repository may bring anything under the name of a file that is being made.
func TestPlainFilesAreNotWrittenThroughASymlink(t *testing.T) {
	b := plainBench(t, 1)
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, []byte("mine"), 0o644))
	staging := filepath.Join(b.dir.EntitiesPath(), ".worldfs-staging", "0")
	require.NoError(t, os.MkdirAll(staging, 0o755))
	require.NoError(t, os.Symlink(victim, filepath.Join(staging, "1.entity_text")))
	b.edit(1, "; watts\n    1\n", "; watts\n    100\n")
	_, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	text, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
}

// Files are written on all cores; of two that cannot be, the first is told, and
// nothing half done stays.
func TestTheFirstPlainFileThatCannotBeWrittenIsTold(t *testing.T) {
	b := newBench(t, 500)
	to := t.TempDir()
	for _, id := range []string{"100", "400"} { // something is in the way
		require.NoError(t, os.MkdirAll(filepath.Join(to, id+".entity_text", "x"), 0o755))
	}
	_, err := b.w.WritePlain(to, true)
	require.ErrorContains(t, err, "100.entity_text")
	left, err := os.ReadDir(to)
	require.NoError(t, err)
	for _, e := range left {
		id, ok := layout.ParseFileName(e.Name())
		require.True(t, ok, e.Name())
		if e.Type().IsRegular() {
			require.Equal(t, b.text(id), read(t, filepath.Join(to, e.Name())))
		}
	}
}

// A directory that is written a second time after a kill is as if there had
// been none.
func TestWhatAKilledWriterHadStagedGoes(t *testing.T) {
	b := plainBench(t, 3)
	staging := filepath.Join(b.dir.EntitiesPath(), ".worldfs-staging", "1")
	require.NoError(t, os.MkdirAll(staging, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(staging, "2.entity_text"), []byte("torn"), 0o644))
	b.takePlain()
	b.edit(1, "; watts\n    1\n", "; watts\n    100\n")
	b.requirePlainWritten()
	require.NoDirExists(t, filepath.Dir(staging))

	require.NoError(t, os.MkdirAll(staging, 0o755))
	b.reopen() // to be mounted, perhaps: it must not be shown in the mount
	require.NoDirExists(t, filepath.Dir(staging))
}

// More than are given their names at a time, of which some are there.
func TestManyPlainFilesAreWritten(t *testing.T) {
	const many = 5000
	b := newBench(t, many)
	n, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Equal(t, many, n)
	for id := entity.ID(1); id <= many; id += 100 {
		require.Equal(t, b.text(id), b.plain(id))
		require.NoError(t, os.Remove(b.plainPath(id)))
	}
	n, err = b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Equal(t, many/100, n)
	entries, err := os.ReadDir(b.dir.EntitiesPath())
	require.NoError(t, err)
	require.Len(t, entries, many)
}

func TestAPlainFileThatNobodyMayWriteIsWritten(t *testing.T) {
	b := newBench(t, 200)
	mode := uint32(0o444)
	f, err := b.w.Lookup(7)
	require.NoError(t, err)
	require.NoError(t, f.SetAttr(cache.AttrChange{Mode: &mode}))
	n, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Equal(t, 200, n)
	for id, want := range map[string]os.FileMode{"7": 0o444, "8": 0o644} {
		info, err := os.Stat(filepath.Join(b.dir.EntitiesPath(), id+".entity_text"))
		require.NoError(t, err)
		require.Equal(t, want, info.Mode())
	}
}
