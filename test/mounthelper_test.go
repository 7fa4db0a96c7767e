package test

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// helper makes the name under which mount(8) runs the program.
func (b *bench) helper() string {
	b.Helper()
	path := b.path("../mount.worldfs")
	require.NoError(b, os.Symlink(binary, path))
	b.Cleanup(func() {
		if b.mounted() {
			b.run("worldfs", "unmount")
		}
	})
	return path
}

func TestMountHelper(t *testing.T) {
	b := small(t)
	up, helper := b.cd(".."), b.helper()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"w", "w/entities", "-o", "rw,ro"}, "read-only"},
		{[]string{"w", "w/entities", "-r"}, "read-only"},
		{[]string{"w", "w/entities", "-o", "remount"}, "remount is not possible"},
		{[]string{"w", "w/entities", "-o", "colour=red"}, "there is no option colour=red"},
		{[]string{"w", "w/types"}, "w/types is neither"},
		{[]string{"w"}, "it is called"},
		{[]string{"nowhere", "nowhere/entities"}, "no world directory"},
		{[]string{"w", "w/entities", "-o", "cover=/srv"}, "not the same directory"},
	} {
		out, code := up.try(helper, c.args...)
		require.Equal(t, 1, code, out)
		require.Contains(t, out, c.says)
	}
	up.run(helper, "-f", "w", "w/entities")
	require.False(t, b.mounted())

	require.Empty(t, up.run(helper, "w", "w/entities", "-sn", "-t", "worldfs", "-o", "rw,nosuid,nodev,_netdev,nofail,x-systemd.automount,colour=red"))
	require.True(t, b.mounted())
	require.Len(t, b.names("entities"), 20)
	pid := b.record().Pid
	up.run(helper, "w", "w/entities")
	require.Equal(t, pid, b.record().Pid, "what is mounted is not mounted again")
	b.run("worldfs", "unmount")

	up.run(helper, "w", "w", "-o", "rw,cover="+b.dir)
	require.Contains(t, up.run("cat", "/proc/self/mounts"), " "+b.dir+" fuse.worldfs ")
	up.run("worldfs", "-C", "w", "unmount")
}

// mount(8) itself, by hand and by fstab, and umount(8), which knows nothing of us.
// The helper stands where mount(8) looks for it only in a mount namespace of the
// test's own.
func TestMountAndUmount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts by mount(8)")
	}
	b := small(t)
	names := b.names("entities")
	b.run("mkdir", b.path("../sbin"))
	b.run("ln", "-s", binary, b.path("../sbin/mount.worldfs"))
	b.write("../fstab", b.dir+" "+b.path("entities")+" worldfs noauto,nofail,x-systemd.idle-timeout=60 0 0\n")
	for _, how := range []string{
		"mount -t worldfs -o nosuid,noatime . entities",
		"mount -T ../fstab entities",
	} {
		script := "mount -t overlay -o lowerdir=../sbin:/usr/sbin worldfs-test /usr/sbin\n" + how + `
			grep -q "$PWD/entities fuse.worldfs" /proc/self/mounts
			trap 'umount -l entities' EXIT
			while "$2" status --json | grep -q '"warming":true'; do sleep 0.01; done # it reads ahead
			sed -i '0,/"/s//"by mount /' "entities/$1"
			umount entities
			trap - EXIT
			while [ -e .worldfs/daemon.json ]; do sleep 0.01; done`
		b.run("unshare", "--mount", "sh", "-euc", script, "sh", names[0], binary)
		require.Equal(t, names, b.names("entities"), how)
		require.Contains(t, b.read("entities/"+names[0]), `"by mount `, how)
	}
	require.Equal(t, 2, strings.Count(b.read("entities/"+names[0]), "by mount"))
}

// What a service manager does: start, wait for readiness, stop by SIGTERM
// although somebody uses the mount.
func TestServiceIsReadyAndStops(t *testing.T) {
	b := small(t)
	path := b.path("../notify")
	notify, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	defer notify.Close()
	cmd := exec.Command(binary, "-C", b.dir, "mount", "--foreground")
	cmd.Env = append(b.env, "NOTIFY_SOCKET="+path)
	require.NoError(t, cmd.Start())
	defer cmd.Process.Kill()
	require.NoError(t, notify.SetReadDeadline(time.Now().Add(time.Minute)))
	buf := make([]byte, 64)
	n, err := notify.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "READY=1", string(buf[:n]))
	name := "entities/" + b.names("entities")[0]
	open, err := os.OpenFile(b.path(name), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	defer open.Close()
	_, err = open.WriteString("\r\n")
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
	require.False(t, b.mounted())
	require.Contains(t, b.read(name), "\r\n")
	require.Len(t, b.names("entities"), 20)
}
