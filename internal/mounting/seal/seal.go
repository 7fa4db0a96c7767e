// Package seal closes a mount to every change, once it is sure that nothing is being
// changed: what a program was told is written, is in what was sealed, and what it writes
// after that is refused.
//
// Lock: Seal.mu is held over no call.
package seal

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/fuseconn"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Seal stands before all other handlers. Closed, it answers every request that
// would change anything with EROFS, as the kernel does on a mount that is read-only.
//
// It closes on a condition that is found out without holding any request up, which
// might be what the finding out waits for: that nothing was changed meanwhile.
type Seal struct {
	mu      lockorder.Mutex
	closed  bool   // guarded by mu
	begun   uint64 // how many changes ever began; guarded by mu
	running int    // how many of them are under way; guarded by mu
}

// classSeal comes after all locks of package fsnode.
var classSeal = lockorder.Class{Rank: 190, Name: "Seal.mu"}

// New returns an open seal.
func New() *Seal {
	s := &Seal{}
	s.mu.Init(&classSeal)
	return s
}

// Changes returns a number that goes up with every change.
func (s *Seal) Changes() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// Close closes the seal and reports whether it did: only if no change is under way and none has
// begun since Changes returned that number.
func (s *Seal) Close(since uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running > 0 || s.begun != since {
		return false
	}
	s.closed = true
	return true
}

// CloseNow closes the seal. A change that is under way goes on.
func (s *Seal) CloseNow() { s.set(true) }

// Open opens the seal again.
func (s *Seal) Open() { s.set(false) }

func (s *Seal) set(closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = closed
}

// begin reports whether a change may begin. Then end is called after it.
func (s *Seal) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.begun++
	s.running++
	return true
}

func (s *Seal) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// Guard returns a handler that answers changes with EROFS while the seal is closed.
func (s *Seal) Guard(next fuseconn.Handler) fuseconn.Handler {
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

// opOpen is the opcode of OPEN, and openFlagsAt where its flags are: behind the header
// (linux/fuse.h: fuse_in_header, fuse_open_in).
const (
	opOpen      = 14
	openFlagsAt = 40
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

// IsChange reports whether requests with an opcode change something.
func IsChange(op uint32) bool { return changeOps[op] }

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
