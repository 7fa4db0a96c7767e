package test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A mount that is used hard for a long time: programs write and read, git looks
// at everything, an engine saves packs, and all of it is published again and
// again. No reader ever sees less than was there before it opened the file,
// nothing is lost, and the daemon grows no larger.
//
// WORLDFS_SOAK says for how long; without it the test is skipped.
func TestSoak(t *testing.T) {
	text := os.Getenv("WORLDFS_SOAK")
	if text == "" {
		t.Skip("make soak runs it")
	}
	long, err := time.ParseDuration(text)
	require.NoError(t, err)
	s := newSoak(t)
	s.grow(long / 4)
	early := s.holds()
	s.grow(long * 3 / 4)
	late := s.holds()
	s.run("stat", "world.pack") // until somebody asks, the kernel takes it for the one before
	s.requireNoDescriptorLeft()
	s.verify()
	t.Logf("%d texts written, %d read, %d packs saved; after a quarter %+v, at the end %+v",
		s.written.Load(), s.read.Load(), s.saves, early, late)
	require.LessOrEqual(t, late.Heap, early.Heap*3/2+16<<20)
	require.LessOrEqual(t, late.Descriptors, early.Descriptors+16+soakAtHand())
	require.LessOrEqual(t, late.Goroutines, early.Goroutines+16)
	require.LessOrEqual(t, late.Slots, early.Slots+16)
}

const (
	soakWriters = 8
	soakReaders = 8
	soakFiles   = 3 // each writer's
)

// soakAtHand is how many descriptors of files that are there a daemon may have
// come to keep: those that were read last, of which a mount over the repository
// has many.
func soakAtHand() int {
	if config.cover() {
		return 256
	}
	return 0
}

type soak struct {
	*bench
	files         []*soakFile
	engine        *engine
	saves         int
	written, read atomic.Int64
}

// soakFile is an entity's file that one program writes: its name has a number
// that only goes up.
type soakFile struct {
	path     string
	template string
	last     atomic.Int64 // the number of the last text whose write has ended
}

func newSoak(t *testing.T) *soak {
	b := newBench(t, "git")
	b.run("cp", "-a", seed(t), "w")
	s := &soak{bench: b.cd("w")}
	s.mount()
	s.engine = s.bench.engine()
	for _, name := range s.names("entities") {
		if text := s.bench.read("entities/" + name); strings.Contains(text, "\n; entity_name\n") && len(s.files) < soakWriters*soakFiles &&
			"entities/"+name != loadSavedPath {
			s.files = append(s.files, &soakFile{path: s.path("entities/" + name), template: text})
		}
	}
	require.Len(t, s.files, soakWriters*soakFiles)
	for _, f := range s.files {
		require.NoError(t, f.save(0)(f.next()))
	}
	return s
}

// grow uses the mount for a time.
func (s *soak) grow(long time.Duration) {
	stop := make(chan struct{})
	var users sync.WaitGroup
	for i := range soakWriters {
		users.Go(func() { s.write(i, stop) })
	}
	for i := range soakReaders {
		users.Go(func() { s.readAll(uint64(i), stop) })
	}
	users.Go(func() { s.look(stop) })
	users.Go(func() { s.savePacks(stop) })
	time.Sleep(long)
	close(stop)
	users.Wait()
	s.run("worldfs", "sync")
}

func (s *soak) write(writer int, stop chan struct{}) {
	for i := 0; !stopped(stop) && !s.Failed(); i++ {
		f := s.files[writer*soakFiles+i%soakFiles]
		if err := f.save(writer + i)(f.next()); err != nil {
			s.Errorf("write: %v", err)
		}
		s.written.Add(1)
	}
}

// next returns the text after the last, and its number.
func (f *soakFile) next() (string, int64) {
	n := f.last.Load() + 1
	lines := strings.Split(f.template, "\n")
	for i, line := range lines {
		if line == "; entity_name" {
			lines[i+1] = fmt.Sprintf("    %q", fmt.Sprintf("text%09d", n))
		}
	}
	return strings.Join(lines, "\n"), n
}

// save returns one of the ways in which programs save.
func (f *soakFile) save(way int) func(text string, n int64) error {
	return func(text string, n int64) (err error) {
		switch way % 4 {
		case 0: // over the old text, which is as long
			err = putAt(f.path, os.O_WRONLY, text, false)
		case 1:
			err = putAt(f.path, os.O_WRONLY, text, true)
		case 2:
			if err = os.WriteFile(f.path+".new", []byte(text), 0o644); err == nil {
				err = os.Rename(f.path+".new", f.path)
			}
		case 3: // the entity to a backup, and created anew
			if err = os.WriteFile(f.path+".new", []byte(text), 0o644); err == nil {
				err = os.Rename(f.path, f.path+"~")
			}
			if err == nil {
				err = os.Rename(f.path+".new", f.path)
			}
			if err == nil {
				err = os.Remove(f.path + "~")
			}
		}
		if err == nil {
			f.last.Store(n)
		}
		return err
	}
}

func (s *soak) readAll(seed uint64, stop chan struct{}) {
	random := rand.New(rand.NewPCG(seed, 0))
	for !stopped(stop) && !s.Failed() {
		f := s.files[random.IntN(len(s.files))]
		least := f.last.Load()
		data, err := os.ReadFile(f.path)
		if os.IsNotExist(err) {
			continue // between backup and rename
		}
		if n := numberIn(string(data)); err != nil || n < least {
			s.Errorf("%s: read text %d after %d was written: %v\n%s", filepath.Base(f.path), n, least, err, data)
		}
		s.read.Add(1)
	}
}

// numberIn returns the number of a text, -1 if it has none.
func numberIn(text string) int64 {
	_, after, _ := strings.Cut(text, `"text`)
	n, err := strconv.ParseInt(after[:min(9, len(after))], 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// look has git and worldfs look at everything.
func (s *soak) look(stop chan struct{}) {
	for i := 0; !stopped(stop) && !s.Failed(); i++ {
		command := []string{"git status >/dev/null", "worldfs sync", "git diff >/dev/null", "worldfs status >/dev/null", "ls -l entities >/dev/null"}[i%5]
		if out, code := s.try("sh", "-c", strings.Replace(command, "worldfs", binary, 1)); code != 0 && !strings.HasPrefix(command, "git diff") && !strings.HasPrefix(command, "ls") {
			s.Errorf("%s: exit status %d: %s", command, code, out) // ls and diff may miss a file between backup and rename
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (s *soak) savePacks(stop chan struct{}) {
	for !stopped(stop) && !s.Failed() {
		s.saves++
		s.engine.name(loadSaved, fmt.Sprint("save ", s.saves))
		if s.saves%2 == 0 {
			s.engine.replace(true)
		} else {
			s.engine.overwrite(true)
		}
		s.eventually(func() bool {
			return strings.Contains(s.bench.read(loadSavedPath), fmt.Sprintf("\"save %d\"\n", s.saves))
		})
		time.Sleep(200 * time.Millisecond)
	}
}

// soakHolds is what a daemon holds when nobody uses it.
type soakHolds struct {
	Heap                           uint64 `json:"heap_bytes"`
	Descriptors, Goroutines, Slots int
}

func (s *soak) holds() soakHolds {
	s.run("worldfs", "sync")
	var st struct{ Counters soakHolds }
	require.NoError(s, json.Unmarshal([]byte(s.run("worldfs", "status", "--json")), &st))
	return st.Counters
}

// verify compares everything with what was written last.
func (s *soak) verify() {
	check := func(when string) {
		for _, f := range s.files {
			data, err := os.ReadFile(f.path)
			require.NoError(s, err, when)
			require.Equal(s, f.last.Load(), numberIn(string(data)), "%s: %s", when, f.path)
		}
	}
	check("mounted")
	s.run("worldfs", "unmount")
	check("unmounted")
	require.Empty(s, s.run("worldfs", "check"))
	s.run("worldfs", "diff", "--exit-code", "world.pack", ".")
}
