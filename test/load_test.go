package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
)

// loadVariable makes the test's program a load: see load.
const loadVariable = "WORLDFS_TEST_LOAD"

// load is programs that write a mounted world's entities and an engine that
// saves packs, in a process of its own: what it does in a mount whose daemon is
// killed may wait there, and a test must not. It is told on stdin what to write,
// goes on until that ends, and tells on stdout what it does, a line each:
//
//	begin FILE N    text N of the file is going to be written
//	synced FILE N   and is durable
//	saving N        pack N is going to be saved
//	saved N         and is in its place
//	quiet           no pack will be saved any more
type load struct {
	Dir   string
	Files []loadFile // two by two, each two are one program's
	Saves int        // that there were before

	stop   atomic.Bool
	out    sync.Mutex
	saving sync.Mutex // locked during a save
}

// loadFile is an entity's file.
type loadFile struct {
	Path     string
	Template string
	Last     int  // number of the text that it has
	Whole    bool // written by a temporary file and a rename; else over the old text
}

// loadSaved is the entity that the engine gives another name in each pack.
const loadSaved = 10001

var loadSavedPath = config.entityPath(strconv.Itoa(loadSaved))

// run is the process.
func (l *load) run(in io.Reader) int {
	spec := bufio.NewReader(in)
	line, err := spec.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, l)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var all sync.WaitGroup
	for i := 0; i < len(l.Files); i += 2 {
		all.Go(func() { l.write(i) })
	}
	all.Go(l.save)
	_, _ = io.Copy(io.Discard, spec)
	l.stop.Store(true)
	l.saving.Lock()
	l.tell("quiet")
	l.saving.Unlock()
	all.Wait()
	return 0
}

func (l *load) tell(format string, args ...any) {
	l.out.Lock()
	defer l.out.Unlock()
	fmt.Printf(format+"\n", args...)
}

// write writes two files until the end or until it fails, and syncs now and
// then.
func (l *load) write(first int) {
	if l.Files[first].stay() != nil || l.Files[first+1].stay() != nil {
		return
	}
	for i := 0; !l.stop.Load(); i++ {
		at := first + i%2
		f := &l.Files[at]
		f.Last++
		l.tell("begin %d %d", at, f.Last)
		sync := i%5 < 3
		if f.put(sync) != nil {
			return
		}
		if sync {
			l.tell("synced %d %d", at, f.Last)
		}
	}
}

// text returns a text of the file, all of which but the first are as long.
func (f *loadFile) text(n int) string {
	if n == 0 {
		return f.Template
	}
	lines := strings.Split(f.Template, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "; entity_name") || strings.HasPrefix(line, "; lightmap_hash") {
			lines[i+1] = fmt.Sprintf("    %q", fmt.Sprintf("text%08d", n))
		}
	}
	return strings.Join(lines, "\n")
}

// stay has the file be written in this mount alone. Once that is dead, its path
// leads, for a moment, to where the plain files are about to be: what is written
// there was made of what they were before the mount, for all that anybody knows, and
// is merged with what was written in the mount.
func (f *loadFile) stay() error {
	dir, err := unix.Open(filepath.Dir(f.Path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	f.Path = filepath.Join("/proc/self/fd", strconv.Itoa(dir), filepath.Base(f.Path))
	return err
}

// put writes the file's last text.
func (f *loadFile) put(sync bool) error {
	text := f.text(f.Last)
	if !f.Whole && f.Last > 1 {
		return putAt(f.Path, os.O_WRONLY, text, sync)
	}
	temp := f.Path + ".new"
	if err := putAt(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, text, sync); err != nil {
		return err
	}
	if err := os.Rename(temp, f.Path); err != nil || !sync {
		return err
	}
	dir, err := os.Open(filepath.Dir(f.Path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// putAt writes a text over what a file has, in one write.
func putAt(path string, flags int, text string, sync bool) error {
	file, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteAt([]byte(text), 0)
	if err == nil && sync {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// save saves packs with an engine that has loaded the world once, each when the
// one before has come in.
func (l *load) save() {
	e := loadEngine(dying{}, l.Dir)
	for l.saveOne(e) {
		for !l.hasCome() {
			if l.stop.Load() {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// saveOne saves a pack, unless it is the end.
func (l *load) saveOne(e *engine) bool {
	l.saving.Lock()
	defer l.saving.Unlock()
	if l.stop.Load() {
		return false
	}
	l.Saves++
	e.name(loadSaved, fmt.Sprint("save ", l.Saves))
	l.tell("saving %d", l.Saves)
	e.replace(true)
	l.tell("saved %d", l.Saves)
	return true
}

// hasCome reports whether the last save has come in.
func (l *load) hasCome() bool {
	text, err := os.ReadFile(filepath.Join(l.Dir, loadSavedPath))
	return err == nil && strings.Contains(string(text), fmt.Sprintf("\"save %d\"\n", l.Saves))
}

// name gives an entity another name.
func (e *engine) name(id entity.ID, name string) {
	n, ok := e.world.Get(id)
	require.True(e.t, ok)
	n = n.Clone()
	n.Values[n.Layout.Index("entity_name")] = entity.NewString(name)
	e.world.Put(n)
}

// dying ends a process that is no test with the first thing that goes wrong: in
// a load, that the mount is gone.
type dying struct{}

func (dying) Errorf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
func (dying) FailNow()                          { os.Exit(1) }
