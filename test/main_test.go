// Package test is the end-to-end tests: the built binary in a subprocess, real
// mounts, real git and real tools. Each test leaves no mount, process or file
// behind, and fails if it does.
package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

var binary string // the worldfs under test

func TestMain(m *testing.M) {
	if os.Getenv(loadVariable) != "" {
		os.Exit((&load{}).run(os.Stdin))
	}
	hearSignals()
	os.Exit(run(m))
}

// hearSignals has the programs that are tested begin as from a shell, where the tests were
// started with signals ignored, as by nohup: what is caught here is not ignored there.
func hearSignals() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "worldfs-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "worldfs")
	build := exec.Command("go", "build", "-o", binary, "../cmd/worldfs")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build does
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build worldfs: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// bench is a directory with worlds in it, and the tools used on them. Benches
// share nothing, so tests that have one each may run in parallel.
type bench struct {
	*testing.T
	dir     string   // where commands run
	root    string   // of the bench: nothing of it is left afterwards
	sockets string   // where its daemons have theirs
	env     []string // what commands find in their environment
}

// newBench returns an empty directory, with git and hg set up to ask nobody, to
// make the same commits whenever they run, and to start nothing that outlives
// the test. A tool that is not installed fails the test: make test installs
// them.
func newBench(t *testing.T, tools ...string) *bench {
	for _, tool := range tools {
		_, err := exec.LookPath(tool)
		require.NoError(t, err, "make test installs what the tests need")
	}
	b := &bench{T: t, dir: t.TempDir()}
	b.root = b.dir
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitConfig), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".hgrc"), []byte(hgConfig), 0o644))
	// A socket's path is short, a test's directory need not be.
	run, err := os.MkdirTemp("", "wfs")
	require.NoError(t, err)
	b.sockets = filepath.Join(run, "worldfs")
	temp := filepath.Join(run, "tmp") // where what is killed leaves files
	require.NoError(t, os.Mkdir(temp, 0o700))
	b.env = append(os.Environ(),
		"HOME="+home, "XDG_RUNTIME_DIR="+run, "TMPDIR="+temp, "LC_ALL=C.UTF-8", "TZ=UTC", "HGPLAIN=1",
		"GIT_AUTHOR_DATE="+aDate, "GIT_COMMITTER_DATE="+aDate, "GIT_EDITOR=true",
	)
	b.env = append(b.env, config.environment()...)
	t.Cleanup(func() {
		b.requireNothingLeft()
		require.NoError(t, os.RemoveAll(run))
	})
	return b
}

const (
	aDate     = "2001-02-03T04:05:06+00:00"
	gitConfig = `[user]
	name = Test
	email = test@example.com
[init]
	defaultBranch = main
[gc]
	auto = 0
[advice]
	detachedHead = false
[protocol "file"]
	allow = always
`
	hgConfig = `[ui]
username = Test <test@example.com>
merge = internal:merge
interactive = false
`
)

// mountedDemo returns the bench in a demo world, which is mounted until the test
// ends.
func mountedDemo(t *testing.T, entities int, tools ...string) *bench {
	b := newBench(t, tools...)
	b.run("worldfs", "demo", "--entities", strconv.Itoa(entities), "w")
	b = b.cd("w")
	b.mount()
	return b
}

// cd returns the bench in a directory below.
func (b *bench) cd(dir string) *bench {
	below := *b
	below.dir = filepath.Join(b.dir, dir)
	return &below
}

// run runs a command that must succeed and returns what it printed.
func (b *bench) run(name string, args ...string) string {
	b.Helper()
	out, code := b.try(name, args...)
	require.Zero(b, code, "%s %s\n%s", name, strings.Join(args, " "), out)
	return out
}

// try runs a command and returns what it printed and its exit status.
func (b *bench) try(name string, args ...string) (string, int) {
	b.Helper()
	if name == "worldfs" {
		name, args = binary, config.arguments(args)
	}
	cmd := b.command(name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(b, cmd.Start())
	err := b.wait(cmd)
	if err != nil && cmd.ProcessState == nil {
		require.NoError(b, err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		return stdout.String() + stderr.String(), code
	}
	if shard := config.toShard(args); shard != nil && name == binary {
		b.run("worldfs", shard...)
	}
	return stdout.String(), 0
}

// command returns a command that runs in the bench's directory. It goes there
// itself: where the test's own process, amid starting another, went into a
// mount, all of the process would wait for the answer, which may have to come
// from it (as a disk that fails) or may never come (from a killed daemon).
func (b *bench) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command("env", append([]string{"-C", b.dir, name}, args...)...)
	cmd.Env = b.env
	return cmd
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) read(name string) string {
	b.Helper()
	data, err := os.ReadFile(b.path(name))
	require.NoError(b, err)
	return string(data)
}

func (b *bench) write(name, text string) {
	b.Helper()
	require.NoError(b, os.WriteFile(b.path(name), []byte(text), 0o644))
}

// names returns the names in a directory, in order; of entities/ with those in
// its shards instead of these.
func (b *bench) names(dir string) (names []string) {
	b.Helper()
	entries, err := os.ReadDir(b.path(dir))
	require.NoError(b, err)
	for _, e := range entries {
		if dir != "entities" || config.layout() == layout.None || !layout.IsShard(e.Name()) {
			names = append(names, e.Name())
			continue
		}
		for _, name := range b.names(dir + "/" + e.Name()) {
			names = append(names, e.Name()+"/"+name)
		}
	}
	return names
}

// mount mounts the world in the bench's directory until the test ends.
func (b *bench) mount(args ...string) {
	b.Helper()
	b.run("worldfs", append([]string{"mount"}, args...)...)
	b.Cleanup(func() {
		if b.mounted() {
			b.run("worldfs", "unmount")
		}
	})
}

func (b *bench) mounted() bool {
	mounts, err := os.ReadFile("/proc/self/mounts")
	require.NoError(b, err)
	for _, dir := range []string{b.dir, b.path("entities")} {
		if strings.Contains(string(mounts), " "+dir+" fuse.worldfs ") {
			return true
		}
	}
	return false
}

// requireNothingLeft fails if a mount, a process or a socket of the test is
// still there.
func (b *bench) requireNothingLeft() {
	defer b.sweep()
	mounts, err := os.ReadFile("/proc/self/mounts")
	require.NoError(b, err)
	require.NotContains(b, string(mounts), b.root, "a mount is left")
	require.Eventually(b, func() bool { return len(b.processes()) == 0 }, time.Minute, 10*time.Millisecond,
		"processes are left")
	left, err := filepath.Glob(filepath.Join(b.sockets, "*"))
	require.NoError(b, err)
	require.Empty(b, left, "sockets are left")
}

// sweep ends what a failed test leaves, so that it stays one failure.
func (b *bench) sweep() {
	if !b.Failed() {
		return
	}
	b.abort()
	for _, process := range b.processes() {
		if pid, err := strconv.Atoi(filepath.Base(process)); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	mounts, _ := os.ReadFile("/proc/self/mounts")
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(fields[1], b.root) {
			_ = exec.Command("fusermount3", "-uz", fields[1]).Run()
		}
	}
}

// processes returns the processes of the test's worlds that still run.
func (b *bench) processes() (left []string) {
	all, err := filepath.Glob("/proc/[0-9]*/exe")
	require.NoError(b, err)
	for _, exe := range all {
		target, err := os.Readlink(exe)
		if err != nil || target != binary {
			continue
		}
		environ, err := os.ReadFile(filepath.Join(filepath.Dir(exe), "environ"))
		if err == nil && bytes.Contains(environ, []byte("XDG_RUNTIME_DIR="+filepath.Dir(b.sockets)+"\x00")) {
			left = append(left, filepath.Dir(exe))
		}
	}
	return left
}

// daemon returns the process that serves the world in the bench's directory.
func (b *bench) daemon() int {
	b.Helper()
	b.eventually(func() bool { // what was removed is put back a little later
		_, err := os.Stat(b.path(".worldfs/daemon.json"))
		return err == nil
	})
	var record struct{ Pid int }
	require.NoError(b, json.Unmarshal([]byte(b.read(".worldfs/daemon.json")), &record))
	return record.Pid
}

// requireNoDescriptorLeft fails if the daemon keeps files open that have no
// name any more: whoever had them open is gone.
func (b *bench) requireNoDescriptorLeft() {
	b.Helper()
	open := fmt.Sprintf("/proc/%d/fd/*", b.daemon())
	var left []string
	require.Eventually(b, func() bool {
		left = nil
		fds, err := filepath.Glob(open)
		require.NoError(b, err)
		for _, fd := range fds {
			if target, err := os.Readlink(fd); err == nil && strings.HasSuffix(target, " (deleted)") {
				left = append(left, target)
			}
		}
		return len(left) == 0
	}, time.Minute, 10*time.Millisecond, "descriptors are left: %v", &left)
}
