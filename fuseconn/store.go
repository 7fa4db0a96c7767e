package fuseconn

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Store hands the kernel contents of files that it has not asked for. One goroutine
// uses it at a time.
type Store struct {
	s   *Server
	buf []byte // a notice
}

// NewStore returns one for the connection.
func (s *Server) NewStore() *Store { return &Store{s: s} }

// What comes before the contents (linux/fuse.h: fuse_out_header,
// fuse_notify_store_out), which begin with the file's first byte.
const (
	notifyStore     = 4 // where an answer has its error
	errorAt         = 4
	storeNodeAt     = outHeaderSize
	storeSizeAt     = storeNodeAt + 16
	storeHeaderSize = storeSizeAt + 8
)

// Put has the kernel keep the first bytes of a file, which may be all. The file it
// knows by the number node; if it does not, the error is ENOENT. It may wait for who
// reads the file.
func (t *Store) Put(node uint64, contents []byte) error {
	size := storeHeaderSize + len(contents)
	t.buf = append(append(t.buf[:0], make([]byte, storeHeaderSize)...), contents...)
	binary.NativeEndian.PutUint32(t.buf, uint32(size))
	binary.NativeEndian.PutUint32(t.buf[errorAt:], notifyStore)
	binary.NativeEndian.PutUint64(t.buf[storeNodeAt:], node)
	binary.NativeEndian.PutUint32(t.buf[storeSizeAt:], uint32(len(contents)))
	return t.s.tell(t.buf)
}

// tell writes a notice, wherever requests are read meanwhile and however that ends.
func (s *Server) tell(notice []byte) (err error) {
	shut := s.raw.Control(func(fd uintptr) {
		for {
			if _, err = unix.Write(int(fd), notice); err != unix.EINTR {
				return
			}
		}
	})
	if shut != nil {
		return unix.ENODEV
	}
	return err
}
