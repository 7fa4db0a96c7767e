package test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// socket returns where the daemon's socket is.
func (b *bench) socket() string {
	b.Helper()
	var record struct{ Socket string }
	require.NoError(b, json.Unmarshal([]byte(b.read(".worldfs/daemon.json")), &record))
	return record.Socket
}

// say sends bytes to the daemon and returns the beginning of what it answers.
func (b *bench) say(parts ...string) string {
	b.Helper()
	conn, err := net.Dial("unix", b.socket())
	require.NoError(b, err)
	defer conn.Close()
	require.NoError(b, conn.SetDeadline(time.Now().Add(5*time.Minute)))
	for _, part := range parts {
		if _, err := io.WriteString(conn, part); err != nil {
			break // it has hung up, as it may
		}
	}
	answer := make([]byte, 4096)
	n, _ := io.ReadFull(conn, answer) // as far as it says anything
	return string(answer[:n])
}

func call(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: worldfs\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// Whatever is sent to the control socket, the daemon answers with an error or
// hangs up, and serves on.
func TestHostileCallsDoNoHarm(t *testing.T) {
	b := mountedDemo(t, 20)
	before := b.contents()
	for name, c := range map[string]struct {
		parts []string
		want  string
	}{
		"noise":          {[]string{"\x00\xff\x16\x03\x01 nonsense\r\n\r\n"}, "400 Bad Request"},
		"no such call":   {[]string{call("/v1/erase", "{}")}, "404 Not Found"},
		"another method": {[]string{strings.Replace(call("/v1/unmount", "{}"), "POST", "GET", 1)}, "405 Method Not Allowed"},
		"no JSON":        {[]string{call("/v1/format", "{")}, "422 Unprocessable Entity"},
		"another type":   {[]string{call("/v1/text", `{"ID":"../../etc/passwd"}`)}, "422 Unprocessable Entity"},
		"a negative ID":  {[]string{call("/v1/history", `{"ID":-1}`)}, "422 Unprocessable Entity"},
		"deep JSON":      {[]string{call("/v1/format", strings.Repeat("[", 100_000))}, "422 Unprocessable Entity"},
		"a large call":   {[]string{call("/v1/format", strings.Repeat(" ", 65<<20))}, "422 Unprocessable Entity"},
		"large headers":  {[]string{"POST /v1/ping HTTP/1.1\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n"}, "431 Request Header Fields Too Large"},
		"a cut import":   {[]string{"POST /v1/import?file=x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n"}, "422 Unprocessable Entity"},
		"no position":    {[]string{call("/v1/watch?from=-1", "")}, "422 Unprocessable Entity"},
		"a path up":      {[]string{call("/v1/../../etc/passwd", "{}")}, "HTTP/1.1 "},
	} {
		require.Contains(t, b.say(c.parts...), c.want, name)
	}
	require.Equal(t, before, b.contents())
	b.run("worldfs", "status")
	log := b.read(".worldfs/log")
	require.NotContains(t, log, "panic")
}

// Thousands of connections are taken a few hundred at a time, and none of them
// leaves anything behind.
func TestThousandsOfConnections(t *testing.T) {
	b := mountedDemo(t, 20)
	var before held
	for i := range 3 {
		var open []net.Conn
		for n := range 1000 {
			conn, err := net.Dial("unix", b.socket())
			require.NoError(t, err)
			if n%2 == 0 {
				_, err = io.WriteString(conn, "POST /v1/sta")
				require.NoError(t, err)
			}
			open = append(open, conn)
		}
		for _, conn := range open {
			conn.Close()
		}
		b.run("worldfs", "status")
		if i == 0 { // a mount that covers the world has nodes of what the command itself reads
			before = b.held()
		}
	}
	b.eventually(func() bool {
		after := b.held()
		return after.Descriptors <= before.Descriptors+5 && after.Goroutines <= before.Goroutines+10
	})
}

// Another user reads nothing, neither through the mount nor beside it, and is
// not answered even where the socket can be reached.
func TestAnotherUserReadsNothing(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can try another user's eyes")
	}
	b := newBench(t, "setpriv", "perl")
	b.run("worldfs", "demo", "--entities", "20", "w")
	require.NoError(t, os.Chmod(b.dir, 0o755))
	b = b.cd("w")
	b.mount()
	name := "entities/" + b.names("entities")[0]
	text, err := os.ReadFile(b.path(name))
	require.NoError(t, err)
	require.NoError(t, b.save(name, strings.TrimRight(string(text), "\n")+"\n\n"))
	b.run("worldfs", "sync")
	other := []string{"--reuid", "65534", "--regid", "65534", "--clear-groups"}
	for _, path := range []string{
		"entities", name, ".worldfs", ".worldfs/state.db", ".worldfs/state.wal", ".worldfs/log", ".worldfs/history", ".worldfs/daemon.json", b.socket(),
	} {
		out, code := b.try("setpriv", append(other, "cat", path)...)
		require.NotZero(t, code, "%s: %s", path, out)
		require.Contains(t, out, "Permission denied", path)
	}
	for _, path := range []string{".worldfs/state.db", ".worldfs/state.wal", ".worldfs/log", ".worldfs/daemon.json", b.socket()} {
		if !filepath.IsAbs(path) {
			path = b.path(path)
		}
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), path)
	}
	histories, err := filepath.Glob(b.path(".worldfs/history/*"))
	require.NoError(t, err)
	require.NotEmpty(t, histories)
	for _, path := range histories {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), path)
	}

	// Even with the way open, who asks is looked at.
	for path := b.socket(); len(path) > len(os.TempDir()); path = filepath.Dir(path) {
		var st syscall.Stat_t
		require.NoError(t, syscall.Stat(path, &st))
		require.NoError(t, os.Chmod(path, os.FileMode(st.Mode&0o777)|0o077))
	}
	ask := `use Socket;
$SIG{PIPE} = "IGNORE";
socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un($ARGV[0])) || die $!;
syswrite(S, "POST /v1/ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
sysread(S, my $answer, 100);
print "answer: $answer";
`
	out, code := b.try("setpriv", append(other, "perl", "-e", ask, b.socket())...)
	require.Zero(t, code, out)
	require.Equal(t, "answer: ", out)
	require.NoError(t, os.Chmod(filepath.Dir(b.socket()), 0o700))
	require.Contains(t, b.run("perl", "-e", ask, b.socket()), "200 OK")
}
