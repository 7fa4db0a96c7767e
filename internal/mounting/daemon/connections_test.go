package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

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

// What net/http says of a connection that was closed depends on how far the call was.
func TestWhatAHangUpIs(t *testing.T) {
	for _, err := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed,
		errors.New("http: server closed idle connection")} {
		require.True(t, hungUp(&url.Error{Op: "Post", URL: controlURL, Err: &net.OpError{Op: "read", Net: "unix", Err: err}}), err)
	}
	for _, err := range []error{nil, syscall.ENOENT, os.ErrDeadlineExceeded, context.Canceled} {
		require.False(t, hungUp(err), err)
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
