// Package test is the end-to-end tests: the built binary in a subprocess, real
// mounts, real git and real tools. Each test leaves no mount, process or file
// behind, and fails if it does.
package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var binary string // the worldfs under test

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "worldfs-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "worldfs")
	if out, err := exec.Command("go", "build", "-o", binary, "../cmd/worldfs").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build worldfs: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// bench is a directory with worlds in it, and the tools used on them.
type bench struct {
	*testing.T
	dir string // where commands run
}

// newBench returns an empty directory, with git set up to ask nobody and to
// leave nothing running in the background that writes after the test. A tool
// that is not installed fails the test: make test installs them.
func newBench(t *testing.T, tools ...string) *bench {
	for _, tool := range tools {
		_, err := exec.LookPath(tool)
		require.NoError(t, err, "make test installs what the tests need")
	}
	b := &bench{T: t, dir: t.TempDir()}
	home := t.TempDir()
	t.Setenv("HOME", home)
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"),
		[]byte("[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n"+
			"[gc]\n\tauto = 0\n"), 0o644))
	t.Cleanup(func() { b.requireNothingLeft() })
	return b
}

// cd returns the bench in a directory below.
func (b *bench) cd(dir string) *bench { return &bench{T: b.T, dir: filepath.Join(b.dir, dir)} }

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
		name = binary
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = b.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		require.NoError(b, err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		return stdout.String() + stderr.String(), code
	}
	return stdout.String(), 0
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

// names returns the names in a directory, in order.
func (b *bench) names(dir string) []string {
	b.Helper()
	entries, err := os.ReadDir(b.path(dir))
	require.NoError(b, err)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// mount mounts the world in the bench's directory until the test ends.
func (b *bench) mount() {
	b.Helper()
	b.run("worldfs", "mount")
	b.Cleanup(func() {
		if b.mounted() {
			b.run("worldfs", "unmount")
		}
	})
}

func (b *bench) mounted() bool {
	mounts, err := os.ReadFile("/proc/self/mounts")
	require.NoError(b, err)
	return strings.Contains(string(mounts), " "+b.path("entities")+" fuse.worldfs ")
}

// requireNothingLeft fails if a mount or a process of the test is still there.
func (b *bench) requireNothingLeft() {
	mounts, err := os.ReadFile("/proc/self/mounts")
	require.NoError(b, err)
	require.NotContains(b, string(mounts), b.dir, "a mount is left")
	require.Eventually(b, func() bool { return len(b.processes()) == 0 }, 10*time.Second, 10*time.Millisecond,
		"processes are left")
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
		cwd, err := os.Readlink(filepath.Join(filepath.Dir(exe), "cwd"))
		if err == nil && strings.HasPrefix(cwd, b.dir) {
			left = append(left, filepath.Dir(exe))
		}
	}
	return left
}
