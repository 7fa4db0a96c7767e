package fsnode_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/fsnode"
)

const opening = 2000 // entities: it takes longer to make them known than a process to start

func lampText(id, watts int) string {
	return fmt.Sprintf("Lamp\n1\n%d\n; watts\n    %d\n", id, watts)
}

// meddleHelper changes every file in a directory, in all the ways that there are,
// so that it has args[2] for its last digit.
func meddleHelper(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make([]error, 4)
	for side := range errs {
		group.Go(func() {
			for id := side + 1; id <= n && errs[side] == nil; id += len(errs) {
				errs[side] = meddle(fmt.Sprintf("%s/%d.entity_text", args[0], id), side, meddled(id, args[2]))
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func meddled(id int, digit string) string {
	text := lampText(id, id%1000)
	return text[:len(text)-2] + digit + "\n"
}

func meddle(path string, how int, text string) error {
	switch how {
	case 0:
		return os.WriteFile(path, []byte(text), 0)
	case 1:
		return writeAt(path, text[len(text)-2:], int64(len(text)-2))
	case 2:
		return writeMapped(path, text)
	}
	if err := os.Truncate(path, int64(len(text)-2)); err != nil {
		return err
	}
	return writeAt(path, text[len(text)-2:], int64(len(text)-2))
}

func writeAt(path, text string, off int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt([]byte(text), off); err != nil {
		_ = f.Close() // the first error is the one to tell
		return err
	}
	return f.Close()
}

func writeMapped(path, text string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := unix.Mmap(int(f.Fd()), 0, len(text), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	copy(m[len(m)-2:], text[len(text)-2:])
	return unix.Munmap(m)
}

// TestNoWriteIsLostWhileAMountOpens has a process change everything while the
// kernel is handed what the files were.
func TestNoWriteIsLostWhileAMountOpens(t *testing.T) {
	for shape, newRig := range map[string]func(*testing.T, int, ...func(*fsnode.Options)) *rig{"entities": newRig, "cover": newCoverRig} {
		t.Run(shape, func(t *testing.T) {
			r := newRig(t, opening)
			for round := range 3 {
				r.close()
				r.open()
				r.up(warm(1 << 30))
				digit := strconv.Itoa(round)
				helper(t, nil, "meddle", r.mnt, strconv.Itoa(opening), digit)
				for id := 1; id <= opening; id++ {
					require.Equal(t, meddled(id, digit), r.read(fmt.Sprintf("%d.entity_text", id)))
					file, err := r.world.Lookup(entity.ID(id))
					require.NoError(t, err)
					text, err := file.Text()
					require.NoError(t, err)
					require.Equal(t, meddled(id, digit), string(text))
				}
			}
		})
	}
}

// TestNothingIsStaleThatChangesWhileAMountOpens has the world change behind the
// mount while the kernel is handed what the files were.
func TestNothingIsStaleThatChangesWhileAMountOpens(t *testing.T) {
	r := newRig(t, opening)
	typ := lampType()
	for round := range 3 {
		r.close()
		r.open()
		r.up(warm(1 << 30))
		for first := 1; first <= opening; first += opening / 10 {
			var in cache.Intake
			for id := first; id < first+opening/10; id++ {
				e := entity.New(entity.ID(id), typ.Current())
				e.Values[0] = entity.NewUint(entity.KindU16, uint64(10*id+round))
				in.Entities = append(in.Entities, e)
			}
			_, err := r.world.Import(in)
			require.NoError(t, err)
		}
		r.mount.WaitNotified()
		for id := 1; id <= opening; id++ {
			name := fmt.Sprintf("%d.entity_text", id)
			want := lampText(id, 10*id+round)
			require.Equal(t, want, r.read(name))
			require.EqualValues(t, len(want), r.stat(name).Size)
		}
	}
}

// TestNoNameIsStaleThatGoesWhileAMountOpens has entities go behind the mount
// between one answer to who lists it and the next. In the end the kernel knows those
// that there are.
func TestNoNameIsStaleThatGoesWhileAMountOpens(t *testing.T) {
	if noKernelCache {
		t.Skip("nothing is read ahead")
	}
	const files = 300
	r := newRig(t, files)
	typ := lampType()
	for range 3 {
		r.close()
		r.open()
		r.up(warmBy(1<<30, "/proc/self/exe", helperFlag, "list-slowly"))
		var want []string
		for gone := 1; r.mount.IsListing(); gone = min(gone+1, 30) {
			in := cache.Intake{Whole: true}
			want = nil
			for id := 1; id <= files; id++ {
				if id%32 >= gone {
					in.Entities = append(in.Entities, entity.New(entity.ID(id), typ.Current()))
					want = append(want, fmt.Sprintf("%d.entity_text", id))
				}
			}
			_, err := r.world.Import(in)
			require.NoError(t, err)
		}
		r.mount.WaitNotified()
		for id := 1; id <= files; id++ {
			name := fmt.Sprintf("%d.entity_text", id)
			_, err := os.Lstat(r.path(name))
			require.Equal(t, !slices.Contains(want, name), errors.Is(err, fs.ErrNotExist), "%s: %v", name, err)
		}
		require.ElementsMatch(t, want, r.names())
	}
}

// listSlowlyHelper lists as ReadAhead does, a few names at a time, and reads
// nothing.
func listSlowlyHelper([]string) error {
	var limit int64
	var dir string
	if _, err := fmt.Scanf("%d %q\n", &limit, &dir); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	for buf := make([]byte, 4<<10); ; time.Sleep(10 * time.Millisecond) {
		n, err := unix.Getdents(int(d.Fd()), buf)
		if err != nil || n <= 0 {
			break
		}
		var e fuse.DirEntry
		for todo := buf[:n]; len(todo) > 0; {
			todo = todo[e.Parse(todo):]
		}
		_, _ = os.Lstat(filepath.Join(dir, e.Name)) // attributes are only told while somebody asks
	}
	fmt.Println(0)
	return hangHelper(nil)
}

func hangHelper([]string) error {
	time.Sleep(time.Hour)
	return nil
}

// TestAMountOpensWhateverItsReaderDoes has nobody wait for good, and lets it be
// unmounted.
func TestAMountOpensWhateverItsReaderDoes(t *testing.T) {
	if noKernelCache {
		t.Skip("nothing is read ahead")
	}
	r := newRig(t, 10)
	for name, reader := range map[string][]string{
		"it hangs":     {"/proc/self/exe", helperFlag, "hang"},
		"it ends":      {"true"},
		"it fails":     {"false"},
		"it is absent": {"/nowhere/at/all"},
	} {
		t.Run(name, func(t *testing.T) {
			r.close()
			r.open()
			r.up(warmBy(1<<20, reader...))
			helper(t, nil, "meddle", r.mnt, "10", "3")
			require.Equal(t, meddled(5, "3"), r.read("5.entity_text"))
			r.awaitOpen()
			require.NoError(t, r.mount.Unmount())
		})
	}
}

// TestOthersWaitWhileAMountOpens sees who lists keep others out of the entities
// directory, and nobody open a file.
func TestOthersWaitWhileAMountOpens(t *testing.T) {
	if noKernelCache {
		t.Skip("nothing is read ahead")
	}
	r := newRig(t, 10)
	r.close()
	r.open()
	r.up(warmBy(1<<20, "/proc/self/exe", helperFlag, "hang"))
	for what, over := range map[string]<-chan struct{}{"list": r.mount.Listed(), "rewrite-five": r.mount.Opened()} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			helper(t, nil, what, r.mnt)
			select {
			case <-over:
			default:
				t.Error("it did not wait")
			}
		})
	}
}

func rewriteFiveHelper(args []string) error {
	return meddle(args[0]+"/5.entity_text", 0, meddled(5, "8"))
}

func listHelper(args []string) error {
	_, err := os.ReadDir(args[0])
	return err
}

// awaitOpen returns when the mount keeps nobody waiting.
func (r *rig) awaitOpen() {
	select {
	case <-r.mount.Opened():
	case <-time.After(time.Minute):
		r.Fatal("the mount still keeps others waiting")
	}
}
