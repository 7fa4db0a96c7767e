package cache_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/storage/state"
)

// stopped is a bench whose world does nothing by itself, and whose log there is.
func stopped(t *testing.T, n int) *bench {
	b := newBench(t, n)
	b.w.Stop()
	require.NoError(t, b.write(1, lampText(1, 10)).Sync())
	t.Cleanup(func() {
		if b.w != nil { // it is stopped: Close would stop it again
			b.w.CloseState()
			b.w = nil
		}
	})
	return b
}

// killed opens a stopped world again as after a kill, for the rest of the test.
func (b *bench) killed() {
	b.w.CloseState()
	b.open()
	w := b.w
	b.Cleanup(func() { // before the other ones
		require.NoError(b, w.Close())
		b.w = nil
	})
}

func (b *bench) state() string {
	data, err := os.ReadFile(b.dir.DBPath())
	require.NoError(b, err)
	return string(data)
}

func TestASyncIsOneRecordOfTheLog(t *testing.T) {
	b := stopped(t, 3)
	before := b.state()
	var steps []string
	b.w.SetFault(func(step string) error { steps = append(steps, step); return nil })
	require.NoError(t, b.write(2, lampText(2, 20)).Sync())
	require.Equal(t, []string{"write wal", "fsync wal"}, steps)
	require.Equal(t, before, b.state())
	b.killed()
	require.Equal(t, lampText(1, 10), b.text(1))
	require.Equal(t, lampText(2, 20), b.text(2))
}

// The log has of a file's record what changed: its text may be in state.db, or in
// the record before.
func TestRecordsOfTheLogGoOnFromOneAnother(t *testing.T) {
	b := newBench(t, 4)
	for id := entity.ID(1); id <= 3; id++ {
		b.write(id, fmt.Sprint("broken ", id, "\n"))
	}
	b.reopen() // their texts are in state.db only
	b.w.Stop()
	mtime := time.Unix(1000, 5)
	attr := func(id entity.ID, c cache.AttrChange) {
		f, err := b.w.Lookup(id)
		require.NoError(t, err)
		require.NoError(t, f.SetAttr(c))
		require.NoError(t, f.Sync())
	}
	mode := uint32(0o600)
	attr(1, cache.AttrChange{Mtime: &mtime})
	attr(1, cache.AttrChange{Mode: &mode})
	require.Equal(t, "broken 1\n", b.text(1))
	require.NoError(t, b.write(2, "broken too\n").Sync())
	attr(2, cache.AttrChange{Mode: &mode})
	require.NoError(t, b.w.Remove(3))
	require.NoError(t, b.w.SyncAll())
	require.True(t, b.w.LogIsAhead())
	dir, _ := b.w.DirAttr(-1)
	b.killed()
	require.Equal(t, "broken 1\n", b.text(1))
	require.True(t, mtime.Equal(b.attr(1).Mtime))
	require.Equal(t, mode, b.attr(1).Mode)
	require.Equal(t, "broken too\n", b.text(2))
	require.Equal(t, mode, b.attr(2).Mode)
	require.Equal(t, []entity.ID{1, 2, 4}, b.w.IDs(0, 10))
	again, _ := b.w.DirAttr(-1)
	require.True(t, dir.Equal(again))
}

func TestStateFollowsItsLogByItself(t *testing.T) {
	b := newBench(t, 3)
	mode := uint32(0o600) // which no checkpoint has anything to do for
	f, err := b.w.Lookup(2)
	require.NoError(t, err)
	require.NoError(t, f.SetAttr(cache.AttrChange{Mode: &mode}))
	require.NoError(t, f.Sync())
	require.Eventually(t, func() bool { return !b.w.LogIsAhead() }, time.Minute, 10*time.Millisecond)
	require.NoError(t, b.w.BlankLog())
	b.crash()
	require.Equal(t, mode, b.attr(2).Mode)
}

func TestTheLogMayBecomeFull(t *testing.T) {
	b := stopped(t, 3)
	for i := range 8 {
		long := lampText(2, uint64(i)) + strings.Repeat("; a comment\n", 30_000)
		require.NoError(t, b.write(2, long).Sync())
		require.NoError(t, b.write(1, lampText(1, uint64(i))).Sync())
	}
	require.NoError(t, b.write(3, strings.Repeat("long\n", 500_000)).Sync(), "longer than the log")
	b.killed()
	require.Equal(t, lampText(1, 7), b.text(1))
	require.Equal(t, lampText(2, 7), b.text(2)[:len(lampText(2, 7))])
	require.Len(t, b.text(3), 2_500_000)
}

// Old records must not come back when the log has begun anew.
func TestEachLifeOfTheLogIsItsOwn(t *testing.T) {
	b := stopped(t, 3)
	for i := range 5 {
		for k := range i + 1 {
			require.NoError(t, b.write(2, lampText(2, uint64(10*i+k))).Sync())
		}
		require.True(t, b.w.LogIsAhead())
		require.NoError(t, b.w.Sync())
		require.False(t, b.w.LogIsAhead())
	}
	require.NoError(t, b.write(3, lampText(3, 30)).Sync())
	b.killed()
	require.Equal(t, lampText(2, 44), b.text(2))
	require.Equal(t, lampText(3, 30), b.text(3))
}

// Where the log cannot be written state.db is.
func TestEachStepOfTheLogCanFailAndNobodyIsTold(t *testing.T) {
	for _, step := range []string{"rename wal", "write wal", "fsync wal", "fsync directory of wal"} {
		t.Run(step, func(t *testing.T) {
			b := stopped(t, 3)
			b.breakAt(step)
			b.w.ForgetLog() // the next edit makes a new one
			for i := range uint64(3) {
				require.NoError(t, b.write(2, lampText(2, i)).Sync())
			}
			require.False(t, b.w.LogIsAhead())
			b.killed()
			require.Equal(t, lampText(1, 10), b.text(1))
			require.Equal(t, lampText(2, 2), b.text(2))
		})
	}
}

func TestALogThatFailedIsMadeAnew(t *testing.T) {
	b := stopped(t, 3)
	old, err := os.Open(b.dir.WALPath()) // so that the new one cannot have its inode number
	require.NoError(t, err)
	defer old.Close()
	was, err := old.Stat()
	require.NoError(t, err)
	b.breakAt("fsync wal")
	require.NoError(t, b.write(2, lampText(2, 20)).Sync())
	require.False(t, b.w.LogIsAhead())
	b.breakAt("")
	i := uint64(30)
	require.Eventually(t, func() bool {
		i++
		require.NoError(t, b.write(3, lampText(3, i)).Sync())
		return b.w.LogIsAhead()
	}, time.Minute, 50*time.Millisecond)
	is, err := os.Stat(b.dir.WALPath())
	require.NoError(t, err)
	require.False(t, os.SameFile(was, is), "of the old one nobody knows what the disk has")
	b.killed()
	require.Equal(t, lampText(1, 10), b.text(1))
	require.Equal(t, lampText(2, 20), b.text(2))
	require.Equal(t, lampText(3, i), b.text(3))
}

// What cannot come into state.db is not called durable for as long as the log has
// room: writers are told at once.
func TestWhereStateCannotBeWrittenTheLogIsNotTaken(t *testing.T) {
	b := stopped(t, 3)
	b.w.BreakDatabase()
	require.NoError(t, b.write(2, lampText(2, 20)).Sync(), "nobody knows yet")
	require.Error(t, b.w.Sync())
	f, err := b.w.Lookup(3)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte(lampText(3, 30)), 0)
	require.Error(t, err)
	require.Error(t, b.w.SyncAll())
	b.killed()
	require.Equal(t, lampText(1, 10), b.text(1))
	require.Equal(t, lampText(2, 20), b.text(2))
}

func TestALogThatWasRemovedIsPutBack(t *testing.T) {
	b := stopped(t, 3)
	require.True(t, b.w.LogIsThere())
	require.NoError(t, os.RemoveAll(b.dir.StatePath()))
	require.False(t, b.w.LogIsThere())
	require.NoError(t, b.write(2, lampText(2, 20)).Sync(), "behind the descriptor")
	require.NoError(t, b.w.Renew())
	require.True(t, b.w.LogIsThere())
	require.NoError(t, b.write(3, lampText(3, 30)).Sync())
	b.killed()
	for id := entity.ID(1); id <= 3; id++ {
		require.Equal(t, lampText(id, 10*uint64(id)), b.text(id))
	}
}

// What a log has is not dropped in silence because its state.db is gone.
func TestALogWithoutItsStateIsDamage(t *testing.T) {
	b := stopped(t, 3)
	require.NoError(t, b.write(2, lampText(2, 20)).Sync())
	b.w.CloseState()
	require.NoError(t, os.Remove(b.dir.DBPath()))
	_, err := cache.Open(b.dir, cache.Options{})
	var damage *state.Damage
	require.ErrorAs(t, err, &damage)
	m, err := mend.Mend(b.dir, nil)
	require.NoError(t, err)
	require.NotEmpty(t, m.State.Damage)
	b.killed()
	require.Equal(t, lampText(2, 20), b.text(2), "the log had it")
}

func TestADamagedPackIsMendedWithWhatTheLogHas(t *testing.T) {
	b := stopped(t, 3)
	require.NoError(t, b.w.Sync())
	require.NoError(t, b.write(2, lampText(2, 20)).Sync())
	b.w.CloseState()
	data, err := os.ReadFile(b.dir.PackPath())
	require.NoError(t, err)
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(b.dir.PackPath(), data, 0o644))
	_, err = mend.Mend(b.dir, nil)
	require.NoError(t, err)
	b.killed()
	require.Equal(t, lampText(1, 10), b.text(1))
	require.Equal(t, lampText(2, 20), b.text(2))
}

// A log that is gone, or an earlier one that came back, is told from one that has
// nothing; after a world was closed there need be none.
func TestTheLogThatIsMissed(t *testing.T) {
	b := stopped(t, 3)
	log := b.dir.WALPath()
	earlier, err := os.ReadFile(log)
	require.NoError(t, err)
	b.w.CloseState()
	b.open()
	b.w.Stop()
	require.NoError(t, b.write(2, lampText(2, 20)).Sync())
	b.w.CloseState()
	refused := func() {
		t.Helper()
		_, err := cache.Open(b.dir, cache.Options{})
		var damage *state.Damage
		require.ErrorAs(t, err, &damage)
		require.Equal(t, "state.wal", damage.File)
	}
	require.NoError(t, os.WriteFile(log, earlier, 0o600))
	refused()
	require.NoError(t, os.Remove(log))
	refused()
	mended, err := mend.Mend(b.dir, nil)
	require.NoError(t, err)
	require.Contains(t, strings.Join(mended.State.Unnamed, "\n"), "state.wal")
	b.open()
	require.NoError(t, b.write(2, lampText(2, 21)).Sync())
	require.NoError(t, b.w.Close())
	require.NoError(t, os.Remove(log))
	b.open()
	b.w.Stop()
	require.Equal(t, lampText(2, 21), b.text(2))
}
