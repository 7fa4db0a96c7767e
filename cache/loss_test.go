package cache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/merge"
)

// Files that all go and come back, however long it takes, were never deleted: neither
// the pack nor the history says so.
func TestWhatAllGoesAndComesBackWasNeverDeleted(t *testing.T) {
	for _, n := range []int{30, 250} {
		b := newBench(t, n)
		b.w.SetLossPatience(time.Minute)
		for id := entity.ID(1); int(id) <= n; id++ {
			require.NoError(t, b.w.Remove(id))
		}
		time.Sleep(4 * time.Second) // every deletion has been quiet for longer than one alone must
		require.Equal(t, 1, b.published(1))
		for id := entity.ID(1); int(id) <= n; id++ {
			b.create(id, lampText(id, uint64(id)+100))
			if int(id) == n-1 { // most are back: the last one is still waited for
				time.Sleep(time.Second)
				require.Equal(t, n, b.published(entity.ID(n)))
			}
		}
		require.Eventually(t, func() bool { return b.published(entity.ID(n)) == n+100 }, time.Minute, 10*time.Millisecond)
		for _, id := range []entity.ID{1, 2, entity.ID(n)} {
			want := []string{fmt.Sprintf("import none -> %d", id), fmt.Sprintf("edit %d -> %d", id, id+100)}
			require.Equal(t, want, b.past(id), "it was changed, once")
		}
	}
}

// A great loss that stays is not published, and what waits for it is idle, until it is
// allowed: then it is told, too.
func TestAGreatLossThatStaysIsNotPublished(t *testing.T) {
	b := newBench(t, 250)
	b.w.SetLossPatience(3 * time.Second)
	before := b.w.Counters().Checkpoints.Count
	b.removeUpTo(200)
	b.write(250, lampText(250, 9))
	time.Sleep(5 * time.Second)
	require.Equal(t, 1, b.published(1))
	require.Equal(t, 250, b.published(250), "nothing else is published, either")
	b.requireCheckpoints(before)
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 200, 250)
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 200, 250)
	require.Contains(t, b.codes(), "0 great-loss")
	require.Equal(t, []string{"import none -> 1"}, b.past(1))
	require.NoError(t, b.w.AcceptLoss())
	require.Negative(t, b.published(1))
	require.Equal(t, 9, b.published(250))
	require.NotContains(t, b.codes(), "0 great-loss")
	require.Equal(t, []string{"import none -> 1", "edit 1 -> none"}, b.past(1))
	b.crash()
	require.Equal(t, 50, b.w.Len())
}

// Entities that come back long after, some changed, were never deleted.
func TestAGreatLossThatIsTakenBackLater(t *testing.T) {
	b := newBench(t, 120)
	b.w.SetLossPatience(10 * time.Millisecond)
	b.removeUpTo(120)
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 120, 120)
	time.Sleep(2500 * time.Millisecond) // each deletion alone would count by now
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 120, 120)
	for id := entity.ID(1); id <= 120; id++ {
		b.create(id, lampText(id, uint64(id)+500))
	}
	require.NoError(t, b.w.Sync())
	require.Equal(t, 501, b.published(1))
	for _, id := range []entity.ID{1, 60, 120} {
		require.Equal(t, []string{fmt.Sprintf("import none -> %d", id), fmt.Sprintf("edit %d -> %d", id, id+500)}, b.past(id))
	}
}

// A kill while a great loss waits loses nothing that was synced, and the loss waits
// on.
func TestAKillWhileAGreatLossWaits(t *testing.T) {
	b := newBench(t, 250)
	b.removeUpTo(200)
	require.NoError(t, b.w.SyncAll())
	went := time.Now()
	b.crash()
	require.Equal(t, 50, b.w.Len())
	require.Equal(t, 1, b.published(1))
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 200, 250)
	st, err := b.w.Status()
	require.NoError(t, err)
	require.Contains(t, st.Findings[0].Message, went.Local().Format("2006-01-02 15:04"), "status says since when")
	b.reopen()
	require.Equal(t, 50, b.w.Len())
	require.Equal(t, 1, b.published(1), "closing the world publishes it as little")
	b.create(1, lampText(1, 1))
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 199, 250)
	require.NoError(t, b.w.AcceptLoss())
	require.Equal(t, 1, b.published(1))
	require.Negative(t, b.published(2))
}

// What counts as gone: not what has another ID, but what others took the place of.
func TestWhatAGreatLossIs(t *testing.T) {
	b := newBench(t, 150)
	for id := entity.ID(1); id <= 120; id++ {
		require.NoError(t, b.w.Rename(id, id+1000, true))
	}
	require.NoError(t, b.w.Sync(), "they were renumbered")
	require.Equal(t, 1, b.published(1001))
	for id := entity.ID(1001); id <= 1120; id++ {
		require.NoError(t, b.w.Remove(id))
		b.create(id+1000, lampText(id+1000, 700))
	}
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 120, 150)
	for id := entity.ID(2001); id <= 2099; id++ {
		require.NoError(t, b.w.Remove(id)) // these never were in the pack
	}
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 120, 150)
	for id := entity.ID(1001); id <= 1021; id++ {
		b.create(id, lampText(id, 7))
	}
	require.NoError(t, b.w.Sync(), "99 are no great loss")
	small := newBench(t, 5)
	small.removeUpTo(4)
	require.NoError(t, small.w.Sync())
	require.NoError(t, small.w.Remove(5))
	small.requireLoss(small.w.Sync(), cache.LostByEdits, 1, 1)
}

// While it waits whatever would publish is refused and changes nothing, but what
// brings the entities back.
func TestWhatWouldPublishAGreatLossIsRefused(t *testing.T) {
	b := newBench(t, 150)
	typ := lampType()
	whole := cache.Intake{Entities: []*entity.Entity{lamp(1, typ, 3)}, Whole: true}
	_, err := b.w.Import(whole)
	b.requireLoss(err, cache.LostByIntake, 149, 150)
	_, err = b.w.TakeIn(b.source(), entity.NewWorld(b.dir.ID, entity.NewTypes()), merge.Options{})
	b.requireLoss(err, cache.LostByIntake, 150, 150)
	require.Equal(t, 150, b.w.Len())
	require.Equal(t, 1, b.published(1))
	require.FileExists(t, filepath.Join(b.dir.TypesPath(), "Lamp.toml"), "its types are not taken away, either")

	b.removeUpTo(149)
	_, err = b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(500, typ, 900)}})
	b.requireLoss(err, cache.LostByEdits, 149, 150)
	_, err = b.w.Format(nil, true)
	require.NoError(t, err, "it has nothing to publish")
	packs, err := b.w.Kept()
	require.NoError(t, err)
	_, err = b.w.Restore(cache.Target{Target: packstore.Target{Hash: packs[0].Hash}})
	require.NoError(t, err)
	require.Equal(t, 150, b.w.Len())
	require.NoError(t, b.w.Sync())
	packs, err = b.w.Kept()
	require.NoError(t, err)
	require.Len(t, packs, 2, "the state before is kept")

	_, err = b.w.Restore(cache.Target{Target: packstore.Target{Hash: packs[0].Hash}})
	b.requireLoss(err, cache.LostByIntake, 149, 150)
	_, err = b.w.Restore(cache.Target{Target: packstore.Target{Hash: packs[0].Hash}, AllowLoss: true})
	require.NoError(t, err)
	require.Equal(t, 1, b.w.Len())
	whole.AllowLoss, whole.Entities = true, nil
	_, err = b.w.Import(whole)
	require.NoError(t, err)
	require.Zero(t, b.w.Len())
}

// A save of the game's editor that lacks most entities is kept, and not taken in.
func TestASaveThatIsAGreatLoss(t *testing.T) {
	b := newBench(t, 150)
	b.write(150, lampText(150, 8))
	require.NoError(t, b.w.Sync())
	some := entity.NewWorld(b.dir.ID, entity.NewTypes(lampType()))
	for id := entity.ID(1); id <= 20; id++ {
		some.Put(lamp(id, lampType(), 1))
	}
	(&engine{b: b, world: some}).save()
	b.eventually("the good pack is in its place", func() bool { return len(b.codes()) > 0 && b.published(150) == 8 })
	require.Contains(t, b.codes(), "0 save-loss")
	require.Equal(t, 150, b.w.Len())
	require.Equal(t, 1, b.published(1), "nothing of it is taken in")
	b.crash()
	require.Contains(t, b.codes(), "0 save-loss")
	require.Equal(t, 150, b.published(149)+1)

	packs, err := b.w.Kept()
	require.NoError(t, err)
	i := slices.IndexFunc(packs, func(k packstore.Kept) bool { return k.Saved })
	_, err = b.w.Restore(cache.Target{Target: packstore.Target{Hash: packs[i].Hash}, AllowLoss: true})
	require.NoError(t, err)
	require.Equal(t, 20, b.w.Len(), "it was meant")
}

// A save that comes while a great loss waits, which is not its doing, waits too.
func TestASaveWaitsWithAGreatLoss(t *testing.T) {
	b := newBench(t, 150)
	saved := entity.NewWorld(b.dir.ID, entity.NewTypes(lampType()))
	for id := entity.ID(1); id <= 150; id++ {
		saved.Put(lamp(id, lampType(), uint64(id)))
	}
	saved.Put(lamp(7, lampType(), 700))
	b.removeUpTo(150)
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 150, 150)
	(&engine{b: b, world: saved}).save()
	b.eventually("status says so", func() bool { return slices.Contains(b.codes(), "0 save-torn") })
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 149, 150)
	for range 2 {
		require.Equal(t, 700, b.published(7), "it stays where it is")
		require.Zero(t, b.w.Len())
		b.crash()
	}
	for id := entity.ID(1); id <= 150; id++ {
		b.create(id, lampText(id, uint64(id)))
	}
	require.NoError(t, b.w.Sync())
	require.Equal(t, 700, b.published(7))
	require.Equal(t, lampText(7, 700), b.text(7))
	require.NotContains(t, b.codes(), "0 save-torn")
}

// Plain files of which most are missing are not taken in until they are back, or it is
// allowed.
func TestPlainFilesThatAreAGreatLoss(t *testing.T) {
	for _, left := range []int{0, 20} {
		b := plainBench(t, 150)
		b.takePlain()
		all, err := os.ReadDir(b.dir.EntitiesPath())
		require.NoError(t, err)
		for _, e := range all[left:] {
			require.NoError(t, os.Remove(filepath.Join(b.dir.EntitiesPath(), e.Name())))
		}
		for range 2 {
			_, err = b.w.TakePlain()
			b.requireLoss(err, cache.LostByPlain, 150-left, 150)
			b.requireLoss(b.w.Sync(), cache.LostByPlain, 150-left, 150)
			require.Contains(t, b.codes(), "0 great-loss")
			require.Equal(t, 150, b.w.Len())
			b.crash()
		}
		_, err = b.w.TakePlain()
		require.Error(t, err)
		_, err = b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(500, lampType(), 3)}})
		b.requireLoss(err, cache.LostByPlain, 150-left, 150)
		b.w.KeepPlain()
		written, err := b.w.WritePlain("", false)
		require.NoError(t, err)
		require.Equal(t, 150-left, written)
		b.takePlain()
		require.NoError(t, b.w.Sync())

		for _, e := range all[left:] {
			require.NoError(t, os.Remove(filepath.Join(b.dir.EntitiesPath(), e.Name())))
		}
		b.w.SetLossAllowed(true)
		_, err = b.w.TakePlain()
		require.NoError(t, err)
		require.Equal(t, left, b.w.Len())
	}
}

// Undo brings back one of many that are gone, and an edit goes on where it was.
func TestOneOfAGreatLossIsBroughtBack(t *testing.T) {
	b := newBench(t, 120)
	b.write(7, lampText(7, 70))
	b.removeUpTo(120)
	e, err := b.w.Undelete(7)
	require.NoError(t, err)
	require.NotNil(t, e)
	require.Equal(t, lampText(7, 7), b.text(7))
	e, err = b.w.Undelete(7)
	require.NoError(t, err)
	require.Nil(t, e, "it is there")
	e, err = b.w.Undelete(700)
	require.NoError(t, err)
	require.Nil(t, e, "it never was")
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 119, 120)
	b.crash()
	require.Equal(t, 1, b.w.Len())
	require.NoError(t, b.w.AcceptLoss())
	require.Equal(t, 7, b.published(7))
}

// A command that changes something else while a great loss waits changes nothing, and
// says why; what is written into a file is durable all the same.
func TestAChangeOfSomethingElseWhileAGreatLossWaits(t *testing.T) {
	b := newBench(t, 250)
	b.removeUpTo(200)
	odd := lampText(241, 9) + "\n"
	require.NoError(t, b.write(241, odd).Sync())
	for name, change := range map[string]func() error{
		"import": func() error {
			_, err := b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(240, lampType(), 7)}})
			return err
		},
		"fmt": func() error { _, err := b.w.Format([]entity.ID{241}, false); return err },
	} {
		err := change()
		b.requireLoss(err, cache.LostByEdits, 200, 250)
		require.ErrorContains(t, err, "nothing is changed", name)
	}
	require.NotContains(t, b.w.Sync().Error(), "nothing is changed", "that is about the loss itself")
	b.crash()
	require.Equal(t, odd, b.text(241))
	require.Equal(t, lampText(240, 240), b.text(240))
	require.Equal(t, 50, b.w.Len())
	b.requireLoss(b.w.Sync(), cache.LostByEdits, 200, 250)
}

func (b *bench) removeUpTo(last entity.ID) {
	for id := entity.ID(1); id <= last; id++ {
		require.NoError(b, b.w.Remove(id))
	}
}

func (b *bench) requireLoss(err error, by cache.LossKind, gone, had int) {
	b.Helper()
	var loss *cache.LossError
	require.ErrorAs(b, err, &loss)
	require.Equal(b, []any{by, gone, had}, []any{loss.By, loss.Gone, loss.Had})
}

// source is the world as it is now.
func (b *bench) source() entity.Source {
	v, err := b.w.View()
	require.NoError(b, err)
	return v
}
