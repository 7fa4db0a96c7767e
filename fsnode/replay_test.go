package fsnode_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/fsnode"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

func replaying(o *fsnode.Options) { o.Replayer = []string{"/proc/self/exe", helperFlag, "readahead"} }

// eventNames are those of the events that programs react to.
var eventNames = map[uint32]string{
	unix.IN_CREATE: "create", unix.IN_DELETE: "delete", unix.IN_MODIFY: "modify", unix.IN_CLOSE_WRITE: "close",
	unix.IN_ATTRIB: "attrib", unix.IN_MOVED_FROM: "from", unix.IN_MOVED_TO: "to", unix.IN_DELETE_SELF: "gone",
	unix.IN_Q_OVERFLOW: "overflow",
}

// inotify hears what happens in directories, and to files.
type inotify struct {
	t    *testing.T
	file *os.File
	done chan struct{}

	mu     sync.Mutex
	events []string
}

func newInotify(t *testing.T, paths ...string) *inotify {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	require.NoError(t, err)
	var mask uint32
	for m := range eventNames {
		mask |= m
	}
	for _, p := range paths {
		_, err := unix.InotifyAddWatch(fd, p, mask)
		require.NoError(t, err)
	}
	w := &inotify{t: t, file: os.NewFile(uintptr(fd), "inotify"), done: make(chan struct{})}
	go w.run()
	t.Cleanup(func() {
		_ = w.file.Close()
		<-w.done
	})
	return w
}

func (w *inotify) run() {
	defer close(w.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := w.file.Read(buf)
		if err != nil {
			return
		}
		w.mu.Lock()
		for b := buf[:n]; len(b) > 0; {
			mask, size := binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[12:])
			name := string(bytes.TrimRight(b[16:16+size], "\x00"))
			w.events = append(w.events, strings.TrimSpace(eventNames[mask&^unix.IN_ISDIR]+" "+name))
			b = b[16+size:]
		}
		w.mu.Unlock()
	}
}

// take returns what was heard until last is.
func (w *inotify) take(last string) (events []string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		events = slices.Clone(w.events)
		return slices.Contains(events, last)
	}, 5*time.Minute, time.Millisecond, "%s", last)
	w.mu.Lock()
	defer w.mu.Unlock()
	events, w.events = w.events, nil
	return events
}

func (r *rig) importLamps(whole bool, watts uint64, ids ...entity.ID) {
	r.Helper()
	in := cache.Intake{Types: []*entity.Type{lampType()}, Whole: whole}
	for _, id := range ids {
		e := lamp(id, lampType())
		e.Values[0] = entity.NewUint(entity.KindU16, watts)
		in.Entities = append(in.Entities, e)
	}
	_, err := r.world.Import(in)
	require.NoError(r, err)
	r.mount.WaitNotified()
}

func eachRig(t *testing.T, n int, opts []func(*fsnode.Options), test func(*rig)) {
	t.Run("entities", func(t *testing.T) { test(newRig(t, n, opts...)) })
	t.Run("cover", func(t *testing.T) { test(newCoverRig(t, n, opts...)) })
}

// TestWatchersHearWhatWorldfsChanges has a watcher of the directory hear the events
// that a program makes on plain files: of files that the kernel knows and of files
// that it does not.
func TestWatchersHearWhatWorldfsChanges(t *testing.T) {
	eachRig(t, 0, nil, func(r *rig) {
		r.importLamps(false, 500, 1, 2, 3, 4)
		r.close()
		r.open()
		r.up(replaying)
		for _, known := range []bool{false, true} {
			w := newInotify(r.T, r.mnt)
			if known {
				for _, name := range r.names() {
					r.read(name)
				}
				_, err := os.Stat(r.path("9.entity_text"))
				require.ErrorIs(r, err, os.ErrNotExist)
			}
			r.importLamps(false, 500, 9)
			require.Equal(r, []string{"create 9.entity_text", "modify 9.entity_text", "close 9.entity_text"}, w.take("close 9.entity_text"))
			r.importLamps(false, 501, 9)
			require.Equal(r, []string{"modify 9.entity_text", "close 9.entity_text"}, w.take("close 9.entity_text"))
			require.Equal(r, "Lamp\n1\n9\n; watts\n    501\n", r.read("9.entity_text"))
			r.importLamps(true, 500, 1, 2, 3, 4)
			require.Equal(r, []string{"delete 9.entity_text"}, w.take("delete 9.entity_text"))
			_, err := os.Stat(r.path("9.entity_text"))
			require.ErrorIs(r, err, os.ErrNotExist)
		}
		require.Equal(r, []string{"1.entity_text", "2.entity_text", "3.entity_text", "4.entity_text"}, r.names())
	})
}

// TestARemovalIsHeardWhileOthersLook has the kernel told over and over that the file
// is missing, as by a program that looks at once after its watch of the file ended.
func TestARemovalIsHeardWhileOthersLook(t *testing.T) {
	r := newRig(t, 2, replaying)
	w := newInotify(t, r.mnt)
	var over atomic.Bool
	var lookers sync.WaitGroup
	for range 2 {
		lookers.Go(func() {
			for !over.Load() {
				_, _ = os.Lstat(r.path("9.entity_text")) // it comes and goes
			}
		})
	}
	for range 10 {
		r.importLamps(false, 1, 9)
		w.take("close 9.entity_text")
		r.importLamps(true, 2, 1, 2)
		w.take("delete 9.entity_text")
	}
	over.Store(true)
	lookers.Wait()
}

// TestWatchersOfAFileHearOfIt is for editors, which watch the files that are open.
func TestWatchersOfAFileHearOfIt(t *testing.T) {
	r := newRig(t, 2, replaying)
	w := newInotify(t, r.path("1.entity_text"))
	before := r.stat("1.entity_text")
	r.importLamps(false, 700, 1)
	require.Equal(t, []string{"modify", "close"}, w.take("close"))
	require.Equal(t, before.Ino, r.stat("1.entity_text").Ino)
	r.importLamps(true, 2, 2)
	require.Contains(t, w.take("gone"), "gone")
}

// TestAReplayChangesNoTimes looks at the times that a file and its directory have.
func TestAReplayChangesNoTimes(t *testing.T) {
	r := newRig(t, 2, replaying)
	w := newInotify(t, r.mnt)
	r.importLamps(false, 700, 1)
	file, dir := *r.stat("1.entity_text"), *r.stat(".")
	w.take("close 1.entity_text")
	for _, what := range []string{"changed", "created"} {
		r.mount.Announce(1, what)
		w.take("close 1.entity_text")
	}
	r.mount.Announce(3, "removed")
	w.take("delete 3.entity_text")
	require.Equal(t, file, *r.stat("1.entity_text"))
	require.Equal(t, dir, *r.stat("."))
}

// TestAStaleEventHasNoEffect announces what is not so.
// It shows invariant 13.
func TestAStaleEventHasNoEffect(t *testing.T) {
	r := newRig(t, 3, replaying)
	w := newInotify(t, r.mnt)
	r.mount.Announce(1, "removed")
	r.mount.Announce(9, "created")
	r.mount.Announce(8, "changed")
	r.mount.Announce(2, "changed")
	require.Equal(t, []string{"modify 2.entity_text", "close 2.entity_text"}, w.take("close 2.entity_text"))
	require.Equal(t, []string{"1.entity_text", "2.entity_text", "3.entity_text"}, r.names())
}

// unprivilegedReadAheadHelper acts without root's rights.
func unprivilegedReadAheadHelper([]string) error {
	runtime.LockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return err
	}
	return fsnode.ReadAhead(os.Stdin, os.Stdout)
}

// TestWatchersHearOfReadOnlyFiles is for working copies in which files have to be
// locked before they are edited.
func TestWatchersHearOfReadOnlyFiles(t *testing.T) {
	r := newRig(t, 2, func(o *fsnode.Options) { o.Replayer = []string{"/proc/self/exe", helperFlag, "readahead-unprivileged"} })
	require.NoError(t, os.Chmod(r.path("1.entity_text"), 0o444))
	w := newInotify(t, r.mnt)
	r.importLamps(false, 700, 1)
	require.Equal(t, []string{"modify 1.entity_text"}, w.take("modify 1.entity_text"))
	require.Equal(t, "Lamp\n1\n1\n; watts\n    700\n", r.read("1.entity_text"))
	want := *r.stat("1.entity_text")
	r.mount.Announce(1, "changed")
	w.take("modify 1.entity_text")
	require.Equal(t, want, *r.stat("1.entity_text"))
}

// TestBulkIsBounded changes more than a watcher could be told of one by one.
func TestBulkIsBounded(t *testing.T) {
	const n = fsnode.MaxEvents + 500
	r := newRig(t, n, replaying)
	w := newInotify(t, r.mnt)
	ids := make([]entity.ID, n)
	for i := range ids {
		ids[i] = entity.ID(i + 1)
	}
	r.importLamps(false, 7, ids...)
	events := w.take("attrib")
	require.NotContains(t, events, "overflow")
	changed := 0
	for _, e := range events {
		if strings.HasPrefix(e, "modify ") {
			changed++
		}
	}
	require.LessOrEqual(t, changed, n)
	require.GreaterOrEqual(t, changed, fsnode.MaxEvents-64, "the last may be on their way")
}

func TestWatchersHearOfShards(t *testing.T) {
	r := newRig(t, 0, replaying)
	require.NoError(t, r.mount.Relayout(layout.LastDigit))
	top := newInotify(t, r.mnt)
	r.importLamps(false, 1, 15)
	require.Contains(t, top.take("attrib"), "attrib", "the shard is new")
	w := newInotify(t, r.path("5"))
	r.mount.Announce(15, "changed")
	w.take("close 15.entity_text")
	r.importLamps(false, 2, 15)
	require.Equal(t, []string{"modify 15.entity_text", "close 15.entity_text"}, w.take("close 15.entity_text"))
	r.importLamps(false, 2, 35)
	require.Equal(t, []string{"create 35.entity_text", "modify 35.entity_text", "close 35.entity_text"}, w.take("close 35.entity_text"))
}

// TestTheProcessThatReplaysMayEnd kills and stops it, amid events and between. It is
// started again, and neither commands nor the unmount wait for it.
func TestTheProcessThatReplaysMayEnd(t *testing.T) {
	r := newRig(t, 300, replaying)
	w := newInotify(t, r.mnt)
	for round := range 20 {
		for id := range entity.ID(300) {
			r.mount.Announce(id+1, []string{"changed", "created"}[id%2])
		}
		time.Sleep(time.Duration(round) * time.Millisecond)
		if pid := r.mount.Replaying(); pid != 0 {
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	require.Eventually(t, func() bool {
		r.importLamps(false, uint64(time.Now().UnixNano()%60000), 7)
		time.Sleep(time.Millisecond)
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.events) > 0 && w.events[len(w.events)-1] == "close 7.entity_text"
	}, time.Minute, time.Millisecond)
	require.Len(t, r.names(), 300)

	require.NoError(t, syscall.Kill(r.mount.Replaying(), syscall.SIGSTOP))
	for id := range entity.ID(200) {
		r.mount.Announce(id+1, "changed")
	}
	r.importLamps(false, 3, 8)
	require.Equal(t, "Lamp\n1\n8\n; watts\n    3\n", r.read("8.entity_text"))
	require.NoError(t, r.mount.Unmount())
	require.Zero(t, r.mount.Replaying())
}

// TestWritersLoseNothingToReplays has processes write, append, cut, rename over, delete
// and make files anew, all of which is announced meanwhile as changed, created and
// removed, over and over, by a process that is killed at times.
// It shows invariant 13.
func TestWritersLoseNothingToReplays(t *testing.T) {
	eachRig(t, 40, []func(*fsnode.Options){replaying}, func(r *rig) {
		var over atomic.Bool
		var writers, teller sync.WaitGroup
		said := make([]string, 2)
		for i := range said {
			writers.Go(func() {
				cmd := helperCommand(nil, "write-much", r.mnt, strconv.Itoa(20*i+1), "700")
				out, err := cmd.CombinedOutput()
				if err != nil {
					r.Errorf("%v: %s", err, out)
				}
				said[i] = string(out)
			})
		}
		teller.Go(func() { r.announceMuch(&over) })
		writers.Wait()
		over.Store(true)
		teller.Wait()
		r.again()
		for line := range strings.Lines(strings.Join(said, "")) {
			name, text, there := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if !there {
				_, err := os.Lstat(r.path(name))
				require.ErrorIs(r, err, os.ErrNotExist)
				continue
			}
			require.Equal(r, text, strconv.Quote(r.read(name)), name)
		}
	})
}

func (r *rig) announceMuch(over *atomic.Bool) {
	random := rand.New(rand.NewPCG(5, 6))
	for round := 0; !over.Load(); round++ {
		for range 100 {
			r.mount.Announce(entity.ID(random.IntN(40)+1), []string{"changed", "created", "removed"}[random.IntN(3)])
		}
		time.Sleep(time.Millisecond)
		if pid := r.mount.Replaying(); pid != 0 && round%50 == 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
}

// writeMuchHelper is told a directory, the first of twenty entities in it, which are
// its own, and how many steps to do with their files. It says what they hold then.
func writeMuchHelper(args []string) error {
	first, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	steps, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	w := &muchWriter{dir: args[0], random: rand.New(rand.NewPCG(uint64(first), 1)), files: make(map[string]*[]byte)}
	for id := first; id < first+20; id++ {
		text, err := os.ReadFile(filepath.Join(w.dir, fmt.Sprintf("%d.entity_text", id)))
		if err != nil {
			return err
		}
		w.files[fmt.Sprintf("%d.entity_text", id)] = &text
		w.names = append(w.names, fmt.Sprintf("%d.entity_text", id))
	}
	for step := range steps {
		name := w.names[w.random.IntN(len(w.names))]
		what, err := w.step(name)
		if err == nil {
			err = w.check(name)
		}
		if err != nil {
			return fmt.Errorf("step %d: %s %s: %w", step, what, name, err)
		}
	}
	for name, text := range w.files {
		if text == nil {
			fmt.Println(name)
			continue
		}
		fmt.Println(name, strconv.Quote(string(*text)))
	}
	return nil
}

type muchWriter struct {
	dir    string
	random *rand.Rand
	names  []string
	files  map[string]*[]byte // nil: it is not there
}

func (w *muchWriter) text() []byte {
	return bytes.Repeat([]byte{byte('a' + w.random.IntN(26))}, w.random.IntN(9000))
}

func (w *muchWriter) step(name string) (what string, err error) {
	path, text, has := filepath.Join(w.dir, name), w.text(), w.files[name]
	if has == nil {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return "making", err
		}
		w.files[name] = &text
		_, err = f.Write(text)
		return "making", errors.Join(err, f.Close())
	}
	switch w.random.IntN(6) {
	case 0:
		w.files[name] = &text
		return "writing", os.WriteFile(path, text, 0o644)
	case 1:
		return "appending to", w.appendTo(path, has)
	case 2:
		cut := (*has)[:w.random.IntN(len(*has)+1)]
		w.files[name] = &cut
		return "cutting", os.Truncate(path, int64(len(cut)))
	case 3:
		w.files[name] = &text
		if err := os.WriteFile(path+".tmp", text, 0o644); err != nil {
			return "writing beside", err
		}
		return "renaming over", os.Rename(path+".tmp", path)
	case 4:
		w.files[name] = nil
		return "removing", os.Remove(path)
	default:
		return "writing into", w.writeInto(path, has)
	}
}

func (w *muchWriter) appendTo(path string, has *[]byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for range 3 {
		more := bytes.Repeat([]byte("+"), w.random.IntN(100))
		if _, err := f.Write(more); err != nil {
			return errors.Join(err, f.Close())
		}
		*has = append(slices.Clone(*has), more...)
	}
	return f.Close()
}

func (w *muchWriter) writeInto(path string, has *[]byte) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	at := w.random.IntN(len(*has) + 1)
	piece := bytes.Repeat([]byte("#"), 1+w.random.IntN(50))
	next := append(slices.Clone((*has)[:at]), piece...)
	if len(next) < len(*has) {
		next = append(next, (*has)[len(next):]...)
	}
	*has = next
	_, err = f.WriteAt(piece, int64(at))
	return errors.Join(err, f.Close())
}

// check finds what was done.
func (w *muchWriter) check(name string) error {
	path, want := filepath.Join(w.dir, name), w.files[name]
	info, err := os.Lstat(path)
	if want == nil {
		if !os.IsNotExist(err) {
			return fmt.Errorf("it is still there: %v", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if info.Size() != int64(len(*want)) {
		return fmt.Errorf("it has %d bytes instead of %d", info.Size(), len(*want))
	}
	got, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(got, *want) {
		err = fmt.Errorf("it holds %q instead of %q", got, *want)
	}
	return err
}
