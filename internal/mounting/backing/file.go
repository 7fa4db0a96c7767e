package backing

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// File is what stands behind a regular file of a mount. A lock of its user's guards
// it: its methods are called with that for reading.
type File interface {
	Attr() (Attr, error)
	SetAttr(c cache.AttrChange) error
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	Sync() error
	Allocate(off, size uint64, mode uint32) error

	GetXattr(name string, dest []byte) (uint32, error)
	SetXattr(name string, data []byte, flags uint32) error
	RemoveXattr(name string) error
	ListXattr(dest []byte) (uint32, error)
}

// Holder is a File that lies at a name. Its methods are called with the lock for
// writing.
type Holder interface {
	// HoldDescLocked has it go on by a descriptor, which it takes over.
	HoldDescLocked(d *realfs.Desc)
	// ReleaseDescLocked closes what HoldDescLocked took over.
	ReleaseDescLocked()
	// CloseDescsLocked closes every descriptor.
	CloseDescsLocked()
}

// ErrNeedsDisk says that a file has to be flushed first.
var ErrNeedsDisk = errors.New("a file in memory has to be on the disk for that")

// DropSetID clears the set-user-ID and set-group-ID bits, as is due when a process
// changes a file whose bits it may not set.
func DropSetID(b File) error {
	a, err := b.Attr()
	if err != nil {
		return err
	}
	mode := a.Mode &^ unix.S_ISUID
	if mode&unix.S_IXGRP != 0 {
		mode &^= unix.S_ISGID
	}
	if mode == a.Mode {
		return nil
	}
	mode &= 0o7777
	return b.SetAttr(cache.AttrChange{Mode: &mode})
}
