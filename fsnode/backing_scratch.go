package fsnode

import (
	"errors"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// scratchBacking is a regular file in scratch or beneath the mount. Each
// operation finds it by its location, unless its descriptor is cached. Without a
// name it has a descriptor of its own until the kernel forgets it.
type scratchBacking struct {
	file  *File
	held  *desc // nil while it has a name; guarded by file.mu
	ctime flushedCtime
}

// use finds the file for as long as do needs it.
func (b *scratchBacking) use(flags int, do func(*desc) error) error {
	if b.held != nil {
		return b.useHeld(flags, do)
	}
	hand := &b.file.fsys.descs
	if done, err := hand.use(b, flags, do); done {
		return err
	}
	if flags&unix.O_PATH != 0 {
		return b.file.fsys.tree.use(b.file.location(), flags, do) // a process that only looks may look at thousands
	}
	return b.file.fsys.tree.use(b.file.location(), unix.O_PATH, func(at *desc) error {
		d, err := openFor(at, flags)
		if err != nil {
			return err
		}
		hand.put(b, d)
		if done, err := hand.use(b, flags, do); done {
			return err
		}
		return useReopened(at, flags, do) // the cache has evicted it already
	})
}

func (b *scratchBacking) useHeld(flags int, do func(*desc) error) error {
	if b.held.serves(flags) {
		return do(b.held)
	}
	return useReopened(b.held, flags, do)
}

func useReopened(at *desc, flags int, do func(*desc) error) error {
	d, err := at.force(flags)
	if err != nil {
		return err
	}
	defer d.close()
	return do(d)
}

// openFor opens a file for what flags ask: a process that only reads does not look
// like a writer to programs that watch the file beneath the mount. The kernel has
// checked the permissions.
func openFor(at *desc, flags int) (*desc, error) {
	if flags&unix.O_ACCMODE == unix.O_RDONLY {
		return at.force(unix.O_RDONLY)
	}
	return at.force(unix.O_RDWR)
}

// openFully opens a file for reading and writing or, as far as the daemon may,
// for reading.
func openFully(at *desc) (*desc, error) {
	d, err := at.reopen(unix.O_RDWR)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EROFS) {
		return at.force(unix.O_RDONLY)
	}
	return d, err
}

// holdDescLocked implements descHolder.
func (b *scratchBacking) holdDescLocked(d *desc) {
	hand := &b.file.fsys.descs
	_, _ = hand.use(b, unix.O_RDWR, func(at *desc) (err error) {
		b.held, err = dup(at)
		return err
	})
	hand.drop(b)
	if b.held == nil {
		b.held, _ = openFully(d)
	}
	if b.held == nil {
		b.held = d // at least its attributes
		return
	}
	d.close()
	b.held = b.held.lower() // the number of d, which was found not to be scarce
}

// releaseDescLocked implements descHolder.
func (b *scratchBacking) releaseDescLocked() {
	b.held.close()
	b.held = nil
}

// closeDescsLocked implements descHolder.
func (b *scratchBacking) closeDescsLocked() {
	b.releaseDescLocked()
	b.file.fsys.descs.drop(b)
}

func (b *scratchBacking) attr(out *fuse.Attr) error {
	err := b.use(unix.O_PATH, func(d *desc) error { return statInto(d, b.file.StableAttr().Ino, out) })
	b.file.fsys.tree.hideOrphanLink(b.file, out)
	ctime := b.ctime.show(out.ChangeTime())
	out.SetTimes(nil, nil, &ctime)
	return err
}

func (b *scratchBacking) setAttr(in *fuse.SetAttrIn) error {
	// The size comes first: times that are asked for stay as asked.
	if size, ok := in.GetSize(); ok {
		err := b.use(unix.O_WRONLY, func(d *desc) error { return unix.Ftruncate(d.n, int64(size)) })
		if err != nil {
			return err
		}
	}
	return b.use(unix.O_PATH, func(d *desc) error { return d.setAttr(in) })
}

func (b *scratchBacking) readAt(p []byte, off int64) (n int, err error) {
	err = b.use(unix.O_RDONLY, func(d *desc) (err error) {
		n, err = d.readAt(p, off)
		return err
	})
	return n, err
}

func (b *scratchBacking) writeAt(p []byte, off int64) (n int, err error) {
	err = b.use(unix.O_WRONLY, func(d *desc) (err error) {
		n, err = d.writeAt(p, off)
		return err
	})
	return n, err
}

func (b *scratchBacking) sync() error { return b.use(unix.O_RDONLY, (*desc).sync) }

func (b *scratchBacking) allocate(off, size uint64, mode uint32) error {
	return b.use(unix.O_WRONLY, func(d *desc) error {
		return unix.Fallocate(d.n, mode, int64(off), int64(size))
	})
}

func (b *scratchBacking) getXattr(name string, dest []byte) (n uint32, err error) {
	err = b.use(unix.O_PATH, func(d *desc) (err error) {
		n, err = getXattr(d, name, dest)
		return err
	})
	return n, err
}

func (b *scratchBacking) setXattr(name string, data []byte, flags uint32) error {
	return b.use(unix.O_PATH, func(d *desc) error { return setXattr(d, name, data, flags) })
}

func (b *scratchBacking) removeXattr(name string) error {
	return b.use(unix.O_PATH, func(d *desc) error { return removeXattr(d, name) })
}

func (b *scratchBacking) listXattr(dest []byte) (n uint32, err error) {
	err = b.use(unix.O_PATH, func(d *desc) (err error) {
		n, err = listXattr(d, dest)
		return err
	})
	return n, err
}
