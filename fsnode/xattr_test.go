package fsnode_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func (r *rig) xattr(name, attr string) string {
	r.Helper()
	buf := make([]byte, 200)
	n, err := unix.Getxattr(r.path(name), attr, buf)
	if err == unix.ENODATA {
		return "(none)"
	}
	require.NoError(r, err)
	return string(buf[:n])
}

func TestAnEntitySaysWhatItIs(t *testing.T) {
	r := newRig(t, 3)
	const file = "3.entity_text"
	require.Equal(t, "3", r.xattr(file, "user.worldfs.id"))
	require.Equal(t, "Lamp", r.xattr(file, "user.worldfs.type"))
	require.Equal(t, "1", r.xattr(file, "user.worldfs.revision"))
	require.Equal(t, "(none)", r.xattr(file, "user.worldfs.error"))
	buf := make([]byte, 200)
	n, err := unix.Listxattr(r.path(file), buf)
	require.NoError(t, err)
	require.Equal(t, "user.worldfs.id\x00user.worldfs.type\x00user.worldfs.revision\x00", string(buf[:n]))
	_, err = unix.Listxattr(r.path(file), buf[:3])
	require.ErrorIs(t, err, syscall.ERANGE)
	_, err = unix.Getxattr(r.path(file), "user.worldfs.type", buf[:3])
	require.ErrorIs(t, err, syscall.ERANGE)

	for name, value := range map[string]string{"id": "4", "type": "Door", "error": "none"} {
		require.ErrorIs(t, unix.Setxattr(r.path(file), "user.worldfs."+name, []byte(value), 0), syscall.ENOTSUP)
		require.ErrorIs(t, unix.Removexattr(r.path(file), "user.worldfs."+name), syscall.EPERM)
	}
	require.NoError(t, unix.Setxattr(r.path(file), "user.worldfs.id", []byte("3"), 0), "it is that")
	require.ErrorIs(t, unix.Setxattr(r.path(file), "user.worldfs.id", []byte("3"), unix.XATTR_CREATE), syscall.EEXIST)

	r.write(file, "Lamp\n7\n3\n; watts\n    [")
	require.Equal(t, "7", r.xattr(file, "user.worldfs.revision"), "as the text says")
	require.Eventually(t, func() bool {
		_, err := r.world.Status()
		return err == nil && strings.Contains(r.xattr(file, "user.worldfs.error"), "last good values")
	}, time.Minute, 10*time.Millisecond)
	r.write("4.entity_text", "")
	require.Equal(t, "(none)", r.xattr("4.entity_text", "user.worldfs.type"))
}

// What tools do with attributes goes well, out of the mount, into it and in it.
func TestToolsCopyAttributes(t *testing.T) {
	r := newRig(t, 3)
	plain := t.TempDir()
	run := func(tool string, args ...string) {
		t.Helper()
		out, err := exec.Command(tool, args...).CombinedOutput()
		require.NoError(t, err, "%s %s: %s", tool, args, out)
		require.Empty(t, string(out), "%s %s", tool, args)
	}
	attr := func(path string) string {
		t.Helper()
		buf := make([]byte, 100)
		n, err := unix.Getxattr(path, "user.worldfs.type", buf)
		require.NoError(t, err)
		return string(buf[:n])
	}
	run("cp", "-a", r.path("1.entity_text"), plain)
	run("rsync", "-aX", r.path("2.entity_text"), plain)
	require.Equal(t, "Lamp", attr(filepath.Join(plain, "1.entity_text")))
	require.Equal(t, "Lamp", attr(filepath.Join(plain, "2.entity_text")))
	run("cp", "-a", r.path("1.entity_text"), r.path("1.entity_text~"))
	run("rsync", "-aX", "--ignore-times", filepath.Join(plain, "2.entity_text"), r.mnt)
	require.NoError(t, unix.Setxattr(filepath.Join(plain, "1.entity_text"), "user.comment", []byte("x"), 0))
	run("rsync", "-aX", "--ignore-times", filepath.Join(plain, "1.entity_text"), r.mnt)
	run("cp", "-a", filepath.Join(plain, "1.entity_text"), r.path("3.entity_text"))
	run("cp", "-a", filepath.Join(plain, "2.entity_text"), r.path("7.entity_text")) // it has another ID there
	run("cp", "-a", r.path("7.entity_text"), plain)
	run("mv", filepath.Join(plain, "7.entity_text"), r.path("8.entity_text"))
	run("mv", r.path("8.entity_text"), plain)
	run("mv", r.path("1.entity_text~"), r.path("2.entity_text"))
	require.Equal(t, r.read("1.entity_text"), r.read("2.entity_text"))
	require.Equal(t, "2", r.xattr("2.entity_text", "user.worldfs.id"))
	text, err := os.ReadFile(filepath.Join(plain, "1.entity_text"))
	require.NoError(t, err)
	require.Equal(t, string(text), r.read("3.entity_text"))
}
