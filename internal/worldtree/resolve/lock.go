package resolve

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// Lock has one process at a time resolve in a world directory, from Open to Apply: each
// tells what a person has edited from what resolve wrote by what it has read. It waits for
// another. What is locked is the directory itself, which can be where nothing can be
// written; while a person is asked, it is not.
func Lock(root string, note func(string)) (unlock func(), err error) {
	f, err := os.Open(root)
	if err != nil {
		return nil, err
	}
	if err = flock(f, unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		note("another worldfs resolve is at work here: this one waits until it has ended")
		err = flock(f, unix.LOCK_EX)
	}
	if err != nil && !disk.IsUnsupported(err) {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", root, err)
	}
	return func() { f.Close() }, nil
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
