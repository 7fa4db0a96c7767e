package fsnode

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// memFiles are the files beside the entities that were created just now and are in memory
// only. The names in it exist, as if they were on the disk. What looks at the disk for
// names has those that may matter flushed first.
type memFiles struct {
	*backing.Store[*File]
	fsys *fsys
}

// minFree is how many bytes have to be free on the disk: what is in memory must find room
// there.
const minFree = 64 << 20

func newMemFiles(f *fsys) *memFiles {
	m := &memFiles{fsys: f}
	m.Store = backing.NewStore(m.flush, f.log)
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
	b := m.NewFile(cache.Attr{
		Ino: ino, Mode: mode & 0o7777, UID: o.UID, GID: o.GID, Mtime: now, Ctime: now, Atime: now,
	})
	n.setBackingLocked(b)
	n.noteCreated()
	n.location().Add(dir.named(name))
	if !m.AddLocked(n, b, dir.named(name)) {
		return nil, nil
	}
	return m.fsys.nodes.renew(fileIdentity(ino), n).(*File), nil
}

// flush writes a file in memory to the disk; any other stays as it is.
func (m *memFiles) flush(n *File) error {
	n.lock()
	defer n.unlock()
	b, ok := n.back.(*backing.Memory)
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
	s := backing.NewReal(m.fsys.tree, n.location())
	var d *realfs.Desc
	seen, err := dir.Ctime.Flush(at, func() (err error) {
		d, s.Ctime, err = m.writeOutLocked(b, at, dir, name)
		return err
	})
	if err != nil {
		return err
	}
	n.setBackingLocked(s)
	m.DropLocked(n, b, n.location().Dentry)
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
func (m *memFiles) writeOutLocked(b *backing.Memory, at *realfs.Desc, dir *place.Dir, name string) (*realfs.Desc, realfs.FlushedCtime, error) {
	a, text := b.Contents()
	d, err := realfs.Create(at, name)
	if err != nil {
		return nil, realfs.FlushedCtime{}, err
	}
	_, err = d.WriteAt(text, 0)
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
	n := m.Lookup(dir.named(name))
	if n == nil {
		return false
	}
	n.lock()
	defer n.unlock()
	b, ok := n.back.(*backing.Memory)
	if !ok {
		return false // it was flushed meanwhile
	}
	m.fsys.tree.Lock()
	defer m.fsys.tree.Unlock()
	m.DropNameLocked(n.location().Dentry)
	n.location().Clear()
	b.Unlink()
	return true
}
