package connlimit_test

import (
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/mounting/connlimit"
)

// Connections that say nothing, or nothing more, hold up no call, however many there are;
// here no timeout ends them.
func TestSilentConnectionsHoldNothingUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	inner, err := net.Listen("unix", path)
	require.NoError(t, err)
	l := connlimit.New(inner, 4)
	slow, entered := make(chan struct{}), make(chan struct{})
	server := &http.Server{ConnState: l.Note, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
