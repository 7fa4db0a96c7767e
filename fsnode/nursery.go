package fsnode

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/layout"
)

// nursery keeps what was made just now beside the entities in memory: a
// temporary file that is renamed onto an entity, or removed, within half a
// second never touches the disk. What grows older, or does what only a real file
// can, lands: it becomes a file in scratch like any other, at the same node. A
// crash takes at most what nobody asked to be durable and is younger than that.
//
// The names in it are taken, as if they were on the disk. What looks at the disk
// for names has those that may matter land first.
type nursery struct {
	fsys    *fsys
	infancy time.Duration // how long a file stays in memory

	sweeping sync.Mutex // held while the old ones land

	mu    sync.Mutex
	files map[*File]*youngBacking // guarded by mu
	names map[place]*File         // changed with fsys.tree for writing; guarded by mu
	bytes int64                   // of all texts; guarded by mu
	timer *time.Timer             // nil: nothing is in it; guarded by mu
	ended bool                    // guarded by mu
}

const (
	infancy      = 500 * time.Millisecond // how long a file stays in memory
	maxYoung     = 1024                   // files
	maxYoungSize = 1 << 20                // bytes of one
	maxYoungAll  = 16 << 20               // bytes of all
	minFree      = 64 << 20               // bytes on the disk: what is in memory must find room there
)

func newNursery(f *fsys) *nursery {
	return &nursery{fsys: f, infancy: infancy, files: make(map[*File]*youngBacking), names: make(map[place]*File)}
}

// takes tells whether a file of that name may begin its life in memory: where
// temporary files of entities are, and what no other part of us looks for by
// its name. The caller has not tree.
func (y *nursery) takes(dir *Dir, name string) bool {
	// A shard that was there before a change of layout gets another node, and the
	// kernel may use both for a while: names in memory are those of one.
	if shard, ok := dir.mayHoldEntities(); !ok || shard != cache.Top && y.fsys.relaid {
		return false
	}
	if _, isFile := layout.ParseFileName(name); isFile || layout.IsShard(name) {
		return false
	}
	var st unix.Statfs_t
	err := unix.Fstatfs(y.fsys.scratch.root.n, &st)
	return err == nil && st.Flags&unix.ST_RDONLY == 0 && st.Bavail*uint64(st.Bsize) >= minFree
}

// at returns the young file of a name, nil if there is none.
func (y *nursery) at(dir *Dir, name string) *File {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.names[place{dir, name}]
}

// add takes in a file, if there is room. The caller has tree for writing.
func (y *nursery) add(n *File, b *youngBacking) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.ended || len(y.files) >= maxYoung {
		return false
	}
	y.files[n], y.names[n.at().place] = b, n
	if y.timer == nil {
		y.timer = time.AfterFunc(y.infancy/2, y.sweep)
	}
	return true
}

// grow tells whether texts may take so many bytes more, and counts them.
func (y *nursery) grow(bytes int64) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	if bytes > 0 && y.bytes+bytes > maxYoungAll {
		return false
	}
	y.bytes += bytes
	return true
}

// unname takes away a file's name. The caller has tree for writing.
func (y *nursery) unname(n *File) {
	y.mu.Lock()
	defer y.mu.Unlock()
	delete(y.names, n.at().place)
}

// drop lets go of a file, which has another backing now or is forgotten. The
// caller has the file's mu for writing, and tree if it has a name.
func (y *nursery) drop(n *File, b *youngBacking) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if _, ok := y.files[n]; !ok {
		return
	}
	delete(y.files, n)
	if at := n.at().place; y.names[at] == n {
		delete(y.names, at)
	}
	y.bytes -= int64(len(b.text))
}

// older returns the files that were made at a time or before.
func (y *nursery) older(than time.Time) (files []*File) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for n, b := range y.files {
		if !b.born.After(than) {
			files = append(files, n)
		}
	}
	return files
}

// sweep has what is old enough land.
func (y *nursery) sweep() {
	y.sweeping.Lock()
	defer y.sweeping.Unlock()
	err := y.landThose(y.older(time.Now().Add(-y.infancy)))
	if err != nil {
		y.fsys.log.Warn("new files beside the entities are in memory only", "err", err)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	switch {
	case len(y.files) == 0 || y.ended:
		y.timer = nil
	case err != nil:
		y.timer.Reset(time.Second)
	default:
		y.timer.Reset(y.infancy / 2)
	}
}

func (y *nursery) landThose(files []*File) error {
	var errs []error
	for _, n := range files {
		errs = append(errs, y.fsys.land(n))
	}
	return errors.Join(errs...)
}

// landAll returns when everything has landed that was in memory. No file's mu
// and not tree may be held.
func (y *nursery) landAll() error {
	y.mu.Lock()
	empty := len(y.files) == 0
	y.mu.Unlock()
	if empty {
		return nil
	}
	return y.landThose(y.older(time.Now()))
}

// landName has the file of a name land, if it is young.
func (y *nursery) landName(dir *Dir, name string) error {
	if n := y.at(dir, name); n != nil {
		return y.fsys.land(n)
	}
	return nil
}

// close has everything land, and takes in nothing more.
func (y *nursery) close() {
	y.mu.Lock()
	y.ended = true
	y.mu.Unlock()
	y.sweeping.Lock()
	defer y.sweeping.Unlock()
	if err := y.landAll(); err != nil {
		y.fsys.log.Error("new files beside the entities are lost", "err", err)
	}
}

// makeYoung makes a file in memory, nil if there is no room for it. The caller
// has names and tree for writing, and has opened the directory.
func (f *fsys) makeYoung(at *desc, dir *Dir, name string, ino uint64, mode uint32, o owner) (*File, error) {
	var st unix.Stat_t
	switch err := unix.Fstatat(at.n, name, &st, unix.AT_SYMLINK_NOFOLLOW); {
	case err == nil:
		return nil, unix.EEXIST
	case !errors.Is(err, unix.ENOENT):
		return nil, err
	}
	now := cache.FileTime(time.Time{})
	n := &File{fsys: f}
	b := &youngBacking{file: n, born: time.Now(), linked: true, attrs: cache.Attr{
		Ino: ino, Mode: mode & 0o7777, UID: o.uid, GID: o.gid, Mtime: now, Ctime: now, Atime: now,
	}}
	n.stand(b)
	n.isNew()
	n.at().add(place{dir, name})
	if !f.nursery.add(n, b) {
		return nil, nil
	}
	return f.renew(fileIdentity(ino), n).(*File), nil
}

// land puts a young file on the disk; any other stays as it is.
func (f *fsys) land(n *File) error {
	n.lock()
	defer n.unlock()
	b, ok := n.back.(*youngBacking)
	if !ok {
		return nil
	}
	f.tree.Lock()
	defer f.tree.Unlock()
	dir, name := n.at().dir, n.at().name
	named := dir != nil
	at := f.scratch.moving
	if named {
		var err error
		if at, err = f.openDir(dir); err != nil {
			return err
		}
		defer at.close()
	} else {
		dir, name = f.home, f.scratch.movingFile(copyPrefix)
	}
	s := &scratchBacking{file: n}
	var d *desc
	seen, err := dir.landed.next(at, func() (err error) {
		d, s.landed, err = f.write(b, at, dir, name)
		return err
	})
	if err != nil {
		return err
	}
	n.stand(s)
	f.nursery.drop(n, b)
	if named {
		dir.landed = seen
		f.hand.put(s, d)
		return nil
	}
	if d = d.lower(); isScarce(d.n) {
		d.close()
		n.at().parked = name
		return nil
	}
	s.held = d
	f.clear(name)
	return nil
}

// write makes a file of a young one's text and attributes.
func (f *fsys) write(b *youngBacking, at *desc, dir *Dir, name string) (*desc, landing, error) {
	a := b.attrs
	d, err := create(at, name)
	if err != nil {
		return nil, landing{}, err
	}
	_, err = d.writeAt(b.text, 0)
	if err == nil {
		err = f.dress(d, dir, a.Ino, a.Mode, owner{a.UID, a.GID})
	}
	if err == nil {
		ts := []unix.Timespec{unix.NsecToTimespec(a.Atime.UnixNano()), unix.NsecToTimespec(a.Mtime.UnixNano())}
		err = unix.UtimesNanoAt(d.n, "", ts, unix.AT_EMPTY_PATH)
	}
	var st *unix.Statx_t
	if err == nil {
		st, err = d.stat()
	}
	if err != nil {
		d.close()
		_ = unix.Unlinkat(at.n, name, 0) // the first error is the one to report
		return nil, landing{}, err
	}
	return d, landing{disk: statxTime(st.Ctime), shown: a.Ctime}, nil
}

// landing is the ctime of a file that has landed, or of the directory in which
// one has: as the disk has it since then, and as it was shown before, and is for
// as long as nothing else changes it. The zero landing is that of what has not.
type landing struct{ disk, shown time.Time }

// show returns the ctime that is shown where the disk has another.
func (l landing) show(disk time.Time) time.Time {
	if disk.Equal(l.disk) {
		return l.shown
	}
	return disk
}

// next is the landing in a directory of one more file, which do makes.
func (l landing) next(at *desc, do func() error) (landing, error) {
	before, err := at.stat()
	if err != nil {
		return l, err
	}
	if err := do(); err != nil {
		return l, err
	}
	after, err := at.stat()
	if err != nil {
		return l, nil // it is seen to have changed
	}
	return landing{disk: statxTime(after.Ctime), shown: l.show(statxTime(before.Ctime))}, nil
}

// removeYoung takes away the name of a file that is in memory, and tells whether
// that was one. The caller has names.
func (f *fsys) removeYoung(dir *Dir, name string) bool {
	n := f.nursery.at(dir, name)
	if n == nil {
		return false
	}
	n.lock()
	defer n.unlock()
	b, ok := n.back.(*youngBacking)
	if !ok {
		return false // it has landed meanwhile
	}
	f.tree.Lock()
	defer f.tree.Unlock()
	f.nursery.unname(n)
	n.at().clear()
	b.unlink()
	return true
}
