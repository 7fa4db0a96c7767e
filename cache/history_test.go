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
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// past returns what the history has of an entity, an entry a line.
func (b *bench) past(id entity.ID) (out []string) {
	entries, err := b.w.History(id)
	require.NoError(b, err)
	watts := func(text []byte) string {
		if text == nil {
			return "none"
		}
		res, err := textcodec.Decode(text, id, b.w.Types())
		if err != nil {
			return "broken"
		}
		return fmt.Sprint(res.Entity.Value("watts").Uint())
	}
	for _, e := range entries {
		line := e.By
		switch e.Kind {
		case history.Changed:
			line += " " + watts(e.Was) + " -> " + watts(e.Is)
		case history.Broken:
			line += " broken"
		case history.Mended:
			line += " mended"
		case history.Lost:
			line += " lost " + watts(e.Is)
		}
		out = append(out, line)
	}
	return out
}

// put puts text in the place of the file in one step, durably, as a rename does.
func (b *bench) put(id entity.ID, text string) {
	ino, err := b.w.NewIno()
	require.NoError(b, err)
	_, err = b.w.Adopt(id, fileattr.Attr{Ino: ino, Mode: 0o644, Mtime: time.Now(), Ctime: time.Now()}, []byte(text), false)
	require.NoError(b, err)
}

func TestHistoryHasWhatEveryDoorChanged(t *testing.T) {
	b := newBench(t, 3)
	require.Equal(t, []string{"import none -> 1"}, b.past(1))
	b.put(1, lampText(1, 10))
	require.Equal(t, []string{"import none -> 1", "edit 1 -> 10"}, b.past(1))
	b.put(1, lampText(1, 10))
	require.Len(t, b.past(1), 2, "the same again is no change")

	typ := lampType()
	_, err := b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(1, typ, 20), lamp(4, typ, 4)}})
	require.NoError(t, err)
	require.Equal(t, "import 10 -> 20", b.past(1)[2])
	require.Equal(t, []string{"import none -> 4"}, b.past(4))

	require.NoError(t, b.w.Remove(2))
	require.Equal(t, []string{"import none -> 2", "edit 2 -> none"}, b.past(2))
	b.put(2, lampText(2, 22))
	require.Equal(t, "edit none -> 22", b.past(2)[2])

	_, err = b.w.WritePlain("", false)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(b.dir.EntitiesPath()+"/3.entity_text", []byte(lampText(3, 33)), 0o644))
	require.NoError(t, os.Remove(b.dir.EntitiesPath()+"/4.entity_text"))
	_, err = b.w.TakePlain()
	require.NoError(t, err)
	require.Equal(t, []string{"import none -> 3", "plain 3 -> 33"}, b.past(3))
	require.Equal(t, []string{"import none -> 4", "plain 4 -> none"}, b.past(4))
}

func TestHistoryHasBrokenTexts(t *testing.T) {
	b := newBench(t, 1)
	b.put(1, lampText(1, 5))
	require.Len(t, b.past(1), 2)
	b.put(1, "Lamp\n3\n1\n; watts\n    many\n")
	_, err := b.w.Status()
	require.NoError(t, err)
	b.put(1, lampText(1, 6))
	require.Equal(t, []string{"import none -> 1", "edit 1 -> 5", "edit broken", "edit mended", "edit 5 -> 6"}, b.past(1))
	entries, err := b.w.History(1)
	require.NoError(t, err)
	require.Equal(t, "Lamp\n3\n1\n; watts\n    many\n", string(entries[2].Is))
	require.Contains(t, entries[2].Note, "line 5")

	b.put(1, "Lamp\n")
	require.NoError(t, b.w.Sync())
	require.Len(t, b.past(1), 6)
	b.reopen()
	require.Len(t, b.past(1), 6, "that it is broken still is nothing new")
}

// git replaces a broken file by removing it and making it anew: it is mended when
// the new text is read, and what is removed for good is so when that counts.
func TestABrokenTextIsMendedByWhatTakesItsPlace(t *testing.T) {
	b := newBench(t, 3)
	breakText := func(id entity.ID) {
		b.put(id, "Lamp\n")
		_, err := b.w.Status()
		require.NoError(t, err)
	}
	notes := func(id entity.ID) (notes []string) {
		entries, err := b.w.History(id)
		require.NoError(t, err)
		for _, e := range entries {
			if e.Kind == history.Mended {
				notes = append(notes, e.Note)
			}
		}
		return notes
	}
	for _, id := range []entity.ID{1, 2, 9} {
		breakText(id)
	}
	require.NoError(t, b.w.Remove(1))
	b.put(1, "Lamp\n3\n")
	_, err := b.w.Status()
	require.NoError(t, err)
	require.NoError(t, b.w.Remove(1))
	b.create(1, lampText(1, 1))
	require.Equal(t, []string{"import none -> 1", "edit broken", "edit broken", "edit mended"}, b.past(1))
	require.Equal(t, []string{""}, notes(1))

	require.NoError(t, b.w.Remove(2))
	require.NoError(t, b.w.Remove(9))
	require.Equal(t, []string{"import none -> 2", "edit broken", "edit mended", "edit 2 -> none"}, b.past(2))
	require.Equal(t, []string{"the file is gone"}, notes(2))
	require.Equal(t, []string{"edit broken", "edit mended"}, b.past(9), "it never had values")

	breakText(3)
	require.NoError(t, b.w.Remove(3))
	_, err = b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(3, lampType(), 3)}})
	require.NoError(t, err)
	require.Equal(t, []string{"import none -> 3", "edit broken", "import mended", "import none -> 3"}, b.past(3))
}

// A deletion that is taken back in time is none.
func TestHistoryHasNoEventOfADeletionTakenBack(t *testing.T) {
	b := newBench(t, 500)
	for id := entity.ID(1); ; id++ { // on a loaded machine once may be too slow
		begin := time.Now()
		require.NoError(t, b.w.Remove(id))
		b.put(id, lampText(id, uint64(id)))
		if time.Since(begin) < time.Second {
			require.Equal(t, []string{"import none -> " + id.String()}, b.past(id))
			return
		}
	}
}

func TestHistoryHasWhatLostAConflict(t *testing.T) {
	b := newBench(t, 2)
	base, err := b.w.View()
	require.NoError(t, err)
	b.put(1, lampText(1, 10))
	typ := b.w.Types().Get("Lamp")
	theirs := entity.NewOverlay(base, map[entity.ID]*entity.Entity{1: lamp(1, typ, 20)})
	r, err := b.w.TakeIn(base, theirs, merge.Options{Policy: merge.Mine})
	require.NoError(t, err)
	require.Len(t, r.Conflicts, 1)
	require.Equal(t, []string{"import none -> 1", "edit 1 -> 10", "merge lost 20"}, b.past(1))
}

// After a kill the history has each change once: those that are still edits are
// read again, and known.
func TestHistoryAfterAKill(t *testing.T) {
	b := newBench(t, 3)
	b.put(1, lampText(1, 10))
	b.crash()
	require.Equal(t, []string{"import none -> 1", "edit 1 -> 10"}, b.past(1))

	b.put(2, lampText(2, 20))
	require.Eventually(t, func() bool {
		of, err := b.w.Log().Of(2)
		return err == nil && len(of) == 2
	}, 30*time.Second, 5*time.Millisecond)
	b.crash()
	require.Equal(t, []string{"import none -> 2", "edit 2 -> 20"}, b.past(2))
}

// What a checkpoint that was cut short after the exchange has published is told
// when the world is opened again.
func TestHistoryAfterAKillInACheckpoint(t *testing.T) {
	b := newBench(t, 3)
	require.NoError(t, b.w.Remove(3))
	b.put(1, lampText(1, 10))
	b.w.SetFault(func(step string) error {
		if step == "fsync directory of pack" {
			b.w.CloseState()
		}
		return nil
	})
	_ = b.w.Sync() // what it says of this is not what is tested
	b.crash()
	require.Equal(t, []string{"import none -> 1", "edit 1 -> 10"}, b.past(1))
	require.Equal(t, []string{"import none -> 3", "edit 3 -> none"}, b.past(3))
}

func TestALargeIntakeIsOneEntry(t *testing.T) {
	b := newBench(t, 1)
	typ := lampType()
	in := cache.Intake{}
	for i := range 20_001 {
		in.Entities = append(in.Entities, lamp(entity.ID(i+2), typ, 1))
	}
	_, err := b.w.Import(in)
	require.NoError(t, err)
	require.Empty(t, b.past(2))
	bulk := b.past(0)
	require.Len(t, bulk, 1)
}

// What comes in about an entity whose text is written meanwhile loses to that text, which
// the history says; not where both say the same.
func TestWhatLosesToATextWrittenMeanwhileIsInTheHistory(t *testing.T) {
	odd := strings.ReplaceAll(lampText(2, 20), "\n", "\r\n")
	for name, c := range map[string]struct {
		text string
		past []string
	}{
		"other values":                       {lampText(2, 30), []string{"import 2 -> 20", "import lost 20", "edit 20 -> 30"}},
		"the same text":                      {lampText(2, 20), []string{"import 2 -> 20"}},
		"the same values, written otherwise": {odd, []string{"import 2 -> 20"}},
		"a text that is no entity":           {"broken", []string{"import 2 -> 20", "import lost 20", "edit broken"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 5)
			b.once("exchange pack", func() error { return b.write(2, c.text).Sync() })
			importWatts(b)
			require.Equal(t, c.text, b.text(2))
			require.Equal(t, c.past, b.past(2)[1:])
		})
	}
	t.Run("a deletion", func(t *testing.T) {
		b := newBench(t, 5)
		b.once("exchange pack", func() error { return b.write(2, lampText(2, 30)).Sync() })
		_, err := b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(1, lampType(), 1)}, Whole: true, AllowLoss: true})
		require.NoError(t, err)
		require.Equal(t, []string{"import 2 -> none", "edit none -> 30"}, b.past(2)[1:])
	})
}
