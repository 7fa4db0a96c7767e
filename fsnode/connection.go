package fsnode

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/fuseconn"
	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

// connection is a mount's connection to the kernel. Two parts of go-fuse share it:
// one that tells the kernel of changes, and one that answers requests, which
// package fuseconn reads and not go-fuse, since it is faster.
type connection struct {
	notifier *fuse.Server
	requests *fuseconn.Server
}

// maxContents is how many bytes are read or written at once.
const maxContents = 128 << 10

// guard stands before all handlers.
type guard func(next fuseconn.Handler) fuseconn.Handler

// connect mounts filesystem. Requests wait until serve is called.
func connect(filesystem fuse.RawFileSystem, guard guard, o Options, options fuse.MountOptions) (*connection, error) {
	mount := fuseconn.Mount{
		Dir: o.Dir, Source: "worldfs", Type: "worldfs", MaxRead: maxContents, Options: []string{"default_permissions"},
	}
	if o.AllowOther {
		mount.Options = append(mount.Options, "allow_other")
	}
	file, err := fuseconn.Connect(mount)
	if err != nil {
		return nil, err
	}
	c, err := newConnection(filesystem, guard, file, options)
	if err != nil {
		return nil, errors.Join(err, file.Close(), mounts.Detach(o.Dir))
	}
	if o.HaltPolling {
		c.requests.PollHalts()
	}
	return c, nil
}

func newConnection(filesystem fuse.RawFileSystem, guard guard, file *os.File, options fuse.MountOptions) (*connection, error) {
	shared, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	notifier, err := fuse.NewServer(filesystem, fmt.Sprintf("/dev/fd/%d", shared), &options)
	if err != nil {
		return nil, err
	}
	answerer := fuse.NewProtocolServer(filesystem, &options)
	if err := agree(answerer, notifier.KernelSettings()); err != nil {
		return nil, err
	}
	requests, err := fuseconn.NewServer(file, maxContents, guard(handler(answerer)))
	if err != nil {
		return nil, err
	}
	return &connection{notifier: notifier, requests: requests}, nil
}

// agree has answerer take in what the kernel and the notifier have agreed on.
func agree(answerer *fuse.ProtocolServer, kernel *fuse.InitIn) error {
	in := unsafe.Slice((*byte)(unsafe.Pointer(kernel)), min(unsafe.Sizeof(*kernel), uintptr(kernel.Length)))
	out := make([]byte, unsafe.Sizeof(fuse.OutHeader{})+unsafe.Sizeof(fuse.InitOut{}))
	if _, status := answerer.HandleRequest([][]byte{in}, [][]byte{out}); !status.Ok() {
		return fmt.Errorf("FUSE_INIT: %w", unix.Errno(status))
	}
	return nil
}

// handler answers requests that fuseconn reads.
func handler(answerer *fuse.ProtocolServer) fuseconn.Handler {
	return func(in, out []byte) int {
		n, status := answerer.HandleRequest([][]byte{in}, [][]byte{out})
		if !status.Ok() {
			return len(fuseconn.Refusal(out, in, unix.Errno(status)))
		}
		return n
	}
}

// serve answers requests until the mount is gone.
func (c *connection) serve() error {
	err := c.requests.Serve()
	c.notifier.Serve() // which finds the mount gone, too, and closes what is shared
	return err
}

// pollFile is the name of a file in every mount of go-fuse's that cannot be polled.
const pollFile = ".go-fuse-epoll-hack"

// refusePolls has the kernel learn that no file in the mount at dir can be polled,
// which it then never asks again. Go polls every file that it opens. Were it one in
// a mount of its own, the answer might wait for a lock that the caller holds.
func refusePolls(dir string) error {
	fd, err := unix.Open(filepath.Join(dir, pollFile), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: filepath.Join(dir, pollFile), Err: err}
	}
	defer unix.Close(fd)
	_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return os.NewSyscallError("poll", err)
}
