package fsnode

import (
	"encoding/binary"
	"unsafe"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/fuseconn"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// seal stands before all other handlers. Closed, it answers every request that
// would change anything with EROFS, as the kernel does on a mount that is read-only.
//
// It closes on a condition that is found out without holding any request up, which
// might be what the finding out waits for: that nothing was changed meanwhile.
type seal struct {
	mu      lockorder.Mutex
	closed  bool   // guarded by mu
	begun   uint64 // how many changes ever began; guarded by mu
	running int    // how many of them are under way; guarded by mu
}

func newSeal() *seal {
	s := &seal{}
	s.mu.Init(&classSeal)
	return s
}

// changes returns a number that goes up with every change.
func (s *seal) changes() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// close closes the seal and reports whether it did: only if no change is under way and none has
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

// guard returns a handler that answers changes with EROFS while the seal is closed.
func (s *seal) guard(next fuseconn.Handler) fuseconn.Handler {
	return func(in, out []byte) int {
		if !isChange(in) {
			return next(in, out)
		}
		if !s.begin() {
			return len(fuseconn.Refusal(out, in, unix.EROFS))
		}
		defer s.end()
		return next(in, out)
	}
}

// opOpen is the opcode of OPEN, and openFlagsAt where its flags are
// (linux/fuse.h: fuse_in_header, fuse_open_in).
const (
	opOpen      = 14
	openFlagsAt = int(unsafe.Sizeof(fuse.InHeader{}))
)

// changeOps are the requests that change something (linux/fuse.h: fuse_opcode).
var changeOps = map[uint32]bool{
	4:  true, // SETATTR
	6:  true, // SYMLINK
	8:  true, // MKNOD
	9:  true, // MKDIR
	10: true, // UNLINK
	11: true, // RMDIR
	12: true, // RENAME
	13: true, // LINK
	16: true, // WRITE
	21: true, // SETXATTR
	24: true, // REMOVEXATTR
	35: true, // CREATE
	43: true, // FALLOCATE
	45: true, // RENAME2
	47: true, // COPY_FILE_RANGE
	51: true, // TMPFILE
	53: true, // COPY_FILE_RANGE_64
}

// isChange reports whether a request changes something, or opens a file so that it can
// be changed.
func isChange(in []byte) bool {
	op := fuseconn.Opcode(in)
	if op != opOpen || len(in) < openFlagsAt+4 {
		return changeOps[op]
	}
	flags := binary.NativeEndian.Uint32(in[openFlagsAt:])
	return flags&(unix.O_ACCMODE|unix.O_TRUNC) != unix.O_RDONLY
}
