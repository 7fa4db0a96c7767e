package cache_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/packfile"
)

// engine is a game's editor: it loads the pack, changes what it has in memory,
// and saves all of that.
type engine struct {
	b     *bench
	world *entity.World
	based [32]byte // the pack that it loaded or saved last
	names bool     // it says so in what it saves
}

func (b *bench) engine(names bool) *engine {
	p, err := packfile.ReadFile(b.dir.PackPath())
	require.NoError(b, err)
	e := &engine{b: b, world: entity.NewWorld(p.World(), p.Types()), based: p.Hash(), names: names}
	for n := range p.All() {
		e.world.Put(n)
	}
	return e
}

// set changes an entity's watts, and makes it where there is none.
func (e *engine) set(id entity.ID, watts uint64) {
	n, ok := e.world.Get(id)
	if !ok {
		n = entity.New(id, e.world.Types.Get("Lamp").Current())
	}
	n = n.Clone()
	n.Values[1] = entity.NewUint(entity.KindU16, watts)
	e.world.Put(n)
}

func (e *engine) encode() []byte {
	data, err := packfile.Encode(e.world.ID, e.world.Types, e.world)
	require.NoError(e.b, err)
	if e.names {
		packfile.SetBasedOn(data, e.based)
	}
	e.based = packfile.Hash(data)
	return data
}

// save replaces the pack.
func (e *engine) save() {
	temp := filepath.Join(e.b.dir.Root, "engine.tmp")
	require.NoError(e.b, os.WriteFile(temp, e.encode(), 0o644))
	require.NoError(e.b, os.Rename(temp, e.b.dir.PackPath()))
}

// saveInPlace writes over the pack, piece by piece.
func (e *engine) saveInPlace() {
	f, err := os.Create(e.b.dir.PackPath())
	require.NoError(e.b, err)
	for data := e.encode(); len(data) > 0; {
		n := min(len(data), 200)
		_, err := f.Write(data[:n])
		require.NoError(e.b, err)
		data = data[n:]
		time.Sleep(3 * time.Millisecond) // as an engine that works between two writes
	}
	require.NoError(e.b, f.Close())
}

func (b *bench) watts(id entity.ID) int {
	v, err := b.w.View()
	require.NoError(b, err)
	e, ok := v.Get(id)
	if !ok {
		return -1
	}
	return int(e.Value("watts").Uint())
}

func (b *bench) eventually(what string, cond func() bool) {
	b.Helper()
	require.Eventually(b, cond, 60*time.Second, 5*time.Millisecond, what)
}

// eventuallyWatts waits until the entity has come in and is in the pack.
func (b *bench) eventuallyWatts(id entity.ID, want int) {
	b.Helper()
	b.eventually("the save comes in", func() bool { return b.watts(id) == want })
	b.eventuallyPublished()
}

// eventuallyCodes waits until these findings are what there is to say.
func (b *bench) eventuallyCodes(want ...string) {
	b.Helper()
	b.eventually("the findings are "+strings.Join(want, ", "), func() bool {
		return strings.Join(b.codes(), ", ") == strings.Join(want, ", ")
	})
}

// eventuallyPublished waits until the pack in place is the world.
func (b *bench) eventuallyPublished() {
	b.Helper()
	b.eventually("the published pack is in its place", func() bool {
		p, err := packfile.ReadFile(b.dir.PackPath())
		if err != nil || p.BasedOn() != [32]byte{} {
			return false
		}
		st, err := b.w.Status()
		require.NoError(b, err)
		return p.Hash() == b.hash() && st.Edits == 0
	})
}

func (b *bench) hash() (hash [32]byte) {
	st, err := b.w.Status()
	require.NoError(b, err)
	for i := range hash {
		hash[i] = unhex(st.PackHash[2*i])<<4 | unhex(st.PackHash[2*i+1])
	}
	return hash
}

func unhex(c byte) byte { return byte(strings.IndexByte("0123456789abcdef", c)) }

func (b *bench) requireNothingBeside() {
	b.Helper()
	b.eventually("nothing is left beside the pack", func() bool {
		left, err := packfile.Leftovers(b.dir.PackPath())
		require.NoError(b, err)
		taking, err := filepath.Glob(filepath.Join(b.dir.PacksPath(), "*.taking"))
		require.NoError(b, err)
		return len(left) == 0 && len(taking) == 0
	})
}

func ways(t *testing.T, do func(t *testing.T, names bool, save func(*engine))) {
	for name, save := range map[string]func(*engine){"replacing": (*engine).save, "in place": (*engine).saveInPlace} {
		for based, names := range map[string]bool{"names its base": true, "names none": false} {
			t.Run(name+", "+based, func(t *testing.T) { do(t, names, save) })
		}
	}
}

func TestASaveComesIn(t *testing.T) {
	ways(t, func(t *testing.T, names bool, save func(*engine)) {
		b := newBench(t, 20)
		before, untouched := b.attr(3), b.attr(5)
		told := &watcher{}
		b.w.Watch(told)
		e := b.engine(names)
		e.set(3, 300)
		e.set(30, 3000)
		e.world.Delete(4)
		save(e)
		b.eventuallyWatts(3, 300)
		require.Equal(t, lampText(3, 300), b.text(3))
		require.Equal(t, lampText(30, 3000), b.text(30))
		require.Equal(t, -1, b.watts(4))
		require.Equal(t, before.Ino, b.attr(3).Ino)
		require.True(t, b.attr(3).Mtime.After(before.Mtime))
		require.Equal(t, untouched, b.attr(5), "what did not change keeps its times and inode")
		b.eventually("the kernel is told", func() bool { return told.has("changed 3", "created 30", "removed 4") })
		b.eventuallyCodes()
		b.requireNothingBeside()
		b.reopen()
		require.Equal(t, 300, b.watts(3))
	})
}

// The engine loads; a teammate's work comes in; it is published; the engine
// saves what it loaded, and saves again.
func TestSaveAndSaveAgainFromAStateLoadedLongAgo(t *testing.T) {
	ways(t, func(t *testing.T, names bool, save func(*engine)) {
		b := newBench(t, 20)
		e := b.engine(names)
		for i := range 3 {
			b.write(2, lampText(2, uint64(200+i)))
			require.NoError(t, b.w.Sync())
		}
		_, err := b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(7, lampType(), 700), lamp(40, lampType(), 400)}})
		require.NoError(t, err)
		require.NoError(t, b.w.Remove(8))
		require.NoError(t, b.w.Sync())

		e.set(3, 300)
		save(e)
		b.eventuallyWatts(3, 300)
		b.write(9, lampText(9, 900))
		require.NoError(t, b.w.Sync())
		e.set(10, 1000)
		e.set(3, 301)
		save(e)
		b.eventuallyWatts(10, 1000)
		for id, want := range map[entity.ID]int{1: 1, 2: 202, 3: 301, 7: 700, 8: -1, 9: 900, 10: 1000, 40: 400} {
			require.Equal(t, want, b.watts(id), "entity %d", id)
		}
		b.eventuallyCodes()
		b.requireNothingBeside()
	})
}

func TestTheSamePropertyChangedOnBothSidesIsAConflict(t *testing.T) {
	ways(t, func(t *testing.T, names bool, save func(*engine)) {
		b := newBench(t, 5)
		e := b.engine(names)
		b.write(2, lampText(2, 200))
		require.NoError(t, b.w.Sync())
		e.set(2, 222)
		e.set(3, 333)
		save(e)
		b.eventuallyWatts(3, 333)
		b.eventuallyCodes("2 conflict")
		require.Equal(t, 200, b.watts(2), "ours stands meanwhile")
		require.Contains(t, b.text(2), "222")
	})
}

// An engine that saves twice: its second change of one property is no conflict
// with its first, and one that names its base can take a change back.
func TestASecondSaveGoesOnFromTheFirst(t *testing.T) {
	ways(t, func(t *testing.T, names bool, save func(*engine)) {
		b := newBench(t, 5)
		e := b.engine(names)
		e.set(2, 20)
		save(e)
		b.eventuallyWatts(2, 20)
		e.set(2, 21)
		save(e)
		b.eventuallyWatts(2, 21)
		if names {
			e.set(2, 2)
			save(e)
			b.eventuallyWatts(2, 2)
		}
		b.eventuallyCodes()
	})
}

// An engine that saves again before it has seen its first save come in names what
// it loaded. What it has changed twice is no conflict with itself.
func TestASecondSaveFromTheSameBaseGoesOnFromTheFirst(t *testing.T) {
	b := newBench(t, 5)
	e := b.engine(true)
	loaded := e.based
	b.write(4, lampText(4, 44)) // a teammate
	require.NoError(t, b.w.Sync())
	for i := range uint64(3) {
		e.based = loaded
		e.set(2, 20+i)
		e.set(3, 30)
		e.save()
		b.eventuallyWatts(2, int(20+i))
	}
	b.eventuallyCodes()
	require.Equal(t, 30, b.watts(3))
	require.Equal(t, 44, b.watts(4))
}

// A world that became again what it was is loaded anew: what an earlier save made
// of it has been taken back since, and is saved once more.
func TestASaveOfWhatWasTakenBackComesIn(t *testing.T) {
	b := newBench(t, 5)
	was := b.watts(2)
	for _, watts := range []int{20, was, 20, was, 20} {
		e := b.engine(true)
		e.set(2, uint64(watts))
		e.save()
		b.eventuallyWatts(2, watts)
	}
	b.eventuallyCodes()
}

// But another program that loaded the same and changed one of the properties
// does not have the rest.
func TestASaveOfAnotherProgramFromTheSameBaseIsAConflict(t *testing.T) {
	b := newBench(t, 5)
	one, two := b.engine(true), b.engine(true)
	one.set(2, 20)
	one.set(3, 30)
	one.save()
	b.eventuallyWatts(2, 20)
	two.set(2, 21)
	two.set(5, 50)
	two.save()
	b.eventuallyWatts(5, 50)
	b.eventuallyCodes("2 conflict")
	require.Equal(t, 20, b.watts(2))
	require.Equal(t, 30, b.watts(3))
}

func TestASaveCutOffIsPutAsideAndTheGoodPackComesBack(t *testing.T) {
	b := newBench(t, 20)
	good, err := os.ReadFile(b.dir.PackPath())
	require.NoError(t, err)
	e := b.engine(true)
	e.set(3, 300)
	torn := e.encode()[:1000]
	require.NoError(t, os.WriteFile(b.dir.PackPath(), torn, 0o644))
	b.eventually("the good pack comes back", func() bool {
		data, err := os.ReadFile(b.dir.PackPath())
		return err == nil && bytes.Equal(data, good)
	})
	b.eventuallyCodes("0 save-torn")
	var aside []string
	b.eventually("it is put aside", func() bool {
		aside, err = filepath.Glob(filepath.Join(b.dir.PacksPath(), "unreadable*"))
		return err == nil && len(aside) == 1
	})
	data, err := os.ReadFile(aside[0])
	require.NoError(t, err)
	require.Equal(t, torn, data, "what there is of it is not lost")
	e.save()
	b.eventuallyWatts(3, 300)
	b.eventually("the later save makes good for it", func() bool { return !slices.Contains(b.codes(), "0 save-torn") })
	b.reopen()
	require.NotContains(t, b.codes(), "0 save-torn")
	require.FileExists(t, aside[0])
}

// That a save could not be taken in is said until it is.
func TestASaveThatIsTakenInLateIsTroubleNoMore(t *testing.T) {
	b := newBench(t, 20)
	e := b.engine(true)
	e.set(3, 300)
	b.w.SetFault(func(step string) error {
		if step == "rename save" {
			return errBreak
		}
		return nil
	})
	e.save()
	b.eventuallyCodes("0 save-torn")
	b.w.SetFault(nil)
	b.eventuallyWatts(3, 300)
	b.eventuallyCodes()
}

func TestASaveThatTakesLongIsWaitedFor(t *testing.T) {
	b := newBench(t, 20)
	e := b.engine(true)
	e.set(3, 300)
	data := e.encode()
	saver := exec.Command("sh", "-c", `cat > "$1"`, "sh", b.dir.PackPath()) // another process, as an engine is
	pipe, err := saver.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, saver.Start())
	_, err = pipe.Write(data[:1000])
	require.NoError(t, err)
	b.eventuallyCodes("0 save-torn")
	b.write(5, lampText(5, 500))
	require.NoError(t, b.w.Sync(), "edits do not wait for ever")
	_, err = pipe.Write(data[1000:])
	require.NoError(t, err)
	require.NoError(t, pipe.Close())
	require.NoError(t, saver.Wait())
	b.eventuallyWatts(3, 300)
	require.Equal(t, 500, b.watts(5))
	b.eventuallyCodes()
	b.requireNothingBeside()
}

// A pack that an engine saves while ours is being published comes out of the
// exchange.
func TestASaveDuringACheckpoint(t *testing.T) {
	for _, step := range []string{"write pack", "fsync pack", "exchange pack", "fsync directory of pack", "remove old pack"} {
		t.Run(step, func(t *testing.T) {
			b := newBench(t, 20)
			e := b.engine(false)
			e.set(3, 300)
			done := false
			b.w.SetFault(func(s string) error {
				if s == step && !done {
					done = true
					e.save()
				}
				return nil
			})
			b.write(2, lampText(2, 200)) // now, for it may be published at any time
			require.NoError(t, b.w.Sync())
			require.True(t, done)
			b.eventuallyWatts(3, 300)
			require.Equal(t, 200, b.watts(2))
			b.eventuallyCodes()
			b.requireNothingBeside()
		})
	}
}

// Two programs that loaded the same state save one after the other, before
// the first save is taken in.
func TestTwoSavesAtOnce(t *testing.T) {
	b := newBench(t, 20)
	one, two := b.engine(true), b.engine(true)
	one.set(3, 300)
	two.set(4, 400)
	done := false
	b.w.SetFault(func(s string) error {
		if s == "write pack" && !done { // ours, with the first save in it
			done = true
			two.save()
		}
		return nil
	})
	one.save()
	b.eventuallyWatts(4, 400)
	require.Equal(t, 300, b.watts(3))
	b.eventuallyCodes()
	b.requireNothingBeside()
}

// A program saves, and saves again before the first save has come in. It goes on
// from that one, whether it names it or what it had loaded.
func TestASecondSaveWhileTheFirstComesIn(t *testing.T) {
	for name, again := range map[string]bool{"names the first": false, "names what was loaded": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 20)
			e := b.engine(true)
			b.write(2, lampText(2, 200)) // a teammate
			require.NoError(t, b.w.Sync())
			loaded, done := e.based, false
			b.w.SetFault(func(s string) error {
				if s == "write pack" && !done { // ours, with the first save in it
					done = true
					if again {
						e.based = loaded
					}
					e.set(3, 301)
					e.save()
				}
				return nil
			})
			e.set(3, 300)
			e.save()
			b.eventuallyWatts(3, 301)
			b.eventuallyCodes()
			require.Equal(t, 200, b.watts(2))
			b.requireNothingBeside()
		})
	}
}

func TestAPackThatIsRemovedComesBack(t *testing.T) {
	b := newBench(t, 3)
	require.NoError(t, os.Remove(b.dir.PackPath()))
	b.eventuallyPublished()
	require.Equal(t, 2, b.published(2))
}

func TestAPackOfAnotherWorldIsNotTakenIn(t *testing.T) {
	b := newBench(t, 3)
	e := b.engine(false)
	e.world.ID = entity.GUID{1, 2, 3}
	e.set(2, 200)
	e.save()
	b.eventuallyCodes("0 pack-refused")
	b.eventuallyPublished()
	require.Equal(t, 2, b.watts(2))
}

// The intake of a save is cut short at each of its steps by a kill, and ended
// when the world is opened again.
func TestAnIntakeOfASaveThatIsKilled(t *testing.T) {
	for _, step := range []string{"rename save", "write pack", "fsync pack", "exchange pack", "fsync directory of pack", "remove old pack", "rename save again"} {
		t.Run(step, func(t *testing.T) {
			b := newBench(t, 20)
			e := b.engine(true)
			b.write(2, lampText(2, 200))
			require.NoError(t, b.w.Sync())
			again := strings.HasSuffix(step, " again")
			reached := make(chan struct{})
			b.w.SetFault(func(s string) error {
				if s != strings.TrimSuffix(step, " again") {
					return nil
				}
				if again {
					again = false
					return nil
				}
				select {
				case <-reached:
				default:
					close(reached)
				}
				return errBreak // from here on nothing is done any more
			})
			e.set(2, 222)
			e.set(3, 300)
			e.set(50, 500)
			e.save()
			select {
			case <-reached:
			case <-time.After(60 * time.Second):
				t.Fatal("the step was not reached")
			}
			b.crash()
			b.eventuallyWatts(3, 300)
			require.Equal(t, 500, b.watts(50))
			require.Equal(t, 200, b.watts(2))
			require.Equal(t, 21, b.w.Len(), "nothing came in twice")
			require.NotContains(t, b.codes(), "0 save-torn")
			b.requireNothingBeside()
		})
	}
}

// A save that has the bytes of the pack that it was published as is remembered as both.
func TestASaveThatIsPublishedAsItIsIsKeptAsBoth(t *testing.T) {
	b := newBench(t, 5)
	e := b.engine(true)
	e.set(1, 99)
	e.save()
	saved := hex.EncodeToString(e.based[:])
	b.eventually("it is kept", func() bool {
		packs, err := b.w.Kept()
		require.NoError(t, err)
		i := slices.IndexFunc(packs, func(k packstore.Kept) bool { return k.Hash == saved })
		return i >= 0 && packs[i].Saved && packs[i].Published
	})
}

// A power cut brings back a save that had come in and been removed, and takes the
// copies of packs that were kept: it does not come in once more.
func TestASaveThatAPowerCutBringsBackIsKnown(t *testing.T) {
	b := newBench(t, 20)
	e := b.engine(true)
	e.set(2, 200)
	saved := e.encode()
	require.NoError(t, os.WriteFile(b.dir.PackPath(), saved, 0o644))
	b.eventuallyWatts(2, 200)
	b.write(2, lampText(2, 222))
	require.NoError(t, b.w.Sync())
	b.requireNothingBeside()
	b.w.Crash()
	require.NoError(t, os.RemoveAll(b.dir.PacksPath()))
	require.NoError(t, os.Mkdir(b.dir.PacksPath(), 0o700))
	beside := filepath.Join(b.dir.Root, ".world.pack.AAAAAAAAAAAAAAAA.next")
	require.NoError(t, os.WriteFile(beside, saved, 0o644))
	b.open()
	require.Equal(t, 222, b.watts(2))
	b.requireNothingBeside()
	b.eventuallyCodes()

	e.set(3, 300) // it goes on from its own save
	e.save()
	b.eventuallyWatts(3, 300)
	require.Equal(t, 222, b.watts(2))
	b.eventuallyCodes()
}

func TestABaseThatIsNotKnownIsSaid(t *testing.T) {
	b := newBench(t, 5)
	e := b.engine(true)
	e.based = [32]byte{1, 2, 3}
	e.set(3, 300)
	e.save()
	b.eventuallyWatts(3, 300)
	b.eventuallyCodes("0 base-unknown")
}

// Whatever process took the save in, status says so until the next one.
func TestABaseThatIsNotKnownIsSaidLater(t *testing.T) {
	b := newBench(t, 5)
	e := b.engine(true)
	e.based = [32]byte{1, 2, 3}
	e.set(3, 300)
	b.saveUnseen(e)
	require.Equal(t, 300, b.watts(3))
	for range 2 {
		require.Equal(t, []string{"0 base-unknown"}, b.codes())
		b.reopen()
	}
	e.set(3, 301)
	e.save()
	b.eventuallyWatts(3, 301)
	b.eventuallyCodes()
	b.reopen()
	require.Empty(t, b.codes())
}

// A program that names no base and saves what it loaded long ago has changed
// nothing. To somebody who meant to go back it is said how.
func TestASaveThatIsAnOlderPackIsSaid(t *testing.T) {
	ways(t, func(t *testing.T, names bool, save func(*engine)) {
		b := newBench(t, 5)
		e := b.engine(names)
		b.write(2, lampText(2, 200))
		require.NoError(t, b.w.Sync())
		loaded := hex.EncodeToString(e.based[:6])
		save(e)
		if names {
			b.eventuallyPublished()
			require.Empty(t, b.codes(), "it knows what it does")
		} else {
			b.eventuallyCodes("0 save-old")
			b.eventuallyPublished()
			st, err := b.w.Status()
			require.NoError(t, err)
			require.Contains(t, st.Findings[0].Message, "worldfs restore "+loaded)
		}
		require.Equal(t, 200, b.watts(2), "the old state does not come back")
		e.set(3, 300)
		save(e)
		b.eventuallyWatts(3, 300)
		require.Equal(t, 200, b.watts(2))
		b.eventuallyCodes()
	})
}

func TestNothingIsTakenInOfASaveThatChangedNothing(t *testing.T) {
	b := newBench(t, 5)
	e := b.engine(true)
	b.write(2, lampText(2, 200))
	require.NoError(t, b.w.Sync())
	before := b.attr(3)
	e.save()
	b.eventuallyPublished()
	require.Equal(t, 200, b.watts(2), "the old state does not come back")
	require.Equal(t, before, b.attr(3))
}

// watcher remembers what it is told.
type watcher struct {
	mu   sync.Mutex
	told map[string]bool
}

func (w *watcher) tell(what string, id entity.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told == nil {
		w.told = make(map[string]bool)
	}
	w.told[what+" "+id.String()] = true
}

func (w *watcher) Changed(id entity.ID) { w.tell("changed", id) }
func (w *watcher) Created(id entity.ID) { w.tell("created", id) }
func (w *watcher) Removed(id entity.ID) { w.tell("removed", id) }

func (w *watcher) has(all ...string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, what := range all {
		if !w.told[what] {
			return false
		}
	}
	return true
}

// A program that was started before a type was declared anew saves values that are none of the
// type's any more: they are kept as lines, and the field stays as it was.
func TestASaveOfValuesThatAreOfAnotherKindNow(t *testing.T) {
	ways(t, func(t *testing.T, names bool, save func(*engine)) {
		b := newBench(t, 4)
		e := b.engine(names)
		b.declare(`kind = "u16"`, `kind = "u8"`)
		e.set(2, 300)
		e.set(3, 200)
		e.set(9, 900)
		save(e)
		b.eventuallyWatts(3, 200)
		b.eventuallyCodes("2 field-unknown", "9 field-unknown")
		require.Equal(t, lampText(2, 2)+"; watts_lines\n    300\n", b.text(2))
		require.Equal(t, lampText(9, 0)+"; watts_lines\n    900\n", b.text(9))
		e.set(3, 201)
		save(e) // has those of before, which it did not change
		b.eventuallyWatts(3, 201)
		require.Equal(t, lampText(2, 2)+"; watts_lines\n    300\n", b.text(2))
	})
}

// A save of an entity whose text a change of types has made unreadable: all of what the save
// has changed comes in, and the history has the text, as the entity's conflict tells.
func TestASaveOfWhatTypesHaveMadeUnreadable(t *testing.T) {
	for name, x := range map[string]struct {
		watts uint64
		want  string
	}{
		"another field":     {300, "; watts\n    0\n"},
		"a value that fits": {7, "; watts\n    7\n"},
		"one that does not": {400, "; watts_lines\n    400\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 4)
			b.write(2, lampText(2, 300))
			require.NoError(t, b.w.Sync())
			e := b.engine(true)
			b.declare(`kind = "u16"`, `kind = "u8"`)
			b.eventuallyCodes("2 broken")
			e.set(2, x.watts)
			n, _ := e.world.Get(2)
			n = n.Clone()
			n.Values[2] = entity.NewString("saved")
			e.world.Put(n)
			e.save()
			b.eventually("the save comes in", func() bool { return strings.Contains(b.text(2), "\"saved\"") })
			require.Contains(t, b.text(2), x.want)
			require.Contains(t, b.text(2), "<<<<<<< yours: a text that did not parse, which worldfs history 2 shows\n")
			require.Contains(t, b.codes(), "2 conflict")
			require.Contains(t, lostTexts(b, 2), lampText(2, 300))
		})
	}
}

// lostTexts returns the texts of an entity that the history has as lost.
func lostTexts(b *bench, id entity.ID) (texts []string) {
	log, err := b.w.HistoryNow()
	require.NoError(b, err)
	require.NoError(b, log.Each(func(e *history.Entry) bool {
		if e.Kind == history.Lost && e.ID == id {
			texts = append(texts, string(e.Is))
		}
		return true
	}))
	return texts
}
