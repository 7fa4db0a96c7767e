package fuseconn

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

// Mount says how a filesystem is mounted.
type Mount struct {
	Dir     string   // the mountpoint
	Source  string   // what /proc/mounts calls it
	Type    string   // and what kind of FUSE filesystem
	MaxRead int      // how many bytes the kernel may ask for at once
	Options []string // default_permissions, allow_other, ...
}

// Connect mounts a filesystem, without set-user-ID programs and devices, and
// returns the connection on which the kernel asks about it. No process that this
// one starts inherits it: the mount of a process that was killed would hang for
// as long as its child lives.
//
// Root mounts by itself where it may, other users through fusermount3.
func Connect(m Mount) (*os.File, error) {
	if os.Geteuid() == 0 {
		if f, err := mountDirectly(m); err == nil {
			return f, nil
		}
	}
	return mountByHelper(m)
}

func mountDirectly(m Mount) (*os.File, error) {
	var st unix.Stat_t
	if err := unix.Stat(m.Dir, &st); err != nil {
		return nil, &os.PathError{Op: "stat", Path: m.Dir, Err: err}
	}
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/dev/fuse", Err: err}
	}
	options := append([]string{
		fmt.Sprintf("fd=%d", fd),
		fmt.Sprintf("rootmode=%o", st.Mode&unix.S_IFMT),
		fmt.Sprintf("user_id=%d", os.Geteuid()),
		fmt.Sprintf("group_id=%d", os.Getegid()),
		fmt.Sprintf("max_read=%d", m.MaxRead),
	}, m.Options...)
	err = unix.Mount(m.Source, m.Dir, "fuse."+m.Type, unix.MS_NOSUID|unix.MS_NODEV, strings.Join(options, ","))
	if err != nil {
		_ = unix.Close(fd)
		return nil, &os.PathError{Op: "mount", Path: m.Dir, Err: err}
	}
	return os.NewFile(uintptr(fd), "/dev/fuse"), nil
}

// commEnv names the descriptor on which fusermount3 hands over the connection.
const commEnv = "_FUSE_COMMFD"

func mountByHelper(m Mount) (*os.File, error) {
	helper, err := mounts.Fusermount()
	if err != nil {
		return nil, err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	defer theirs.Close()
	options := append([]string{
		"nosuid", "nodev", "fsname=" + m.Source, "subtype=" + m.Type, fmt.Sprintf("max_read=%d", m.MaxRead),
	}, m.Options...)
	cmd := exec.Command(helper, "-o", strings.Join(options, ","), "--", m.Dir)
	cmd.Env = append(os.Environ(), commEnv+"=3")
	cmd.ExtraFiles = []*os.File{theirs}
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", helper, err, strings.TrimSpace(string(out)))
	}
	return receive(ours)
}

func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "socketpair"), os.NewFile(uintptr(fds[1]), "socketpair"), nil
}

// receive takes the one descriptor that was sent through a socket.
func receive(socket *os.File) (*os.File, error) {
	data, control := make([]byte, 4), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(int(socket.Fd()), data, control, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("recvmsg", err)
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil {
		return nil, os.NewSyscallError("recvmsg", err)
	}
	for _, message := range messages {
		if fds, err := unix.ParseUnixRights(&message); err == nil && len(fds) == 1 {
			return os.NewFile(uintptr(fds[0]), "/dev/fuse"), nil
		}
	}
	return nil, errors.New("fusermount3 has sent no connection to the kernel")
}
