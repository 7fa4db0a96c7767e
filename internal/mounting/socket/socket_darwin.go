package socket

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// isOwn reports whether the process at the other end is of this user, or root's.
func isOwn(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	var cred *unix.Xucred
	var optErr error
	err = raw.Control(func(fd uintptr) {
		cred, optErr = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	})
	return err == nil && optErr == nil && (cred.Uid == 0 || int(cred.Uid) == os.Geteuid())
}
