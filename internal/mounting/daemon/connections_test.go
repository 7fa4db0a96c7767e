package daemon

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Connections that say nothing, or nothing more, hold up no call, however many there are;
// here no timeout ends them.
func TestSilentConnectionsHoldNothingUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	inner, err := net.Listen("unix", path)
	require.NoError(t, err)
	l := limit(inner, 4)
	slow, entered := make(chan struct{}), make(chan struct{})
	server := &http.Server{ConnState: l.note, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(entered)
			<-slow
		}
	})}
	ended := make(chan error)
	go func() { ended <- server.Serve(l) }()
	dial := func(say string) net.Conn {
		conn, err := net.Dial("unix", path)
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
		_, err = io.WriteString(conn, say)
		require.NoError(t, err)
		return conn
	}
	requireAnswer := func(conn net.Conn) {
		answer := make([]byte, 15)
		_, err := io.ReadFull(conn, answer)
		require.NoError(t, err)
		require.Equal(t, "HTTP/1.1 200 OK", string(answer))
	}
	atWork := dial("GET /slow HTTP/1.1\r\nHost: w\r\n\r\n")
	<-entered
	for range 3 {
		for range 9 {
			dial("")
		}
		requireAnswer(dial("GET / HTTP/1.1\r\nHost: w\r\n\r\n")) // and stays, idle
	}
	close(slow)
	requireAnswer(atWork)
	require.NoError(t, server.Close())
	require.ErrorIs(t, <-ended, http.ErrServerClosed)
}

// A daemon that hangs up on a command, since it has too many connections, is asked again;
// if it goes on so, that is said, and not that the world is not mounted or in use.
func TestADaemonThatHangsUpIsNamed(t *testing.T) {
	for _, times := range []int{3, 1 << 30} {
		dir := plainWorld(t)
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.Listen("unix", path)
		require.NoError(t, err)
		require.NoError(t, writeRecord(dir, Record{World: dir.Root, Socket: path, Pid: os.Getpid()}))
		unlock, err := dir.Lock()
		require.NoError(t, err)
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(pong{Protocol: Protocol})
		})}
		ended := make(chan error)
		go func() { ended <- server.Serve(&hangingUp{l, times}) }()
		_, err = Open(dir, nil)
		if times == 3 {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "hangs up before it answers")
			require.NotErrorIs(t, err, worlddir.ErrLocked)
		}
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-ended, http.ErrServerClosed)
		unlock()
	}
}

// hangingUp is a listener that closes so many connections at once.
type hangingUp struct {
	net.Listener
	times int
}

// Accept implements net.Listener.
func (h *hangingUp) Accept() (net.Conn, error) {
	for ; ; h.times-- {
		conn, err := h.Listener.Accept()
		if err != nil || h.times <= 0 {
			return conn, err
		}
		_ = conn.Close()
	}
}
