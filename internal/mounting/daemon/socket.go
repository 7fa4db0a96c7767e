package daemon

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/worldfs/worldfs/internal/mounting/connlimit"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// maxSocketPath is what sockaddr_un holds, without its final zero.
const maxSocketPath = 107

// socketPath returns where the socket of the world at root belongs.
func socketPath(root string) (string, error) { return runtimePath(socketName(root) + socketSuffix) }

// runtimePath returns where a socket of that name belongs: in the
// first runtime directory that is ours alone. A Unix socket cannot be reached
// through a FUSE inode, and a world's path may be too long for one.
func runtimePath(name string) (string, error) {
	var problems []error
	for _, dir := range runtimeDirs() {
		path := filepath.Join(dir, name)
		if len(path) > maxSocketPath {
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

const socketSuffix = ".sock"

// socketName returns what the socket of the world at root is called.
func socketName(root string) string {
	sum := sha256.Sum256([]byte(root))
	return fmt.Sprintf("%x", sum[:8])
}

func runtimeDirs() []string {
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

// listen opens the socket for the daemon's user alone. The caller holds the
// world's lock, so a socket that is there is a dead daemon's.
func listen(path string) (*connlimit.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	l.SetUnlinkOnClose(false) // see hangUp
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close() // the first error is the one to report
		return nil, fmt.Errorf("control socket: %w", err)
	}
	return connlimit.New(&ownListener{l}, maxConnections), nil
}

// ownListener accepts connections of the daemon's own user and of root.
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
