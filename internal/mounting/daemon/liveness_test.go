package daemon

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// answersAt has a server answer the calls of a client, whose daemon is said to be
// the process pid.
func answersAt(t *testing.T, pid int, mux *http.ServeMux) *Client {
	run, err := os.MkdirTemp("", "wfs")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(run) })
	socket := filepath.Join(run, "s")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return newClient(nil, Record{Socket: socket, Pid: pid, World: "/the/world"})
}

// hang answers nothing until the test ends.
func hang(t *testing.T) http.HandlerFunc {
	return func(_ http.ResponseWriter, _ *http.Request) { <-t.Context().Done() }
}

func TestADaemonThatIsBusyIsWaitedFor(t *testing.T) {
	for name, sign := range map[string]string{"this build's": "POST /v1/alive", "an earlier build's": "POST /v1/unknown"} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("POST /v1/ping", func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(maxSilence + time.Second)
				_, _ = w.Write([]byte(`{"protocol":2}`))
			})
			mux.HandleFunc(sign, func(http.ResponseWriter, *http.Request) {})
			c := answersAt(t, os.Getpid(), mux)
			require.NoError(t, c.greet())
			require.Equal(t, 2, c.protocol)
		})
	}
}

func TestADaemonThatDoesNotAnswerIsNamed(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", hang(t))
	c := answersAt(t, os.Getpid(), mux)
	err := c.greet()
	require.ErrorContains(t, err, "the daemon of /the/world (process ")
	require.ErrorContains(t, err, "has not answered for 2s")
	require.Equal(t, ExitFailed, Exit(err))
	require.NotErrorIs(t, err, ErrNoDaemon) // or the world would be opened beside it
}

func TestACallEndsWhenTheDaemonIsStopped(t *testing.T) {
	sleep := exec.Command("sleep", "600")
	require.NoError(t, sleep.Start())
	t.Cleanup(func() { _ = sleep.Process.Kill(); _ = sleep.Wait() })
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/sync", func(_ http.ResponseWriter, r *http.Request) {
		require.NoError(t, sleep.Process.Signal(syscall.SIGSTOP))
		hang(t)(nil, r)
	})
	err := answersAt(t, sleep.Process.Pid, mux).sync()
	require.ErrorContains(t, err, "is stopped and does not answer: kill -CONT ")
}

// Each question to a daemon that does not answer takes maxSilence: a command that only wants
// to know whether a mount has crashed asks none.
func TestWhetherAMountCrashedIsNotAskedOfItsDaemon(t *testing.T) {
	dir := plainWorld(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) { t.Error("the daemon is asked") })
	r := answersAt(t, os.Getpid(), mux).Record
	r.Mount = dir.EntitiesPath()
	require.NoError(t, writeRecord(dir, r))
	require.NoError(t, os.Mkdir(dir.PlainPath(), 0o700))

	unlock, err := dir.Lock() // as the daemon has it
	require.NoError(t, err)
	require.False(t, Crashed(dir))
	require.False(t, Killed(dir))
	unlock()
	require.True(t, Crashed(dir))
	require.True(t, Killed(dir))

	require.NoError(t, os.Remove(dir.DaemonPath()))
	require.True(t, Crashed(dir))
	require.False(t, Killed(dir))
}

func TestADaemonThatIsGoneHasAnswered(t *testing.T) {
	c := newClient(nil, Record{Socket: filepath.Join(t.TempDir(), "none")})
	require.True(t, c.answersBy(context.Background()))
}
