package test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// mountWithFew mounts the world with a daemon that may have few descriptors.
func (b *bench) mountWithFew(arguments string) {
	b.Helper()
	b.run("sh", "-c", `ulimit -n 64 && exec "$0" mount `+arguments, binary)
	b.Cleanup(func() {
		if b.mounted() {
			b.run("worldfs", "unmount")
		}
	})
}

func TestTheDaemonRaisesItsLimitOfDescriptors(t *testing.T) {
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "10", "w")
	b = b.cd("w")
	b.run("sh", "-c", `ulimit -Sn 64 && exec "$0" mount`, binary)
	b.Cleanup(func() { b.run("worldfs", "unmount") })
	var limit unix.Rlimit
	require.NoError(t, unix.Prlimit(b.daemon(), unix.RLIMIT_NOFILE, nil, &limit))
	require.GreaterOrEqual(t, limit.Cur, limit.Max-1)
}

func TestFewDescriptorsAreEnough(t *testing.T)        { fewDescriptors(t, "", "entities") }
func TestFewDescriptorsAreEnoughInCover(t *testing.T) { fewDescriptors(t, "--cover .", "beneath") }

// fewDescriptors has a daemon that may have 64 descriptors serve more files, open
// and not, in the directory dir of the world than it has descriptors.
func fewDescriptors(t *testing.T, arguments, dir string) {
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "300", "w")
	b = b.cd("w")
	require.NoError(t, os.MkdirAll(b.path(dir), 0o755))
	b.mountWithFew(arguments)
	for i := range 100 {
		b.write(fmt.Sprint(dir, "/scratch", i), "scratch\n")
	}
	for _, name := range b.names("entities") {
		if strings.HasSuffix(name, "_text") {
			b.write("entities/"+name, b.read("entities/"+name)+"\n")
		}
	}
	for i := range 100 {
		f, err := os.OpenFile(b.path(fmt.Sprint(dir, "/scratch", i)), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteString("more\n")
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	b.filesWithoutNames(dir)
	b.directoriesWithoutNames(dir)
	b.run("worldfs", "sync")
	b.run("worldfs", "export", "-o", "../exported.jsonl")
	b.run("worldfs", "import", "../exported.jsonl")
	b.run("worldfs", "status")
	for i := range 100 {
		require.Equal(t, "scratch\nmore\n", b.read(fmt.Sprint(dir, "/scratch", i)))
		require.NoError(t, os.Remove(b.path(fmt.Sprint(dir, "/scratch", i))))
	}
	b.requireNoDescriptorLeft()
	b.run("worldfs", "unmount")
	b.run("worldfs", "check")
}

// filesWithoutNames removes more files that are open than the daemon has
// descriptors: they go on as on any file system.
func (b *bench) filesWithoutNames(dir string) {
	b.Helper()
	var open []*os.File
	for i := range 100 {
		name := b.path(fmt.Sprint(dir, "/open", i))
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		require.NoError(b, err)
		defer f.Close()
		_, err = fmt.Fprint(f, "number ", i)
		require.NoError(b, err)
		require.NoError(b, f.Sync())
		require.NoError(b, os.Remove(name))
		open = append(open, f)
	}
	for i, f := range open {
		_, err := fmt.Fprint(f, " more")
		require.NoError(b, err)
		text := make([]byte, 100)
		n, _ := f.ReadAt(text, 0)
		require.Equal(b, fmt.Sprint("number ", i, " more"), string(text[:n]))
		var st unix.Stat_t
		require.NoError(b, unix.Fstat(int(f.Fd()), &st))
		require.Zero(b, st.Nlink)
		link := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
		err = unix.Linkat(unix.AT_FDCWD, link, unix.AT_FDCWD, b.path(dir+"/again"), unix.AT_SYMLINK_FOLLOW)
		require.ErrorIs(b, err, unix.ENOENT)
	}
	for _, f := range open {
		require.NoError(b, f.Close())
	}
}

// directoriesWithoutNames removes more directories that are open than the daemon has
// descriptors.
func (b *bench) directoriesWithoutNames(dir string) {
	b.Helper()
	for i := range 100 {
		name := b.path(fmt.Sprint(dir, "/dir", i))
		require.NoError(b, os.MkdirAll(name, 0o755))
		d, err := os.Open(name)
		require.NoError(b, err)
		defer d.Close()
		require.NoError(b, os.Remove(name))
	}
}
