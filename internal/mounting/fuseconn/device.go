package fuseconn

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// read reads a request, or returns EAGAIN. It does not wait, so Go's scheduler need
// not hear of it.
func (s *Server) read(buf []byte) (int, error) {
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(s.fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR, unix.ENOENT: // ENOENT: the caller did not wait
			continue
		}
		return 0, errno
	}
}

func (s *Server) write(buf []byte) (int, error) {
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(s.fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
			continue
		}
		return 0, errno
	}
}

// sleep returns when there may be a request, or the mount is gone.
func (s *Server) sleep() {
	fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}}
	_, _ = unix.Poll(fds, -1) // EINTR: it is looked at again
	runtime.KeepAlive(s.file)
}
