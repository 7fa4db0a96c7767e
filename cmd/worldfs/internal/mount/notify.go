package mount

import (
	"errors"
	"net"
	"os"
)

// notifySystemd tells a service manager that waits for it that the mount can be
// used (see sd_notify(3)).
func notifySystemd() error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return err
	}
	_, err = conn.Write([]byte("READY=1"))
	return errors.Join(err, conn.Close())
}
