package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

func listFiles(dir string) (paths []string, err error) {
	err = eachFile(dir, func(path string, _ fs.DirEntry) error {
		paths = append(paths, path)
		return nil
	})
	return paths, err
}

// residentMemory returns a process's, in bytes: what it has now (VmRSS), or had at
// most (VmHWM).
func residentMemory(pid int, which string) (uint64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, which+":"); ok {
			kib, err := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("process %d does not say how much memory it has", pid)
}

// idleMemory returns a daemon's memory once it has given back what it does not
// use, which it does after five seconds without work.
func idleMemory(pid int) (uint64, error) {
	time.Sleep(8 * time.Second)
	return residentMemory(pid, "VmRSS")
}

// checkpointTime changes one entity, publishes, and meanwhile writes another file
// over and over.
func (j *job) checkpointTime(w *world, m *scaled) error {
	published, err := packfile.ReadFile(filepath.Join(w.root, "world.pack"))
	if err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(tenMoved(published, 1)))
	if len(ids) < 2 {
		return fmt.Errorf("nothing in %s can be moved", w.root)
	}
	var took []time.Duration
	for i := range j.rounds {
		other := tenMoved(published, uint32(i+1))[ids[0]]
		if err := os.WriteFile(w.file(ids[0]), textcodec.Append(nil, other), 0o644); err != nil {
			return err
		}
		stop, longest := make(chan struct{}), make(chan time.Duration)
		go writeUntil(stop, longest, w.file(ids[1]))
		begin := time.Now()
		err := command(filepath.Dir(w.root), w.binary, "-C", w.root, "sync")
		took = append(took, time.Since(begin))
		close(stop)
		m.longestWait = max(m.longestWait, <-longest)
		if err != nil {
			return err
		}
	}
	m.checkpoint = median(took)
	return nil
}

// writeUntil writes a file again and again and tells how long the slowest
// write took.
func writeUntil(stop <-chan struct{}, longest chan<- time.Duration, path string) {
	var most time.Duration
	defer func() { longest <- most }()
	for {
		select {
		case <-stop:
			return
		default:
			begin := time.Now()
			if touchText(path) != nil {
				return
			}
			most = max(most, time.Since(begin))
			time.Sleep(time.Millisecond)
		}
	}
}

// touchText writes a file's own bytes again.
func touchText(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt(text, 0)
	return err
}

// takeoverTime saves the pack with ten entities changed, as a game's editor
// does, and waits until the mount shows the last of them.
func (j *job) takeoverTime(w *world, m *scaled) error {
	if err := command(filepath.Dir(w.root), w.binary, "-C", w.root, "sync"); err != nil {
		return err
	}
	var took []time.Duration
	for range j.rounds {
		t, err := takeover(w)
		if err != nil {
			return err
		}
		took = append(took, t)
	}
	m.takeover = median(took)
	return nil
}

func takeover(w *world) (time.Duration, error) {
	path := filepath.Join(w.root, "world.pack")
	loaded, err := packfile.ReadFile(path)
	if err != nil {
		return 0, err
	}
	changes := tenMoved(loaded, 1<<12)
	data, err := packfile.Encode(loaded.World(), loaded.Types(), entity.NewOverlay(loaded, changes))
	if err != nil {
		return 0, err
	}
	packfile.SetBasedOn(data, loaded.Hash())
	var last *entity.Entity
	for _, e := range changes {
		if last == nil || e.ID > last.ID {
			last = e
		}
	}
	file := w.file(last.ID)
	before, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := os.Rename(path+".new", path); err != nil {
		return 0, err
	}
	for time.Since(begin) < time.Minute {
		now, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		if !bytes.Equal(now, before) {
			return time.Since(begin), nil
		}
		time.Sleep(time.Millisecond)
	}
	return 0, fmt.Errorf("%s: the saved pack is not to be seen after a minute", file)
}

// file returns where an entity's file is, in either layout.
func (w *world) file(id entity.ID) string {
	name := id.String() + ".entity_text"
	sharded := filepath.Join(w.root, "entities", strconv.Itoa(int(id%10)), name)
	if _, err := os.Lstat(sharded); err == nil {
		return sharded
	}
	return filepath.Join(w.root, "entities", name)
}

// tenMoved returns the first ten entities of a pack that stand somewhere, elsewhere
// by some bits.
func tenMoved(p *packfile.Pack, by uint32) map[entity.ID]*entity.Entity {
	changes := make(map[entity.ID]*entity.Entity)
	for e := range p.All() {
		if i := e.Layout.Index("position"); i >= 0 {
			n, at := e.Clone(), e.Values[i]
			n.Values[i] = entity.NewVec(entity.KindVec3, [4]uint32{at.Component(0) ^ by, at.Component(1), at.Component(2)})
			changes[e.ID] = n
		}
		if len(changes) == 10 {
			break
		}
	}
	return changes
}
