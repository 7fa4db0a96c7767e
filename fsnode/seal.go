package fsnode

import (
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// seal stands before all other handlers. Closed, it answers every request that
// would change anything with EROFS, as the kernel does on a mount that is read-only.
//
// It closes on a condition that is found out without holding any request up, which
// might be what the finding out waits for: that nothing was changed meanwhile.
type seal struct {
	fuse.RawFileSystem

	mu      lockorder.Mutex
	closed  bool   // guarded by mu
	begun   uint64 // how many changes ever began; guarded by mu
	running int    // how many of them are under way; guarded by mu
}

const statusReadOnly = fuse.Status(syscall.EROFS)

func newSeal(next fuse.RawFileSystem) *seal {
	s := &seal{RawFileSystem: next}
	s.mu.Init(&classSeal)
	return s
}

// changes returns a number that goes up with every change.
func (s *seal) changes() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// close closes the seal and reports true, if no change is under way and none has
// begun since changes returned that number.
func (s *seal) close(since uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running > 0 || s.begun != since {
		return false
	}
	s.closed = true
	return true
}

// closeNow closes the seal. A change that is under way goes on.
func (s *seal) closeNow() { s.set(true) }

func (s *seal) open() { s.set(false) }

func (s *seal) set(closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = closed
}

// begin reports whether a change may begin. Then end is called after it.
func (s *seal) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.begun++
	s.running++
	return true
}

func (s *seal) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

func (s *seal) Open(c <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	if in.Flags&(unix.O_ACCMODE|unix.O_TRUNC) == unix.O_RDONLY {
		return s.RawFileSystem.Open(c, in, out)
	}
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Open(c, in, out)
}

func (s *seal) SetAttr(c <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.SetAttr(c, in, out)
}

func (s *seal) Mknod(c <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Mknod(c, in, name, out)
}

func (s *seal) Mkdir(c <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Mkdir(c, in, name, out)
}

func (s *seal) Unlink(c <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Unlink(c, h, name)
}

func (s *seal) Rmdir(c <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Rmdir(c, h, name)
}

func (s *seal) Rename(c <-chan struct{}, in *fuse.RenameIn, from, to string) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Rename(c, in, from, to)
}

func (s *seal) Link(c <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Link(c, in, name, out)
}

func (s *seal) Symlink(c <-chan struct{}, h *fuse.InHeader, to, name string, out *fuse.EntryOut) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Symlink(c, h, to, name, out)
}

func (s *seal) SetXAttr(c <-chan struct{}, in *fuse.SetXAttrIn, attr string, data []byte) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.SetXAttr(c, in, attr, data)
}

func (s *seal) RemoveXAttr(c <-chan struct{}, h *fuse.InHeader, attr string) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.RemoveXAttr(c, h, attr)
}

func (s *seal) Create(c <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Create(c, in, name, out)
}

func (s *seal) Tmpfile(c <-chan struct{}, in *fuse.CreateIn, out *fuse.CreateOut) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Tmpfile(c, in, out)
}

func (s *seal) Fallocate(c <-chan struct{}, in *fuse.FallocateIn) fuse.Status {
	if !s.begin() {
		return statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Fallocate(c, in)
}

func (s *seal) Write(c <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	if !s.begin() {
		return 0, statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Write(c, in, data)
}

func (s *seal) Writev(c <-chan struct{}, in *fuse.WriteIn, data [][]byte) (uint32, fuse.Status) {
	if !s.begin() {
		return 0, statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.Writev(c, in, data)
}

func (s *seal) CopyFileRange(c <-chan struct{}, in *fuse.CopyFileRangeIn) (uint32, fuse.Status) {
	if !s.begin() {
		return 0, statusReadOnly
	}
	defer s.end()
	return s.RawFileSystem.CopyFileRange(c, in)
}
