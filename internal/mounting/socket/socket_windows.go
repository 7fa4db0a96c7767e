package socket

import "net"

// isOwn reports whether the process at the other end is of this user: the socket lies in a
// directory that no other user may enter.
func isOwn(*net.UnixConn) bool { return true }
