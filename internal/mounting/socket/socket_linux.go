package socket

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// isOwn reports whether the process at the other end is of this user, or root's.
func isOwn(conn *net.UnixConn) bool {
	uid, err := peer(conn)
	return err == nil && (uid == 0 || int(uid) == os.Geteuid())
}

// peer returns the user at the other end.
func peer(conn *net.UnixConn) (uid uint32, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var optErr error
	err = raw.Control(func(fd uintptr) {
		cred, optErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err = errors.Join(err, optErr); err != nil {
		return 0, err
	}
	return cred.Uid, nil
}
