package backing

import (
	"errors"
	"log/slog"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Store is a write-back cache: it keeps what was created just now beside the entities
// in memory, so a temporary file that is renamed onto an entity, or removed, within
// flushDelay never touches the disk. What grows older, or does what only a real file can,
// is flushed: it becomes a file in scratch like any other, at the same node. A crash
// takes at most what was not synced and is younger than that.
//
// N is a node, comparable, and its zero value none.
type Store[N comparable] struct {
	flush      func(N) error // writes a file in memory to the disk; any other stays as it is
	log        *slog.Logger
	flushDelay time.Duration // how long a file stays in memory

	flushing lockorder.Mutex // held while the old ones are flushed

	mu    lockorder.Mutex
	files map[N]*Memory      // guarded by mu
	names map[place.Dentry]N // changed with place.Tree's lock for writing; guarded by mu
	bytes int64              // of all texts; guarded by mu
	timer *time.Timer        // nil: nothing is in it; guarded by mu
	ended bool               // guarded by mu
}

const (
	flushDelay     = 500 * time.Millisecond // how long a file stays in memory
	maxMemFiles    = 1024                   // files
	maxMemFileSize = 1 << 20                // bytes of one
	maxMemBytes    = 16 << 20               // bytes of all
)

// NewStore returns an empty store. flush is called without its locks, but for
// flushing.
func NewStore[N comparable](flush func(N) error, log *slog.Logger) *Store[N] {
	m := &Store[N]{
		flush: flush, log: log, flushDelay: flushDelay, files: make(map[N]*Memory), names: make(map[place.Dentry]N),
	}
	m.flushing.Init(&classFlushing)
	m.mu.Init(&classMemFiles)
	return m
}

// SetFlushDelay says how long files stay in memory. There are none yet.
func (m *Store[N]) SetFlushDelay(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flushDelay = d
}

// Lookup returns the file in memory of a name, zero if there is none.
func (m *Store[N]) Lookup(p place.Dentry) (n N) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names[p]
}

// NewFile returns an empty file in memory, which is still to be added.
func (m *Store[N]) NewFile(a cache.Attr) *Memory { return newMemory(m, a) }

// AddLocked adds a file under a name, and reports whether there is room. The caller has
// the tree's lock for writing.
func (m *Store[N]) AddLocked(n N, b *Memory, at place.Dentry) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended || len(m.files) >= maxMemFiles {
		return false
	}
	m.files[n], m.names[at] = b, n
	if m.timer == nil {
		m.timer = time.AfterFunc(m.flushDelay/2, m.flushOld)
	}
	return true
}

// grow reports whether texts may take so many bytes more, and counts them.
func (m *Store[N]) grow(bytes int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes > 0 && m.bytes+bytes > maxMemBytes {
		return false
	}
	m.bytes += bytes
	return true
}

// DropNameLocked takes away a file's name. The caller has the tree's lock for writing.
func (m *Store[N]) DropNameLocked(at place.Dentry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.names, at)
}

// DropLocked lets go of a file, which has another backing now or is forgotten. The caller
// has the file's lock for writing, and the tree's if it has the name.
func (m *Store[N]) DropLocked(n N, b *Memory, at place.Dentry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.files[n]; !ok {
		return
	}
	delete(m.files, n)
	if m.names[at] == n {
		delete(m.names, at)
	}
	m.bytes -= int64(len(b.text))
}

// older returns the files that were made at a time or before.
func (m *Store[N]) older(than time.Time) (files []N) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for n, b := range m.files {
		if !b.created.After(than) {
			files = append(files, n)
		}
	}
	return files
}

// flushOld flushes what is old enough.
func (m *Store[N]) flushOld() {
	m.flushing.Lock()
	defer m.flushing.Unlock()
	err := m.flushThese(m.older(time.Now().Add(-m.flushDelay)))
	if err != nil {
		m.log.Warn("new files beside the entities are in memory only", "error", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case len(m.files) == 0 || m.ended:
		m.timer = nil
	case err != nil:
		m.timer.Reset(time.Second)
	default:
		m.timer.Reset(m.flushDelay / 2)
	}
}

func (m *Store[N]) flushThese(files []N) error {
	var errs []error
	for _, n := range files {
		errs = append(errs, m.flush(n))
	}
	return errors.Join(errs...)
}

// FlushAll flushes everything. The caller has no file's mu, and not tree.
func (m *Store[N]) FlushAll() error {
	m.mu.Lock()
	empty := len(m.files) == 0
	m.mu.Unlock()
	if empty {
		return nil
	}
	return m.flushThese(m.older(time.Now()))
}

// FlushName flushes the file of a name, if it is in memory.
func (m *Store[N]) FlushName(p place.Dentry) error {
	var none N
	if n := m.Lookup(p); n != none {
		return m.flush(n)
	}
	return nil
}

// Close flushes everything, and accepts nothing more.
func (m *Store[N]) Close() {
	m.mu.Lock()
	m.ended = true
	m.mu.Unlock()
	m.flushing.Lock()
	defer m.flushing.Unlock()
	if err := m.FlushAll(); err != nil {
		m.log.Error("new files beside the entities are lost", "error", err)
	}
}
