package fsnode

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/errnos"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

var (
	_ node                 = (*File)(nil)
	_ fs.NodeGetattrer     = (*File)(nil)
	_ fs.NodeSetattrer     = (*File)(nil)
	_ fs.NodeOpener        = (*File)(nil)
	_ fs.NodeReader        = (*File)(nil)
	_ fs.NodeWriter        = (*File)(nil)
	_ fs.NodeFsyncer       = (*File)(nil)
	_ fs.NodeAllocater     = (*File)(nil)
	_ fs.NodeLseeker       = (*File)(nil)
	_ fs.NodeGetxattrer    = (*File)(nil)
	_ fs.NodeSetxattrer    = (*File)(nil)
	_ fs.NodeRemovexattrer = (*File)(nil)
	_ fs.NodeListxattrer   = (*File)(nil)
	_ fs.NodeStatfser      = (*File)(nil)
	_ fs.NodeOnForgetter   = (*File)(nil)
)

// File is a regular file, entity or not. A rename across the boundary swaps
// its backing; the node and what processes have open stay.
type File struct {
	fs.Inode
	fsys  *fsys
	marks marks
	extra lazyExtra

	mu   lockorder.RWMutex // for writing: to change what follows
	back backing.File
}

// allocFile returns a file without a backing.
func allocFile(f *fsys) *File {
	n := &File{fsys: f}
	n.mu.Init(&classFile)
	return n
}

func newFile(f *fsys, b backing.File) *File {
	n := allocFile(f)
	n.setBackingLocked(b)
	return n
}

// newScratchFileLocked makes the node of a file of that name. The caller has tree.
func newScratchFileLocked(f *fsys, dir *Dir, name string) *File {
	n := allocFile(f)
	n.extra.get().direct = f.policy.isDatabaseLocked(dir, name)
	n.setBackingLocked(backing.NewReal(f.tree, n.location()))
	return n
}

func newReadOnlyFile(f *fsys) *File {
	n := allocFile(f)
	n.setBackingLocked(backing.NewReadOnly(f.tree, n.location()))
	return n
}

// setBackingLocked puts another backing behind the file. The caller has mu for writing.
func (f *File) setBackingLocked(b backing.File) {
	f.back = b
	if _, ok := b.(backing.Entity); ok {
		f.marks.set(markEntity)
		return
	}
	f.marks.clear(markEntity)
}

// serves reports whether the file stands for an entity's file.
func (f *File) serves(c *cache.File) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	b, ok := f.back.(backing.Entity)
	return ok && b.File == c
}

// volatileTime is how long after its creation a file may be lost in a crash, if it was
// not synced: as long as it takes until edits are durable.
const volatileTime = time.Second

// noteCreated notes that the file was created just now.
func (f *File) noteCreated() { f.extra.get().created.Store(int64(time.Since(f.fsys.begun))) }

// noteDurable notes that nothing in the file may be lost any more.
func (f *File) noteDurable() {
	if s := f.extra.look(); s != &noExtra {
		s.created.Store(0)
	}
}

// isVolatile reports whether everything in the file may still be lost in a crash.
func (f *File) isVolatile() bool {
	made := f.extra.look().created.Load()
	return made != 0 && time.Since(f.fsys.begun)-time.Duration(made) < volatileTime
}

func (f *File) location() *place.Location { return &f.extra.get().loc }
func (f *File) lock()                     { f.mu.Lock() }
func (f *File) unlock()                   { f.mu.Unlock() }

// holdDescLocked implements node.
func (f *File) holdDescLocked(d *realfs.Desc) {
	if b, ok := f.back.(backing.Holder); ok {
		b.HoldDescLocked(d)
		return
	}
	d.Close()
}

// releaseDescLocked implements node.
func (f *File) releaseDescLocked() {
	if b, ok := f.back.(backing.Holder); ok {
		b.ReleaseDescLocked()
	}
}

// closeDescsLocked implements node.
func (f *File) closeDescsLocked() {
	if b, ok := f.back.(*backing.Memory); ok {
		f.fsys.mem.DropLocked(f, b, f.location().Dentry)
	}
	if b, ok := f.back.(backing.Holder); ok {
		b.CloseDescsLocked()
		f.fsys.tree.UnlinkOrphan(f.location())
	}
}

// dropCachedDescLocked closes the cached descriptor. The caller has mu for writing.
func (f *File) dropCachedDescLocked() {
	if b, ok := f.back.(*backing.Real); ok {
		b.Drop()
	}
}

// with calls do while the backing is not swapped.
func (f *File) with(do func(backing.File) error) syscall.Errno { return errnos.Of(f.use(do)) }

func (f *File) use(do func(backing.File) error) error {
	err := f.useAsIs(do)
	if !errors.Is(err, backing.ErrNeedsDisk) {
		return err
	}
	if err := f.fsys.mem.flush(f); err != nil {
		return err
	}
	return f.useAsIs(do)
}

func (f *File) useAsIs(do func(backing.File) error) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return do(f.back)
}

// flushIfNamed flushes the file because the kernel forgets it, unless it was removed.
func (f *File) flushIfNamed() {
	f.fsys.tree.RLock()
	named := f.extra.look().loc.IsNamed()
	f.fsys.tree.RUnlock()
	if !named {
		return
	}
	if err := f.fsys.mem.flush(f); err != nil {
		f.fsys.log.Error("a new file beside the entities is lost", "error", err)
	}
}

func (f *File) attr(out *fuse.Attr) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	a, err := f.back.Attr()
	fillAttr(a, out)
	out.Ino = f.StableAttr().Ino
	return err
}

// shrink notes that a request may make the file shorter (see package truncation).
func (f *File) shrink(in *fuse.SetAttrIn) (end func()) {
	if _, ok := in.GetSize(); !ok {
		return func() {}
	}
	return f.extra.get().shrunk.Begin()
}

func (f *File) setAttr(in *fuse.SetAttrIn) error {
	defer f.shrink(in)()
	return f.use(func(b backing.File) error {
		if in.Valid&^fuse.FATTR_KILL_SUIDGID != 0 {
			if err := b.SetAttr(attrChange(in)); err != nil {
				return err
			}
		}
		if in.Valid&fuse.FATTR_KILL_SUIDGID != 0 {
			return backing.DropSetID(b)
		}
		return nil
	})
}

// noteWriter notes which program changes it, if it is an entity's.
func (f *File) noteWriter(ctx context.Context) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if b, ok := f.back.(backing.Entity); ok {
		f.fsys.writers.Note(b.File.ID(), threadOf(ctx), callerOf(ctx).UID)
	}
}

// Getattr implements fs.NodeGetattrer.
func (f *File) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	f.fsys.policy.limit(f, out)
	return errnos.Of(f.attr(&out.Attr))
}

// Setattr implements fs.NodeSetattrer. A kernel may believe the answer even when a
// notice of a later change has overtaken it (6.18.44 does not). So such a notice
// waits until the answer was taken in (see notices.await), which takes that the file
// was found by its name; of an entity's file that was not, the answer is good for no
// time at all.
func (f *File) Setattr(ctx context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if _, ok := in.GetSize(); ok {
		f.noteWriter(ctx)
	}
	defer f.shrink(in)()
	f.marks.set(markAttrInFlight) // before anything is looked at
	if err := f.setAttr(in); err != nil {
		return errnos.Of(err)
	}
	if !f.marks.has(markEntity) || in.Valid&fuse.FATTR_FH == 0 {
		f.fsys.policy.limit(f, out)
	}
	return errnos.Of(f.attr(&out.Attr))
}

// Open implements fs.NodeOpener. Hardly ever is there anything to get
// ready, or a handle: no operation depends on a file being open.
func (f *File) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&unix.O_ACCMODE != unix.O_RDONLY && isReadOnly(f) {
		return nil, 0, syscall.EPERM
	}
	return f.handle()
}

// handle is what an answer says of a file that was opened.
func (f *File) handle() (fs.FileHandle, uint32, syscall.Errno) {
	if !f.extra.look().direct {
		return nil, f.fsys.policy.openFlags(f), 0
	}
	h, err := f.openDirect()
	if err != nil {
		return nil, 0, errnos.Of(err)
	}
	return h, 0, 0
}

// Read implements fs.NodeReader.
func (f *File) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	n, errno := f.read(dest, off)
	if n < len(dest) && f.extra.look().shrunk.Wait() {
		n, errno = f.read(dest, off)
	}
	return fuse.ReadResultData(dest[:n]), errno
}

func (f *File) read(dest []byte, off int64) (n int, errno syscall.Errno) {
	errno = f.with(func(b backing.File) (err error) {
		n, err = b.ReadAt(dest, off)
		return err
	})
	return n, errno
}

// Write implements fs.NodeWriter.
func (f *File) Write(ctx context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	f.extra.look().shrunk.Over()
	f.noteWriter(ctx)
	var n int
	errno := f.with(func(b backing.File) (err error) {
		n, err = b.WriteAt(data, off)
		if n > 0 {
			return nil // the rest is written again, and fails for itself
		}
		return err
	})
	return uint32(n), errno
}

// Fsync implements fs.NodeFsyncer.
func (f *File) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	f.noteDurable()
	return f.with(backing.File.Sync)
}

// Allocate implements fs.NodeAllocater.
func (f *File) Allocate(ctx context.Context, _ fs.FileHandle, off, size uint64, mode uint32) syscall.Errno {
	return f.with(func(b backing.File) error {
		if err := b.Allocate(off, size, mode); err != nil || callerOf(ctx).UID == 0 {
			return err
		}
		return backing.DropSetID(b)
	})
}

// Lseek implements fs.NodeLseeker: all of a file is data, and its end is a hole.
func (f *File) Lseek(_ context.Context, _ fs.FileHandle, off uint64, whence uint32) (uint64, syscall.Errno) {
	var a fuse.Attr
	if err := f.attr(&a); err != nil {
		return 0, errnos.Of(err)
	}
	switch {
	case off >= a.Size:
		return 0, syscall.ENXIO
	case whence == unix.SEEK_DATA:
		return off, 0
	case whence == unix.SEEK_HOLE:
		return a.Size, 0
	}
	return 0, syscall.EINVAL
}

// Getxattr implements fs.NodeGetxattrer.
func (f *File) Getxattr(_ context.Context, name string, dest []byte) (n uint32, errno syscall.Errno) {
	errno = f.with(func(b backing.File) (err error) {
		n, err = b.GetXattr(name, dest)
		return err
	})
	return n, errno
}

// Setxattr implements fs.NodeSetxattrer.
func (f *File) Setxattr(_ context.Context, name string, data []byte, flags uint32) syscall.Errno {
	return f.with(func(b backing.File) error { return b.SetXattr(name, data, flags) })
}

// Removexattr implements fs.NodeRemovexattrer.
func (f *File) Removexattr(_ context.Context, name string) syscall.Errno {
	return f.with(func(b backing.File) error { return b.RemoveXattr(name) })
}

// Listxattr implements fs.NodeListxattrer.
func (f *File) Listxattr(_ context.Context, dest []byte) (n uint32, errno syscall.Errno) {
	errno = f.with(func(b backing.File) (err error) {
		n, err = b.ListXattr(dest)
		return err
	})
	return n, errno
}

// Statfs implements fs.NodeStatfser.
func (f *File) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	return f.fsys.statfs(out)
}

// OnForget implements fs.NodeOnForgetter.
func (f *File) OnForget() { f.fsys.forget(f) }
