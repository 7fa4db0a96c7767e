package fsnode

import (
	"context"
	"errors"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/errnos"
	"github.com/worldfs/worldfs/internal/mounting/listing"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

var (
	_ fs.FileReaddirenter = (*stream)(nil)
	_ fs.FileSeekdirer    = (*stream)(nil)
	_ fs.FileLookuper     = (*stream)(nil)
)

// batch is how many entities are worked on at a time.
const batch = 512

// stream is an open directory. go-fuse sees to it that one request uses it at a time.
type stream struct {
	dir  *Dir
	list *listing.Listing
}

// OpendirHandle implements fs.NodeOpendirHandler. A directory of entities is opened once
// no checkout is half way through it: it is here that a listing can wait, since the kernel
// lets no name in it change while it is read. A signal ends that with EINTR.
func (d *Dir) OpendirHandle(ctx context.Context, _ uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if d.fsys.policy.own(d) && d.fsys.writers.AwaitCheckout(threadOf(ctx), ctx.Done()) != nil {
		return nil, 0, syscall.EINTR
	}
	s := &stream{dir: d, list: listing.New(d.fsys.world, listedDir{d})}
	if !d.fsys.policy.own(d) {
		return s, 0, 0
	}
	return s, d.fsys.policy.caching.listings, 0
}

// Seekdir implements fs.FileSeekdirer.
func (s *stream) Seekdir(_ context.Context, cookie uint64) syscall.Errno {
	defer s.dir.fsys.lockLayout()()
	return errnos.Of(s.list.Seek(cookie))
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
	e, err := s.list.Read()
	if e == nil || err != nil {
		return nil, errnos.Of(err)
	}
	return &fuse.DirEntry{Name: e.Name, Mode: e.Mode, Ino: e.Ino, Off: e.Next}, 0
}

// listedDir implements listing.Dir.
type listedDir struct{ d *Dir }

// Inos implements listing.Dir.
func (l listedDir) Inos() (self, above uint64) {
	return l.d.StableAttr().Ino, l.d.above().StableAttr().Ino
}

// HoldsIn implements listing.Dir.
func (l listedDir) HoldsIn(in layout.Layout) (shard int, ok bool) { return l.d.holdsIn(in) }

// above returns the directory that the directory is in, for the root itself.
func (d *Dir) above() *Dir {
	in := d.fsys.tree.LastName(&d.place.Loc).Dir
	if in == nil {
		return d
	}
	return in.Node.(*Dir)
}

// Others implements listing.Dir.
func (l listedDir) Others() (names []listing.Entry, err error) {
	if err := l.d.fsys.mem.FlushAll(); err != nil {
		return nil, err
	}
	listed, err := l.d.fsys.tree.List(&l.d.place)
	if err != nil && !errors.Is(err, unix.ENOENT) { // a directory that was removed is empty
		return nil, err
	}
	changes := l.d.fsys.policy.changesNames(l.d)
	for _, e := range listed {
		if changes && disk.IsPassing(e.Name) { // a program that looks at each name would find it gone
			continue
		}
		if _, isEntity := l.d.entity(e.Name); !isEntity && !l.d.hidden(e.Name) {
			names = append(names, listing.Entry{Name: e.Name, Mode: e.Mode})
		}
	}
	return names, nil
}

// InoOf implements listing.Dir. A name may be an entity's by now.
func (l listedDir) InoOf(name string) (uint64, error) {
	d := l.d
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
