package cache_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// once has do run at a step, the first time that it comes.
func (b *bench) once(step string, do func() error) {
	done := false
	b.w.SetFault(func(s string) error {
		if s != step || done {
			return nil
		}
		done = true
		return do()
	})
}

// A checkpoint leaves out what is too young to be read. That is durable all the
// same, and a crash before state.db knows of the new pack does not take it for a
// part of that.
func TestACrashAfterTheExchangeKeepsWhatThePackLacks(t *testing.T) {
	b := newBench(t, 5)
	require.NoError(t, b.w.Remove(5))
	b.write(3, lampText(3, 30))
	b.write(2, lampText(2, 20))
	_, err := b.w.View() // reads them
	require.NoError(t, err)
	f := b.write(2, lampText(2, 21)) // and this is too young
	require.NoError(t, f.Sync())
	b.breakAt("fsync directory of pack")
	require.ErrorIs(t, cache.CheckpointNow(b.w), errBreak)

	b.crash()
	require.Equal(t, lampText(2, 21), b.text(2))
	require.Equal(t, lampText(3, 30), b.text(3))
	require.NoError(t, b.w.Sync())
	require.Equal(t, 21, b.published(2))
	require.Equal(t, 30, b.published(3))
	require.Equal(t, []entity.ID{1, 2, 3, 4}, b.w.IDs(0, 10))
}

// The same while the pack is being made: what is written by then is not in it.
func TestACrashAfterTheExchangeKeepsWhatCameMeanwhile(t *testing.T) {
	for _, step := range []string{"write pack", "exchange pack"} {
		t.Run(step, func(t *testing.T) {
			b := newBench(t, 5)
			b.write(2, lampText(2, 20))
			done := false
			b.w.SetFault(func(s string) error {
				if s == step && !done {
					done = true
					return b.write(2, lampText(2, 21)).Sync()
				}
				if s == "fsync directory of pack" {
					return errBreak
				}
				return nil
			})
			require.ErrorIs(t, b.w.Sync(), errBreak)
			b.crash()
			require.Equal(t, lampText(2, 21), b.text(2))
		})
	}
}

// What is read while the pack is being made is compared with the old one.
func TestATextThatIsBackBeforeTheCheckpointEndsStays(t *testing.T) {
	b := newBench(t, 5)
	b.write(2, lampText(2, 20))
	b.once("write pack", func() error {
		err := b.write(2, lampText(2, 2)).Sync()
		_, viewErr := b.w.View()
		return errors.Join(err, viewErr)
	})
	require.NoError(t, b.w.Sync())
	require.Equal(t, lampText(2, 2), b.text(2))
	require.NoError(t, b.w.Sync())
	require.Equal(t, lampText(2, 2), b.text(2))
	require.Equal(t, 2, b.published(2))
}

// What is written while a save is looked at is newer than the save.
func TestAnEditWhileASaveIsLookedAtStays(t *testing.T) {
	b := newBench(t, 5)
	b.once("rename save", func() error { return b.write(2, lampText(2, 20)).Sync() })
	e := b.engine(true)
	two, _ := e.world.Get(2)
	two = two.Clone()
	two.Values[two.Layout.Index("name")] = entity.NewString("two")
	e.world.Put(two)
	e.set(3, 300)
	e.save()
	b.eventuallyWatts(3, 300)
	require.Contains(t, b.text(2), "; watts\n    20\n")
}

// importWatts and saveWatts have entity 2 changed from outside, to 20 watts.
func importWatts(b *bench) {
	_, err := b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(2, lampType(), 20)}})
	require.NoError(b, err)
}

func saveWatts(b *bench) {
	e := b.engine(true)
	e.set(2, 20)
	e.save()
	require.NoError(b, b.w.Sync())
}

// Who changes a file's mode while an entity comes in from elsewhere has not written
// the entity: it comes in.
func TestAnEntityWhoseModeChangesMeanwhileComesIn(t *testing.T) {
	for name, change := range map[string]func(b *bench){
		"an import":        importWatts,
		"an engine's save": saveWatts,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 5)
			require.Equal(t, lampText(2, 2), b.text(2)) // its size is known
			mode := uint32(0o600)
			f, err := b.w.Lookup(2)
			require.NoError(t, err)
			b.once("exchange pack", func() error { return f.SetAttr(cache.AttrChange{Mode: &mode}) })
			change(b)
			for _, then := range []func(){func() {}, b.crash, b.reopen} {
				then()
				require.Equal(t, lampText(2, 20), b.text(2))
				require.Equal(t, int64(len(lampText(2, 20))), b.attr(2).Size)
				require.Equal(t, mode, b.attr(2).Mode)
				require.Equal(t, 20, b.published(2))
			}
		})
	}
}

// onChange calls itself for what has changed.
type onChange func()

func (c onChange) Changed(entity.ID) { c() }
func (c onChange) Created(entity.ID) {}
func (c onChange) Removed(entity.ID) {}

// The pack is kept, durably, before state.db drops the edits that are in it: an
// engine may save over it at once, and the power fail meanwhile, and then the
// edits would be nowhere.
func TestThePublishedPackIsKeptBeforeItsEditsAreDropped(t *testing.T) {
	for name, change := range map[string]func(b *bench){
		"an import":        importWatts,
		"an engine's save": saveWatts,
		"a checkpoint": func(b *bench) {
			require.NoError(b, b.write(2, lampText(2, 20)).Sync())
			require.NoError(b, b.w.Sync())
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 5)
			require.True(t, b.keptWhileStateIsHeld(func() { change(b) }))
		})
	}
}

// keptWhileStateIsHeld reports whether a copy of the pack becomes durable while
// state.db cannot be told that the pack has taken its place.
func (b *bench) keptWhileStateIsHeld(change func()) bool {
	var release func() error
	durable := make(chan struct{}, 8)
	b.w.SetFault(func(step string) error {
		switch step {
		case "exchange pack":
			release = b.w.HoldState()
		case "fsync directory of kept pack":
			if release != nil {
				durable <- struct{}{}
			}
		}
		return nil
	})
	done := make(chan struct{})
	go func() {
		change()
		close(done)
	}()
	kept := false
	select {
	case <-durable:
		kept = true
	case <-done:
		b.Fatal("state.db was told though it was held")
	case <-time.After(time.Minute):
	}
	require.NoError(b, release())
	<-done
	return kept
}

// A program saves as soon as it sees its save before that has come in, and the
// process is killed at some moment after: what the directory is then is opened
// elsewhere. The second save goes on from the first, whatever was left undone.
func TestAKillAfterASaveThatFollowsAnother(t *testing.T) {
	for moment, more := 0, true; more; moment++ {
		t.Run(fmt.Sprint(moment), func(t *testing.T) { more = killedAfterTwoSaves(t, moment) })
	}
}

// killedAfterTwoSaves has the kill at one of the moments, the first of which is when
// the first save is seen, and reports whether there was such a moment.
func killedAfterTwoSaves(t *testing.T, moment int) (there bool) {
	b := newBench(t, 20)
	e := b.engine(true)
	b.write(2, lampText(2, 200)) // a teammate
	require.NoError(t, b.w.Sync())
	left := filepath.Join(t.TempDir(), "world")
	at, seen := 0, false
	pass := func() {
		if seen && at == moment {
			there = true
			out, err := exec.Command("cp", "-a", b.dir.Root, left).CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
		at++
	}
	b.w.SetFault(func(string) error {
		if seen {
			pass()
		}
		return nil
	})
	b.w.Watch(onChange(func() {
		if !seen {
			e.set(3, 301)
			e.save()
			seen = true
			pass()
		}
	}))
	e.set(3, 300)
	e.save()
	b.eventuallyWatts(3, 301)
	b.eventuallyCodes()
	require.NoError(t, b.w.Close())
	if b.w = nil; !there {
		return false
	}
	dir, err := worlddir.Open(left)
	require.NoError(t, err)
	b.dir = dir
	torn := disk.Beside(filepath.Join(dir.PacksPath(), "pack"), "tmp")
	require.NoError(t, os.WriteFile(torn, []byte("to"), 0o600))
	b.open()
	require.NoFileExists(t, torn)
	b.eventuallyWatts(3, 301)
	b.eventuallyCodes()
	require.Equal(t, 200, b.watts(2))
	b.requireNothingBeside()
	return true
}

// A process that is killed leaves a pack of ours beside the one in place, and the
// next that is killed, before it has looked there, one more. Neither is a save of
// some program's.
func TestPacksThatTwoKillsHaveLeftAreOurs(t *testing.T) {
	b := newBench(t, 20)
	e := b.engine(true)
	first, second := filepath.Join(t.TempDir(), "w"), filepath.Join(t.TempDir(), "w")
	writes, exchanges := 0, 0
	b.w.SetFault(func(step string) error {
		switch step {
		case "write pack":
			if writes++; writes == 1 { // a checkpoint, which the save comes out of
				e.set(3, 300)
				e.save()
				b.write(2, lampText(2, 20))
			} else if writes == 2 { // the save's
				return b.write(2, lampText(2, 21)).Sync()
			}
		case "exchange pack":
			if exchanges++; exchanges == 2 {
				b.copyTo(first)
			}
		}
		return nil
	})
	b.write(5, lampText(5, 50))
	require.NoError(t, b.w.Sync())
	b.eventuallyWatts(3, 300)
	require.NoError(t, b.w.Close())
	b.w = nil

	b.openDir(first, func(step string) error {
		if step == "exchange pack" {
			b.copyTo(second)
		}
		return nil
	})
	require.NoError(t, b.w.Close())
	b.openDir(second, nil)
	b.eventuallyWatts(3, 300)
	require.Equal(t, 21, b.watts(2))
	b.eventuallyCodes()
	b.requireNothingBeside()
}

// copyTo leaves the world, as it is on disk at this moment, in another directory.
func (b *bench) copyTo(dir string) {
	if _, err := os.Lstat(dir); err == nil {
		return
	}
	out, err := exec.Command("cp", "-a", b.dir.Root, dir).CombinedOutput()
	require.NoError(b, err, "%s", out)
}

// openDir opens the world that is in a directory.
func (b *bench) openDir(path string, fault func(step string) error) {
	dir, err := worlddir.Open(path)
	require.NoError(b, err)
	b.dir = dir
	b.w, err = cache.Open(dir, cache.Options{Disk: &disk.Disk{Fault: fault}})
	require.NoError(b, err)
}
