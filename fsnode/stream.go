package fsnode

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

var (
	_ fs.FileReaddirenter = (*stream)(nil)
	_ fs.FileSeekdirer    = (*stream)(nil)
	_ fs.FileLookuper     = (*stream)(nil)
)

// Cookies tell where in a directory a stream stands. An entity's is its ID, so
// it means the same whatever comes and goes; those of other names begin beyond
// every ID and count the names that the stream found when it came to them.
const (
	cookieDot    = 1 << 32
	cookieDotDot = cookieDot + 1
	cookieNames  = cookieDot + 2 // + index + 1
)

// batch is how many IDs a stream takes at a time.
const batch = 512

// stream is an open directory: "." and "..", the entities in order, then the
// other names in order. go-fuse sees to it that one request uses it at a time.
type stream struct {
	dir    *Dir
	layout layout.Layout // when it came to the entities
	stage  stage
	after  entity.ID       // the last entity that was read
	ids    []entity.ID     // the next ones
	names  []fuse.DirEntry // the other names, once the stream has come to them
	next   int             // in names
}

type stage uint8

const (
	atDot stage = iota
	atDotDot
	atEntities
	atNames
)

// OpendirHandle implements fs.NodeOpendirHandler.
func (d *Dir) OpendirHandle(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	s := &stream{dir: d, layout: d.fsys.world.Layout()}
	if !d.fsys.policy.own(d) {
		return s, 0, 0
	}
	return s, d.fsys.policy.caching.listings, 0
}

// Seekdir implements fs.FileSeekdirer.
func (s *stream) Seekdir(_ context.Context, cookie uint64) syscall.Errno {
	defer s.dir.fsys.lockLayout()()
	s.ids = nil
	switch {
	case cookie == 0:
		*s = stream{dir: s.dir, layout: s.layout}
	case cookie < cookieDot:
		s.begin(entity.ID(cookie))
	case cookie == cookieDot:
		s.stage = atDotDot
	case cookie == cookieDotDot:
		s.begin(0)
	default:
		return s.seekName(cookie - cookieNames)
	}
	return 0
}

// begin has the entities after one come next. A stream that begins with them goes by
// the layout of that moment to its end, whatever the layout is by then: each entity is
// listed once.
func (s *stream) begin(after entity.ID) {
	if after == 0 {
		s.layout = s.dir.fsys.world.Layout()
	}
	s.stage, s.after = atEntities, after
}

func (s *stream) seekName(i uint64) syscall.Errno {
	if err := s.load(); err != nil {
		return errnoOf(err)
	}
	s.stage, s.next = atNames, int(min(i, uint64(len(s.names))))
	return 0
}

// Lookup implements fs.FileLookuper: what a listing tells the kernel of a name.
// Where the daemon changes names beneath the mount that is nothing, which is no
// error here. The kernel would keep a name that it is told of, such as a pack's
// that is just being exchanged, with the file and its descriptor here, long after
// the file has gone: no program ever asks for that name.
func (s *stream) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if s.dir.fsys.policy.changesNames(s.dir) {
		return nil, syscall.ENOENT
	}
	return s.dir.Lookup(ctx, name, out)
}

// Readdirent implements fs.FileReaddirenter.
func (s *stream) Readdirent(context.Context) (*fuse.DirEntry, syscall.Errno) {
	defer s.dir.fsys.lockLayout()()
	switch s.stage {
	case atDot:
		s.stage = atDotDot
		return s.dots(".", s.dir, cookieDot), 0
	case atDotDot:
		s.begin(0)
		return s.dots("..", s.dir.above(), cookieDotDot), 0
	case atEntities:
		if e := s.readEntity(); e != nil {
			return e, 0
		}
		s.stage, s.next = atNames, 0
	}
	e, err := s.readName()
	return e, errnoOf(err)
}

func (s *stream) dots(name string, d *Dir, cookie uint64) *fuse.DirEntry {
	return &fuse.DirEntry{Name: name, Mode: unix.S_IFDIR, Ino: d.StableAttr().Ino, Off: cookie}
}

// above returns the directory that the directory is in, for the root itself.
func (d *Dir) above() *Dir {
	in := d.fsys.tree.LastName(&d.place.Loc).Dir
	if in == nil {
		return d
	}
	return in.Node.(*Dir)
}

// readEntity returns the next entity, nil when there are no more.
func (s *stream) readEntity() *fuse.DirEntry {
	shard, ok := s.dir.holdsIn(s.layout)
	if !ok {
		return nil
	}
	world := s.dir.fsys.world
	for {
		if len(s.ids) == 0 {
			if s.ids = world.IDsIn(s.layout, shard, s.after, batch); len(s.ids) == 0 {
				return nil
			}
		}
		id := s.ids[0]
		s.ids, s.after = s.ids[1:], id
		file, err := world.Lookup(id)
		if err != nil {
			continue // gone since
		}
		return &fuse.DirEntry{Name: layout.FileName(id), Mode: unix.S_IFREG, Ino: file.Ino(), Off: uint64(id)}
	}
}

// load finds the names that are no entities', unless that was done.
func (s *stream) load() error {
	if s.names != nil {
		return nil
	}
	if err := s.dir.fsys.mem.flushAll(); err != nil {
		return err
	}
	listed, err := s.dir.fsys.tree.List(&s.dir.place)
	if err != nil && !errors.Is(err, unix.ENOENT) { // a directory that was removed is empty
		return err
	}
	names := []fuse.DirEntry{}
	for _, e := range listed {
		if _, isEntity := s.dir.entity(e.Name); !isEntity && !s.dir.hidden(e.Name) {
			names = append(names, fuse.DirEntry{Name: e.Name, Mode: e.Mode})
		}
	}
	names = append(names, s.adopted()...)
	slices.SortFunc(names, func(a, b fuse.DirEntry) int { return cmp.Compare(a.Name, b.Name) })
	s.names = names
	return nil
}

// adopted returns the entities' names that were other names when the stream began,
// since the layout was another.
func (s *stream) adopted() (names []fuse.DirEntry) {
	world := s.dir.fsys.world
	now := world.Layout()
	shard, ok := s.dir.holdsIn(now)
	if !ok || now == s.layout {
		return nil
	}
	for after, ids := entity.ID(0), world.IDsIn(now, shard, 0, batch); len(ids) > 0; ids = world.IDsIn(now, shard, after, batch) {
		for _, id := range ids {
			names = append(names, fuse.DirEntry{Name: layout.FileName(id), Mode: unix.S_IFREG})
		}
		after = ids[len(ids)-1]
	}
	return names
}

// readName returns the next name that is no entity's, nil when there are no
// more.
func (s *stream) readName() (*fuse.DirEntry, error) {
	if err := s.load(); err != nil {
		return nil, err
	}
	for s.next < len(s.names) {
		e := s.names[s.next]
		s.next++
		e.Off = cookieNames + uint64(s.next)
		ino, err := s.dir.inoOf(e.Name)
		if errors.Is(err, unix.ENOENT) {
			continue // gone since
		}
		if err != nil {
			return nil, err
		}
		e.Ino = ino
		return &e, nil
	}
	return nil, nil
}

// inoOf returns the inode number of a name that was no entity's when it was listed. It
// may be one's by now.
func (d *Dir) inoOf(name string) (uint64, error) {
	id, ok := d.entity(name)
	if !ok {
		return d.fsys.scratchIno(d, name)
	}
	file, err := d.fsys.world.Lookup(id)
	if err != nil {
		return 0, unix.ENOENT
	}
	return file.Ino(), nil
}

// scratchIno returns the inode number of a name in scratch.
func (f *fsys) scratchIno(dir *Dir, name string) (uint64, error) {
	if dir.fixed[name] != nil {
		if n := dir.fixedChild(name); n != nil {
			return n.StableAttr().Ino, nil
		}
		return 0, unix.ENOENT
	}
	f.tree.RLock()
	defer f.tree.RUnlock()
	d, err := f.tree.OpenNameLocked(&dir.place, name)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	st, err := d.Stat()
	if err != nil {
		return 0, err
	}
	id, err := f.identifyLocked(d, st, dir, name)
	return id.Ino, err
}
