package windows

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// wine is a Windows of its own, with worldfs.exe and git.exe in it.
type wine struct {
	*testing.T
	dir string // where programs are run, on this system; drive Z: is its root
	env []string
	exe string
	own string // worldfs of this system
}

// newWine makes a Windows, which takes some seconds. It is gone when the test ends, with its
// processes.
func newWine(t *testing.T) *wine {
	for _, tool := range []string{"wine", "x86_64-w64-mingw32-gcc"} {
		_, err := exec.LookPath(tool)
		require.NoError(t, err, "scripts/setup.sh test installs it")
	}
	root := t.TempDir()
	w := &wine{T: t, dir: filepath.Join(root, "work"), exe: filepath.Join(root, "bin", "worldfs.exe"), own: filepath.Join(root, "worldfs")}
	require.NoError(t, os.MkdirAll(w.dir, 0o755))
	w.env = append(os.Environ(), "HOME="+root, "WINEPREFIX="+filepath.Join(root, "prefix"), "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=",
		"WINEPATH="+winPath(filepath.Join(root, "bin")), "GITSHIM="+serveGit(t, root), "DISPLAY=",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com")
	build := func(target, out, from string) {
		cmd := exec.Command("go", "build", "-o", out, from)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+target)
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, string(said))
	}
	build("windows", w.exe, "../../cmd/worldfs")
	build("windows", filepath.Join(root, "bin", "git.exe"), "./gitshim")
	build("linux", w.own, "../../cmd/worldfs")
	t.Cleanup(func() { _, _ = w.try("wineserver", "-k", "-w") }) // where none of its processes is left it fails
	w.system("wineboot", "--init")
	w.system("x86_64-w64-mingw32-gcc", "-shared", "-o", filepath.Join(root, "prefix/drive_c/windows/system32/bcryptprimitives.dll"), w.source("testdata/prng.c"), "-ladvapi32")
	return w
}

// source returns the path of a file beside the tests.
func (w *wine) source(name string) string {
	path, err := filepath.Abs(name)
	require.NoError(w, err)
	return path
}

// winPath returns what a path of this system is called in Wine.
func winPath(path string) string { return `Z:` + strings.ReplaceAll(path, "/", `\`) }

// system runs a program of this system, which must succeed.
func (w *wine) system(name string, args ...string) string {
	w.Helper()
	out, code := w.try(name, args...)
	require.Zero(w, code, "%s %s\n%s", name, strings.Join(args, " "), out)
	return out
}

// run runs worldfs.exe, which must succeed, and returns what it prints.
func (w *wine) run(args ...string) string {
	w.Helper()
	return w.system("wine", append([]string{w.exe}, args...)...)
}

// fails runs worldfs.exe, which must end with that exit status.
func (w *wine) fails(status int, args ...string) string {
	w.Helper()
	out, code := w.try("wine", append([]string{w.exe}, args...)...)
	require.Equal(w, status, code, "worldfs %s\n%s", strings.Join(args, " "), out)
	return out
}

func (w *wine) try(name string, args ...string) (out string, code int) {
	w.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(w, err)
	}
	return strings.ReplaceAll(string(said), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

func (w *wine) read(name string) string {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	require.NoError(w, err)
	return string(data)
}

func (w *wine) write(name, text string) {
	w.Helper()
	require.NoError(w, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644))
}

// in returns the same Windows with another working directory.
func (w *wine) in(name string) *wine {
	other := *w
	other.dir = filepath.Join(w.dir, name)
	return &other
}

// serveGit runs git for gitshim, and returns the address where.
func serveGit(t *testing.T, home string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var calls sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); calls.Wait() })
	calls.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			calls.Go(func() { runGit(conn.(*net.TCPConn), home) })
		}
	})
	return l.Addr().String()
}

func runGit(conn *net.TCPConn, home string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	line, err := in.ReadBytes('\n')
	var call struct {
		Dir       string
		Args, Env []string
	}
	if err != nil || json.Unmarshal(line, &call) != nil {
		return
	}
	for i, arg := range call.Args {
		call.Args[i] = unixPaths(arg)
	}
	cmd := exec.Command("git", call.Args...)
	cmd.Dir, cmd.Env = unixPaths(call.Dir), append(os.Environ(), "HOME="+home)
	for _, v := range call.Env {
		if strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "LC_") {
			cmd.Env = append(cmd.Env, unixPaths(v))
		}
	}
	var mu sync.Mutex
	out, errs := &frames{conn, &mu, 1}, &frames{conn, &mu, 2}
	cmd.Stdout, cmd.Stderr = out, errs
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(errs, err)
		out.send(0, 128, nil)
		return
	}
	go func() {
		_, _ = io.Copy(stdin, in) // git may end before all is read
		_ = stdin.Close()
	}()
	_ = cmd.Wait() // its exit status says it
	out.send(0, uint32(cmd.ProcessState.ExitCode()), nil)
}

// unixPaths returns a text with the paths of drive Z: as this system has them.
func unixPaths(text string) string {
	at := strings.Index(text, `Z:\`)
	if at < 0 {
		at = strings.Index(text, "Z:/")
	}
	if at < 0 {
		return text
	}
	return text[:at] + strings.ReplaceAll(text[at+2:], `\`, "/")
}

// frames writes what git prints. Paths are named as git for Windows names them.
type frames struct {
	to     io.Writer
	mu     *sync.Mutex
	stream uint32
}

func (f *frames) Write(p []byte) (int, error) {
	text := p
	if f.stream == 1 && len(p) > 1 && p[0] == '/' && isPath(p) {
		text = append([]byte("Z:"), p...)
	}
	return len(p), f.send(f.stream, uint32(len(text)), text)
}

// isPath reports whether what git prints is a path, or some, of files that there are.
func isPath(p []byte) bool {
	line, _, _ := strings.Cut(string(p), "\n")
	_, err := os.Lstat(line)
	return err == nil
}

func (f *frames) send(stream, size uint32, data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := binary.Write(f.to, binary.LittleEndian, [2]uint32{stream, size})
	if err == nil {
		_, err = f.to.Write(data)
	}
	return err
}
