package fsnode

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// keepConnection sees to it that no process that this one starts inherits the
// connection to the kernel: go-fuse opens it so when it mounts as root, and the
// mount of a process that was killed would hang for as long as its child lives.
func keepConnection() error {
	const dir = "/proc/self/fd/"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("keep the connection to the kernel: %w", err)
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if to, err := os.Readlink(dir + e.Name()); err == nil && to == "/dev/fuse" {
			unix.CloseOnExec(n)
		}
	}
	return nil
}
