package cache_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// cutWriting writes the plain files and stops where they have their names and
// state.db does not know of it yet, as a kill there does.
func (b *bench) cutWriting() {
	b.breakAt("fsync directory of plain files")
	_, err := b.w.WritePlain("", false)
	require.ErrorIs(b, err, errBreak)
}

// saveUnseen has an engine save while no process has the world open.
func (b *bench) saveUnseen(e *engine) {
	b.w.Crash()
	e.save()
	b.open()
}

// What a writer that was killed has written is no edit of anybody's, also when an
// engine has saved since.
func TestAPlainFileWhoseWriterWasKilledIsNoEdit(t *testing.T) {
	b := plainBench(t, 5)
	b.edit(2, "; watts\n    2\n", "; watts\n    20\n")
	b.edit(3, "; watts\n    3\n", "; watts\n    30\n")
	e := b.engine(true)
	b.cutWriting()
	require.Equal(t, lampText(2, 20), b.plain(2))
	e.set(2, 21)
	b.saveUnseen(e)
	b.editPlain(4, "; watts\n    4\n", "; watts\n    40\n")
	require.Empty(t, b.takePlain().Conflicts)
	require.Equal(t, []int{21, 30, 40}, []int{b.published(2), b.published(3), b.published(4)})
	require.Empty(t, b.codes())
	b.requirePlainInStep()
}

// The same of a file that it has removed.
func TestAPlainFileThatAKilledWriterRemovedIsNoDeletion(t *testing.T) {
	for name, watts := range map[string]uint64{"as it was": 2, "as it was not": 22} {
		t.Run(name, func(t *testing.T) {
			b := plainBench(t, 5)
			require.NoError(t, b.w.Remove(2))
			require.NoError(t, b.w.Sync())
			e := b.engine(true)
			b.cutWriting()
			require.NoFileExists(t, b.plainPath(2))
			e.set(2, watts)
			b.saveUnseen(e)
			require.Empty(t, b.takePlain().Conflicts)
			require.Equal(t, int(watts), b.published(2))
			b.requirePlainInStep()
		})
	}
}

// The next writer may be killed, too, before the files are looked at, or find
// that somebody has edited one.
func TestPlainFilesOfTwoWritersThatWereKilled(t *testing.T) {
	b := plainBench(t, 5)
	b.edit(2, "; watts\n    2\n", "; watts\n    20\n")
	e := b.engine(true)
	b.cutWriting()
	e.set(2, 21)
	e.set(3, 30)
	b.saveUnseen(e)
	b.cutWriting()
	require.Equal(t, lampText(2, 20), b.plain(2), "for all that it knows that is somebody's edit")
	require.Equal(t, lampText(3, 30), b.plain(3))
	e.set(3, 31)
	b.saveUnseen(e)
	_, err := b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Empty(t, b.takePlain().Conflicts)
	require.Equal(t, []int{21, 31}, []int{b.published(2), b.published(3)})
	b.requirePlainInStep()
}

// But what somebody wrote over such a file is an edit, of what it had.
func TestAnEditOfAPlainFileWhoseWriterWasKilled(t *testing.T) {
	b := plainBench(t, 5)
	b.edit(2, "; watts\n    2\n", "; watts\n    20\n")
	e := b.engine(true)
	b.cutWriting()
	e.set(2, 21)
	b.saveUnseen(e)
	b.editPlain(2, "; watts\n    20\n", "; watts\n    25\n")
	require.Len(t, b.takePlain().Conflicts, 1)
	require.Equal(t, 21, b.published(2))
}

// requirePlainInStep writes the plain files, which then are the world, of one
// base.
func (b *bench) requirePlainInStep() {
	b.Helper()
	b.requirePlainWritten()
	b.eventually("the plain files are in step", b.inStep)
	for id := entity.ID(1); id <= 2; id++ {
		require.NoError(b, os.Remove(b.plainPath(id)))
	}
	b.takePlain()
	require.Equal(b, entity.ID(3), b.w.IDs(0, 1)[0], "a file that is missing is a deletion again")
}

// A program saves while plain files are taken in. What it changed of an entity
// whose file came in is in no file: the next edit of that file does not undo it.
func TestASaveWhilePlainFilesAreTakenIn(t *testing.T) {
	b := plainBench(t, 5)
	e := b.engine(true)
	b.editPlain(2, atX, "2.5\n")
	b.once("write pack", func() error { // ours, with the file in it
		e.set(2, 20)
		e.save()
		return nil
	})
	b.takePlain()
	b.eventuallyWatts(2, 20)
	require.Contains(t, b.text(2), "2.5")
	b.crash() // before the plain files are written
	b.editPlain(2, "2.5\n", "3.5\n")
	b.takePlain()
	require.Contains(t, b.text(2), "3.5")
	require.Equal(t, 20, b.published(2))
	require.Empty(t, b.codes())
}
