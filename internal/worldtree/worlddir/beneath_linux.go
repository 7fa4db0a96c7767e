package worlddir

import (
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// Beneath returns the same directory by a descriptor that is opened now: a
// mount that covers it later does not stand in the way of what is done to the
// returned one. It stays open until release is called.
func (d *Dir) Beneath() (beneath *Dir, release func(), err error) {
	fd, err := unix.Open(d.Root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open world directory %s: %w", d.Root, err)
	}
	same := *d
	plain := d.WantsPlain() // version control lies above, where the mount will be
	same.Settings.Plain = &plain
	same.beneath = "/proc/self/fd/" + strconv.Itoa(fd)
	return &same, func() { _ = unix.Close(fd) }, nil
}
