// Package socket has the control sockets of worlds: where they lie, how they are opened for their
// user alone, and what stands in for them where a system has none.
package socket

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// MaxPath is how long the path of a socket may be: what sockaddr_un holds, without its final zero.
const MaxPath = 107

// Suffix ends the names of sockets.
const Suffix = ".sock"

// Path returns where the socket of the daemon belongs that has the world at root mounted.
func Path(root string) (string, error) { return pathOf(Name(root) + Suffix) }

// KeptPath returns where the socket of the process belongs that keeps the world at root in step
// while it is not mounted.
func KeptPath(root string) (string, error) { return pathOf(Name(root) + ".keep" + Suffix) }

// pathOf returns where a socket of that name belongs: in the
// first runtime directory that is ours alone. A Unix socket cannot be reached
// through a FUSE inode, and a world's path may be too long for one.
func pathOf(name string) (string, error) {
	var problems []error
	for _, dir := range Dirs() {
		path := filepath.Join(dir, name)
		if len(path) > MaxPath {
			problems = append(problems, fmt.Errorf("%s is too long for a socket's path", path))
			continue
		}
		if err := ensurePrivate(dir); err != nil {
			problems = append(problems, err)
			continue
		}
		return path, nil
	}
	return "", fmt.Errorf("no directory for the control socket: %w", errors.Join(problems...))
}

// Name returns what the socket of the world at root is called, without Suffix.
func Name(root string) string {
	sum := sha256.Sum256([]byte(root))
	return fmt.Sprintf("%x", sum[:8])
}

// Dirs returns the runtime directories that sockets may lie in, the best first.
func Dirs() []string {
	uid := strconv.Itoa(os.Geteuid())
	var dirs []string
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Join(dir, "worldfs"))
	}
	return append(dirs,
		filepath.Join("/run/user", uid, "worldfs"),
		filepath.Join(os.TempDir(), "worldfs-"+uid),
		filepath.Join("/tmp", "worldfs-"+uid))
}

func ensurePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return worlddir.CheckPrivate(dir)
}

// Listen opens a socket for its user alone, who removes its name. The caller has the lock of what
// it is for, so a socket that is there is a dead process's.
func Listen(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	l.SetUnlinkOnClose(false) // by then the name may be the next process's
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close() // the first error is the one to report
		return nil, fmt.Errorf("control socket: %w", err)
	}
	return &ownListener{l}, nil
}

// ownListener accepts connections of its own user and of root.
type ownListener struct{ *net.UnixListener }

func (l *ownListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if isOwn(conn) {
			return conn, nil
		}
		_ = conn.Close() // it is of another user
	}
}

// Dial connects to a socket. Where more callers wait for it than the kernel keeps,
// it tries again.
func Dial(ctx context.Context, path string) (net.Conn, error) {
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
		if !errors.Is(err, syscall.EAGAIN) || ctx.Err() != nil {
			return conn, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}
