package fsnode

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// memFiles is a write-back cache: it keeps what was created just now beside the entities
// in memory, so a temporary file that is renamed onto an entity, or removed, within
// flushDelay never touches the disk. What grows older, or does what only a real file can,
// is flushed: it becomes a file in scratch like any other, at the same node. A crash
// takes at most what was not synced and is younger than that.
//
// The names in it exist, as if they were on the disk. What looks at the disk for names
// has those that may matter flushed first.
type memFiles struct {
	fsys       *fsys
	flushDelay time.Duration // how long a file stays in memory

	flushing lockorder.Mutex // held while the old ones are flushed

	mu    lockorder.Mutex
	files map[*File]*memBacking  // guarded by mu
	names map[place.Dentry]*File // changed with fsys.tree for writing; guarded by mu
	bytes int64                  // of all texts; guarded by mu
	timer *time.Timer            // nil: nothing is in it; guarded by mu
	ended bool                   // guarded by mu
}

const (
	flushDelay     = 500 * time.Millisecond // how long a file stays in memory
	maxMemFiles    = 1024                   // files
	maxMemFileSize = 1 << 20                // bytes of one
	maxMemBytes    = 16 << 20               // bytes of all
	minFree        = 64 << 20               // bytes on the disk: what is in memory must find room there
)

func newMemFiles(f *fsys) *memFiles {
	m := &memFiles{fsys: f, flushDelay: flushDelay, files: make(map[*File]*memBacking), names: make(map[place.Dentry]*File)}
	m.flushing.Init(&classFlushing)
	m.mu.Init(&classMemFiles)
	return m
}

// accepts reports whether a file of that name may be created in memory: where temporary
// files of entities are, and what no other part of us looks for by its name. The caller
// does not have tree.
func (m *memFiles) accepts(dir *Dir, name string) bool {
	// A shard that was there before a change of layout gets another node, and the
	// kernel may use both for a while: names in memory are those of one.
	if shard, ok := dir.mayHoldEntities(); !ok || shard != cache.Top && m.fsys.layoutChanged {
		return false
	}
	if _, isFile := layout.ParseFileName(name); isFile || layout.IsShard(name) {
		return false
	}
	return m.fsys.scratch.HasRoom(minFree)
}

// lookup returns the file in memory of a name, nil if there is none.
func (m *memFiles) lookup(dir *Dir, name string) *File {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names[dir.named(name)]
}

// addLocked adds a file, and reports whether there is room. The caller has tree for writing.
func (m *memFiles) addLocked(n *File, b *memBacking) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended || len(m.files) >= maxMemFiles {
		return false
	}
	m.files[n], m.names[n.location().Dentry] = b, n
	if m.timer == nil {
		m.timer = time.AfterFunc(m.flushDelay/2, m.flushOld)
	}
	return true
}

// grow reports whether texts may take so many bytes more, and counts them.
func (m *memFiles) grow(bytes int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes > 0 && m.bytes+bytes > maxMemBytes {
		return false
	}
	m.bytes += bytes
	return true
}

// dropNameLocked takes away a file's name. The caller has tree for writing.
func (m *memFiles) dropNameLocked(n *File) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.names, n.location().Dentry)
}

// dropLocked lets go of a file, which has another backing now or is forgotten. The
// caller has the file's mu for writing, and tree if it has a name.
func (m *memFiles) dropLocked(n *File, b *memBacking) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.files[n]; !ok {
		return
	}
	delete(m.files, n)
	if at := n.location().Dentry; m.names[at] == n {
		delete(m.names, at)
	}
	m.bytes -= int64(len(b.text))
}

// older returns the files that were made at a time or before.
func (m *memFiles) older(than time.Time) (files []*File) {
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
func (m *memFiles) flushOld() {
	m.flushing.Lock()
	defer m.flushing.Unlock()
	err := m.flushThese(m.older(time.Now().Add(-m.flushDelay)))
	if err != nil {
		m.fsys.log.Warn("new files beside the entities are in memory only", "error", err)
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

func (m *memFiles) flushThese(files []*File) error {
	var errs []error
	for _, n := range files {
		errs = append(errs, m.fsys.mem.flush(n))
	}
	return errors.Join(errs...)
}

// flushAll flushes everything. The caller has no file's mu, and not tree.
func (m *memFiles) flushAll() error {
	m.mu.Lock()
	empty := len(m.files) == 0
	m.mu.Unlock()
	if empty {
		return nil
	}
	return m.flushThese(m.older(time.Now()))
}

// flushName flushes the file of a name, if it is in memory.
func (m *memFiles) flushName(dir *Dir, name string) error {
	if n := m.lookup(dir, name); n != nil {
		return m.fsys.mem.flush(n)
	}
	return nil
}

// close flushes everything, and accepts nothing more.
func (m *memFiles) close() {
	m.mu.Lock()
	m.ended = true
	m.mu.Unlock()
	m.flushing.Lock()
	defer m.flushing.Unlock()
	if err := m.flushAll(); err != nil {
		m.fsys.log.Error("new files beside the entities are lost", "error", err)
	}
}

// makeLocked makes a file in memory, nil if there is no room for it. The caller
// has names and tree for writing, and has opened the directory.
func (m *memFiles) makeLocked(at *realfs.Desc, dir *Dir, name string, ino uint64, mode uint32, o realfs.Owner) (*File, error) {
	var st unix.Stat_t
	switch err := unix.Fstatat(at.FD, name, &st, unix.AT_SYMLINK_NOFOLLOW); {
	case err == nil:
		return nil, unix.EEXIST
	case !errors.Is(err, unix.ENOENT):
		return nil, err
	}
	now := cache.FileTime(time.Time{})
	n := allocFile(m.fsys)
	b := &memBacking{file: n, created: time.Now(), linked: true, attrs: cache.Attr{
		Ino: ino, Mode: mode & 0o7777, UID: o.UID, GID: o.GID, Mtime: now, Ctime: now, Atime: now,
	}}
	b.mu.Init(&classMem)
	n.setBackingLocked(b)
	n.noteCreated()
	n.location().Add(dir.named(name))
	if !m.addLocked(n, b) {
		return nil, nil
	}
	return m.fsys.nodes.renew(fileIdentity(ino), n).(*File), nil
}

// flush writes a file in memory to the disk; any other stays as it is.
func (m *memFiles) flush(n *File) error {
	n.lock()
	defer n.unlock()
	b, ok := n.back.(*memBacking)
	if !ok {
		return nil
	}
	m.fsys.tree.Lock()
	defer m.fsys.tree.Unlock()
	dir, name := n.location().Dir, n.location().Name
	named := dir != nil
	at := m.fsys.scratch.Moving
	if named {
		var err error
		if at, err = m.fsys.tree.OpenDirLocked(dir); err != nil {
			return err
		}
		defer at.Close()
	} else {
		dir, name = &m.fsys.home.place, m.fsys.scratch.NewCopy()
	}
	s := newScratchBacking(n)
	var d *realfs.Desc
	seen, err := dir.Ctime.Flush(at, func() (err error) {
		d, s.ctime, err = m.writeOutLocked(b, at, dir, name)
		return err
	})
	if err != nil {
		return err
	}
	n.setBackingLocked(s)
	m.dropLocked(n, b)
	if named {
		dir.Ctime = seen
		s.Put(d)
		return nil
	}
	if d = d.Lower(); realfs.IsScarce(d.FD) {
		d.Close()
		n.location().Orphan = name
		return nil
	}
	s.KeepLocked(d)
	m.fsys.scratch.Clear(name)
	return nil
}

// writeOutLocked makes a file on the disk of one in memory. The caller has the file's
// mu and tree for writing.
func (m *memFiles) writeOutLocked(b *memBacking, at *realfs.Desc, dir *place.Dir, name string) (*realfs.Desc, realfs.FlushedCtime, error) {
	a := b.attrs
	d, err := realfs.Create(at, name)
	if err != nil {
		return nil, realfs.FlushedCtime{}, err
	}
	_, err = d.WriteAt(b.text, 0)
	if err == nil {
		err = m.fsys.initAttrsLocked(d, dir, a.Ino, a.Mode, realfs.Owner{UID: a.UID, GID: a.GID})
	}
	if err == nil {
		ts := []unix.Timespec{unix.NsecToTimespec(a.Atime.UnixNano()), unix.NsecToTimespec(a.Mtime.UnixNano())}
		err = unix.UtimesNanoAt(d.FD, "", ts, unix.AT_EMPTY_PATH)
	}
	var st *unix.Statx_t
	if err == nil {
		st, err = d.Stat()
	}
	if err != nil {
		d.Close()
		_ = unix.Unlinkat(at.FD, name, 0) // the first error is the one to report
		return nil, realfs.FlushedCtime{}, err
	}
	return d, realfs.NewFlushedCtime(st, a.Ctime), nil
}

// removeLocked takes away the name of a file that is in memory, and reports whether
// that was one. The caller has namesMu.
func (m *memFiles) removeLocked(dir *Dir, name string) bool {
	n := m.lookup(dir, name)
	if n == nil {
		return false
	}
	n.lock()
	defer n.unlock()
	b, ok := n.back.(*memBacking)
	if !ok {
		return false // it was flushed meanwhile
	}
	m.fsys.tree.Lock()
	defer m.fsys.tree.Unlock()
	m.dropNameLocked(n)
	n.location().Clear()
	b.unlink()
	return true
}
