package fsnode

import (
	"errors"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// scratchBacking is a regular file in scratch. While it is open, or has no
// name, it has a descriptor; else each operation opens it at its spot.
type scratchBacking struct {
	file *File
	held *desc // guarded by file.mu
}

// use finds the file for as long as do needs it.
func (b *scratchBacking) use(flags int, do func(*desc) error) error {
	if b.held == nil {
		return b.file.fsys.use(&b.file.spot, flags, do)
	}
	if b.held.serves(flags) {
		return do(b.held)
	}
	d, err := b.held.reopen(flags)
	if err != nil {
		return err
	}
	defer d.close()
	return do(d)
}

// hold implements backing.
func (b *scratchBacking) hold() error {
	if b.held != nil {
		return nil
	}
	return b.use(unix.O_PATH, func(d *desc) (err error) {
		b.held, err = openFully(d)
		return err
	})
}

// openFully opens a file for reading and writing, or as far as the daemon may.
// What the caller may, the kernel has checked.
func openFully(d *desc) (held *desc, err error) {
	for _, flags := range []int{unix.O_RDWR, unix.O_RDONLY} {
		if held, err = d.reopen(flags); err == nil {
			return held, nil
		}
		if !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EROFS) {
			return nil, err
		}
	}
	return dup(d)
}

// keep holds on by a descriptor, which it takes over.
func (b *scratchBacking) keep(d *desc) {
	if b.held != nil {
		d.close()
		return
	}
	held, err := openFully(d)
	if err != nil {
		b.held = d // at least its attributes
		return
	}
	d.close()
	b.held = held
}

// release implements backing.
func (b *scratchBacking) release() {
	f := b.file.fsys
	f.tree.RLock()
	named := b.file.spot.dir != nil
	f.tree.RUnlock()
	if named {
		b.held.close()
		b.held = nil
	}
}

func (b *scratchBacking) attr(out *fuse.Attr) error {
	return b.use(unix.O_PATH, func(d *desc) error { return statInto(d, b.file.StableAttr().Ino, out) })
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
