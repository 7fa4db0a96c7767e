//go:build linux

package socket_test

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/socket"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func TestTheSocketLiesWhereNobodyElseCanReach(t *testing.T) {
	runtimeDir, tmp := t.TempDir(), t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
	t.Setenv("TMPDIR", tmp)
	path, err := socket.Path("/some/world")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(runtimeDir, "worldfs"), filepath.Dir(path))
	require.NoError(t, worlddir.CheckPrivate(filepath.Dir(path)))
	other, err := socket.Path("/some/other/world")
	require.NoError(t, err)
	require.NotEqual(t, path, other)

	require.NoError(t, os.Chmod(filepath.Dir(path), 0o755))
	path, err = socket.Path("/some/world")
	require.NoError(t, err)
	require.NotContains(t, path, runtimeDir)

	t.Setenv("XDG_RUNTIME_DIR", "/"+strings.Repeat("long/", 30))
	path, err = socket.Path("/some/world")
	require.NoError(t, err)
	require.LessOrEqual(t, len(path), socket.MaxPath)
}

func TestOnlyItsUserReachesTheSocket(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	top, err := os.MkdirTemp("", "worldfs")
	require.NoError(t, err)
	defer os.RemoveAll(top)
	require.NoError(t, os.Chmod(top, 0o755))
	path := filepath.Join(top, "s")
	l, err := socket.Listen(path)
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, os.Chmod(path, 0o666)) // so that the peer's user alone decides
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Write([]byte("hello"))
			conn.Close()
		}
	}()
	require.Equal(t, "hello", greet(t, path, 0))
	require.Empty(t, greet(t, path, 65534))
}

// greet connects as another user, on a thread of its own, and returns what the
// other end says.
func greet(t *testing.T, path string, uid uintptr) string {
	said := make(chan string)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with us
		defer close(said)
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uid, uid, uid); errno != 0 {
			return
		}
		conn, err := net.Dial("unix", path)
		if err != nil {
			return
		}
		defer conn.Close()
		buf := make([]byte, 16)
		n, _ := conn.Read(buf)
		said <- string(buf[:n])
	}()
	return <-said
}
