package cache_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// inStep takes in the plain files as a command does that opens the world, and
// returns whether there is then nothing to write.
func (b *bench) inStep() bool {
	_, err := b.w.TakePlain()
	require.NoError(b, err)
	return b.w.PlainInStep()
}

func TestPlainFilesAreKnownToBeInStep(t *testing.T) {
	b := newBench(t, 5)
	path := filepath.Join(b.dir.EntitiesPath(), "2.entity_text")
	write := func() {
		_, err := b.w.WritePlain("", false)
		require.NoError(t, err)
	}
	require.False(t, b.inStep())
	write()
	b.reopen()
	b.eventually("they are, once the clock has moved on", b.inStep)

	for what, change := range map[string]func(){
		"an edit":        func() { b.write(2, lampText(2, 99)) },
		"its exact text": func() { b.write(2, "\n"+lampText(2, 99)) },
		"its form": func() {
			_, err := b.w.Format([]entity.ID{2}, false)
			require.NoError(t, err)
		},
		"an import": func() {
			_, err := b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(2, lampType(), 97)}})
			require.NoError(t, err)
		},
		"a deletion": func() { require.NoError(t, b.w.Remove(3)); b.create(3, lampText(3, 3)) },
		"a mode": func() {
			mode := uint32(0o600)
			f, err := b.w.Lookup(2)
			require.NoError(t, err)
			require.NoError(t, f.SetAttr(cache.AttrChange{Mode: &mode}))
		},
	} {
		b.write(2, "\n"+lampText(2, 98))
		write()
		b.eventually("in step", b.inStep)
		change()
		require.False(t, b.w.PlainInStep(), what)
		require.NoError(t, b.w.SyncAll())
		b.crash()
		require.False(t, b.inStep(), "%s, after a crash", what)
		write()
		require.Equal(t, b.text(2), read(t, path), what)
	}

	require.NoError(t, os.Remove(path))
	require.False(t, b.inStep(), "a plain file was removed")
}

// Of what comes in from a few plain files only those are written that it changes.
func TestOnlyWhatIsNotInStepIsWritten(t *testing.T) {
	b := plainBench(t, 300)
	b.reopen()
	b.eventually("they are in step", b.inStep)
	edit := func(id entity.ID, to string) { require.NoError(t, os.WriteFile(b.plainPath(id), []byte(to), 0o644)) }
	edit(2, lampText(2, 20))
	edit(3, strings.ReplaceAll(lampText(3, 30), "\n", "\r\n"))
	edit(4, "broken")
	edit(400, lampText(400, 4))
	edit(6, lampText(6, 6)) // its own text
	edit(7, lampText(7, 70)+"; no such field\n    1\n")
	require.NoError(t, os.Remove(b.plainPath(5)))
	b.takePlain()
	require.False(t, b.w.PlainInStep())
	ids, known := b.w.PlainToWrite()
	require.True(t, known)
	require.Equal(t, []entity.ID{2, 3, 4, 5, 7, 400}, ids)
	require.Equal(t, 20, b.published(2))
	b.requirePlainWritten()
	b.reopen()
	b.eventually("they are in step again", b.inStep)

	edit(2, lampText(2, 21))
	b.takePlain()
	b.write(9, lampText(9, 90)) // of which the scan knows nothing
	_, known = b.w.PlainToWrite()
	require.False(t, known)
	b.requirePlainWritten()
}

// A checkout that nothing is known of is read once, and that is all.
func TestWhatIsTakenInWholeIsInStep(t *testing.T) {
	for what, alter := range map[string]func(b *bench){
		"as it was": func(*bench) {},
		"its form":  func(b *bench) { b.editPlain(2, "\n", "\r\n") },
		"a mode":    func(b *bench) { require.NoError(t, os.Chmod(b.plainPath(2), 0o600)) },
		"broken":    func(b *bench) { b.editPlain(2, "Lamp", "\x00") },
		"misplaced": func(b *bench) {
			require.NoError(t, os.MkdirAll(filepath.Join(b.dir.EntitiesPath(), "9"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(b.dir.EntitiesPath(), "9", "9.entity_text"), nil, 0o644))
		},
	} {
		t.Run(what, func(t *testing.T) {
			b := plainBench(t, 4)
			require.NoError(t, b.w.Close())
			require.NoError(t, os.RemoveAll(b.dir.StatePath()))
			require.NoError(t, b.dir.EnsureState())
			require.NoError(t, os.Remove(b.dir.PackPath()))
			alter(b)
			time.Sleep(3 * time.Duration(fileattr.Tick)) // what changed within a tick is in doubt
			b.open()
			require.Equal(t, what != "broken" && what != "misplaced", b.inStep())
			texts := b.texts()
			for id, text := range texts {
				require.Equal(t, text, b.plain(id))
			}
			_, err := b.w.WritePlain("", false)
			require.NoError(t, err)
			require.Equal(t, texts, b.texts())
			b.reopen()
			if what != "misplaced" {
				b.eventually("they are in step for the next one, too", b.inStep)
			}
		})
	}
}

// requirePlainWritten writes the plain files, which then are the world.
func (b *bench) requirePlainWritten() {
	b.Helper()
	_, err := b.w.WritePlain("", false)
	require.NoError(b, err)
	texts := b.texts()
	for id, text := range texts {
		require.Equal(b, text, b.plain(id))
	}
	entries, err := os.ReadDir(b.dir.EntitiesPath())
	require.NoError(b, err)
	require.Len(b, entries, len(texts))
}

func read(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// addPlain adds a file with a time that no other has: of two in one tick of the clock the
// later is told apart by a time of its own, which the file then has to get.
func addPlain(b *bench) {
	require.NoError(b, os.WriteFile(b.plainPath(9), []byte(lampText(9, 9)), 0o644))
	before := time.Now().Add(-time.Hour)
	require.NoError(b, os.Chtimes(b.plainPath(9), before, before))
}

// What a few plain files say is noted once, where the world is then what all of
// them say, and none is written.
func TestWhatChangedInAPlainFileLeavesAllInStep(t *testing.T) {
	for what, c := range map[string]struct {
		alter  func(b *bench)
		inStep bool
	}{
		"its values":  {func(b *bench) { b.editPlain(2, lampText(2, 2), lampText(2, 22)) }, true},
		"its form":    {func(b *bench) { b.editPlain(2, "\n", "\r\n") }, true},
		"its mode":    {func(b *bench) { require.NoError(b, os.Chmod(b.plainPath(2), 0o755)) }, true},
		"a new one":   {addPlain, true},
		"broken":      {func(b *bench) { b.editPlain(2, "Lamp", "\x00") }, false},
		"gone":        {func(b *bench) { require.NoError(b, os.Remove(b.plainPath(2))) }, false},
		"a wide mode": {func(b *bench) { b.editPlain(3, lampText(3, 3), lampText(3, 33)) }, false},
	} {
		t.Run(what, func(t *testing.T) {
			b := plainBench(t, 4)
			mode := uint32(0o600)
			f, err := b.w.Lookup(3)
			require.NoError(t, err)
			require.NoError(t, f.SetAttr(cache.AttrChange{Mode: &mode}))
			b.requirePlainWritten()
			b.reopen()
			b.eventually("in step", b.inStep)
			c.alter(b)
			require.Equal(t, c.inStep, b.inStep())
			b.requirePlainWritten()
			b.crash()
			b.eventually("and for the next one", b.inStep)
			b.requirePlainWritten()
		})
	}
}

// A text that does not parse, of an entity that a save had changed, is as the world has it,
// though what it was made of is kept.
func TestABrokenTextThatMetAChangeIsInStep(t *testing.T) {
	b := plainBench(t, 4)
	b.write(2, lampText(2, 22))
	require.NoError(t, os.WriteFile(b.plainPath(2), []byte("broken"), 0o644))
	require.False(t, b.inStep())
	b.requirePlainWritten()
	b.reopen()
	b.eventually("in step", b.inStep)

	b.editPlain(3, lampText(3, 3), lampText(3, 33))
	require.True(t, b.inStep())
	b.requirePlainWritten()
	b.crash()
	b.eventually("and for the next one", b.inStep)

	require.NoError(t, os.WriteFile(b.plainPath(2), []byte("broken in another way"), 0o644))
	require.False(t, b.inStep())
	_, known := b.w.PlainToWrite()
	require.True(t, known)
	b.requirePlainWritten()

	require.NoError(t, os.WriteFile(b.plainPath(2), []byte(lampText(2, 2)), 0o644))
	require.False(t, b.inStep())
	b.requirePlainWritten()
	require.Equal(t, lampText(2, 22), b.plain(2))
	require.Equal(t, lampText(3, 33), b.plain(3))
}
