package test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

const somebody = "65534" // a user who is not root

// asSomebody returns the bench of a user who is not root, in a directory of
// that user's, with a way to run the program.
func asSomebody(t *testing.T) (b *bench, run func(args ...string) (string, int)) {
	b = newBench(t, "setpriv", "cp")
	if os.Geteuid() != 0 {
		return b, func(args ...string) (string, int) { return b.try("worldfs", args...) }
	}
	openToAll(t, "/dev/fuse", 0o666)
	for dir := b.dir; dir != filepath.Dir(os.TempDir()) && dir != "/tmp"; dir = filepath.Dir(dir) {
		openToAll(t, dir, 0o755)
	}
	uid, err := strconv.Atoi(somebody)
	require.NoError(t, err)
	require.NoError(t, os.Chown(b.dir, uid, uid))
	program := b.path("program")
	b.run("cp", binary, program)
	require.NoError(t, os.Chmod(program, 0o755))
	home, sockets := b.path("home"), b.path("run")
	for _, dir := range []string{home, sockets} {
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.Chown(dir, uid, uid))
	}
	b.env = append(b.env, "HOME="+home, "XDG_RUNTIME_DIR="+sockets)
	return b, func(args ...string) (string, int) {
		t.Helper()
		call := asUser(program)
		return b.try(call[0], append(call[1:], args...)...)
	}
}

// openToAll changes the mode of something until the test ends.
func openToAll(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	if info.Mode().Perm()&mode == mode {
		return
	}
	require.NoError(t, os.Chmod(path, info.Mode().Perm()|mode))
	t.Cleanup(func() { _ = os.Chmod(path, info.Mode().Perm()) })
}

// Who is not root mounts by fusermount3, and root has no business there.
func TestAMountOfSomebodyWhoIsNotRoot(t *testing.T) {
	b, run := asSomebody(t)
	must := func(args ...string) string {
		t.Helper()
		out, code := run(args...)
		require.Zero(t, code, out)
		return out
	}
	must("demo", "--entities", "20", "w")
	w := b.cd("w")
	must("-C", "w", "mount")
	defer run("-C", "w", "unmount")
	require.True(t, w.mounted())
	text := must("-C", "w", "show", "6555")
	require.NotEmpty(t, text)
	if os.Geteuid() == 0 {
		_, err := os.ReadDir(w.path("entities"))
		require.ErrorIs(t, err, os.ErrPermission)
	}
	out, code := run("-C", "w/entities", "unmount") // the program itself leaves it
	require.Zero(t, code, out)
	require.False(t, w.mounted())

	must("-C", "w", "mount")
	stands := w.shell(asUser("bash")...)
	require.Empty(t, stands.does("cd "+w.path("entities")))
	unseen := w.unseen(w.path("entities/6555.entity_text"))
	out, code = run("-C", "w", "unmount")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "the processes that hold it are not ours to see")
	require.Empty(t, stands.does("touch 6555.entity_text; echo x >x && rm x"), "all goes on")
	unseen.leaves()
	out = must("-C", "w", "unmount")
	require.Regexp(t, `bash \(process \d+\) is in .*/w/entities, .*: cd \.\n$`, out)
	require.False(t, w.mounted())
	require.Contains(t, stands.does("echo x >x"), "Read-only file system")
	require.Empty(t, stands.does("cd . && echo x >x && rm x"))
	stands.leaves()

	must("-C", "w", "mount")
	record := w.record()
	out, code = run("-C", "w", "mount")
	require.Zero(t, code, out)
	require.Contains(t, out, "mounted already")
	require.Contains(t, out, strconv.Itoa(record.Pid))
	w.kill()
	must("-C", "w", "status")
	require.False(t, w.mounted())
	require.NoFileExists(t, record.Socket)
	require.Equal(t, text, must("-C", "w", "show", "6555"))
}

// unseen has a process of that user open a file and become one that only root can look
// at, as agents that have keys are, until it leaves.
func (b *bench) unseen(file string) *shell {
	b.Helper()
	// 4 is PR_SET_DUMPABLE; prctl has no name in perl.
	s := b.shell(asUser("perl", "-we", `use strict; use Config; $| = 1;
		open(my $f, "+<", $ARGV[0]) or die $!;
		syscall($Config{archname} =~ /x86_64/ ? 157 : 167, 4, 0, 0, 0, 0) and die $!;
		print "-- done\n"; <STDIN>`, file)...)
	require.Empty(b, s.says())
	return s
}

// asUser returns the command that runs another as a user who is not root.
func asUser(command ...string) []string {
	if os.Geteuid() != 0 {
		return command
	}
	return append([]string{"setpriv", "--reuid", somebody, "--regid", somebody, "--clear-groups"}, command...)
}

// A line in /etc/fstab may say whose world it is; the daemon is then that user's.
func TestMountForAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	b, run := asSomebody(t)
	out, code := run("demo", "--entities", "20", "w")
	require.Zero(t, code, out)
	w := b.cd("w")
	b.run("ln", "-s", b.path("program"), b.path("mount.worldfs"))
	for _, c := range []struct{ name, says string }{
		{"no-such-user", "setuid=no-such-user: there is no such user"},
		{"", `no user is called ""`},
		{"-h", `no user is called "-h"`},
	} {
		out, code := b.try(b.path("mount.worldfs"), "w", "w/entities", "-o", "setuid="+c.name)
		require.Equal(t, 32, code, out)
		require.Contains(t, out, c.says)
	}
	for _, name := range []string{somebody, "nobody"} {
		b.run(b.path("mount.worldfs"), "w", "w/entities", "-o", "setuid="+name)
		t.Cleanup(func() { run("-C", "w", "unmount") })
		of := b.run("stat", "-c", "%u %g", "/proc/"+strconv.Itoa(w.record().Pid))
		require.Equal(t, somebody+" "+somebody+"\n", of)
		out, code := run("-C", "w", "unmount")
		require.Zero(t, code, out)
	}
}
