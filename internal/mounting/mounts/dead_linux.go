package mounts

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// silence is how long a mount may take to answer.
const silence = 3 * time.Second

// Probe asks a mount whether its daemon lives: by statfs, which the kernel never
// answers from its cache. What is no mount is Alive.
func Probe(dir string) State {
	answer := make(chan error, 1)
	go func() { answer <- unix.Statfs(dir, new(unix.Statfs_t)) }()
	select {
	case err := <-answer:
		if errors.Is(err, unix.ENOTCONN) || errors.Is(err, unix.ECONNABORTED) {
			return Dead
		}
		return Alive
	case <-time.After(silence):
		return Silent
	}
}

// ClearDead detaches the mount at dir if its daemon has died, so that what is
// underneath can be reached again. It reports whether it did; any other directory is
// left alone.
func ClearDead(dir string) (cleared bool, err error) {
	if Probe(dir) != Dead {
		return false, nil
	}
	if err := Detach(dir); err != nil {
		return false, fmt.Errorf("take away a dead mount: %w", err)
	}
	return true, nil
}

// Clear returns when nothing is mounted at dir. It detaches dead mounts and worlds
// that do not answer, and waits for a while for what is alive to go: the kernel gives
// up the mount of a daemon that was killed a moment after its locks.
func Clear(dir string, wait time.Duration) error {
	for start := time.Now(); Mounted(dir); {
		switch state := Probe(dir); {
		case state == Dead || state == Silent && At(dir).Type == Type:
			if err := Detach(dir); err != nil {
				return fmt.Errorf("take away a dead mount: %w", err)
			}
		case time.Since(start) < wait:
			time.Sleep(30 * time.Millisecond)
		default:
			return fmt.Errorf("%s: a file system (%s) is mounted there that is not this world's; unmount it first", dir, At(dir).Type)
		}
	}
	return nil
}

// Abort ends the kernel's connection to the daemon of the world that is mounted at
// dir: every request that waits for an answer fails.
//
// A daemon that is killed while it tells the kernel of a changed name, just as some
// program waits for its answer about that directory, cannot end: its thread waits in
// the kernel for the directory's lock, which that program has, and until it ends the
// kernel takes the mount to be served. Its locks and its socket stay open, too. This
// lets both go on.
func Abort(dir string) {
	m := At(dir)
	if m.Type != Type {
		return
	}
	_, minor, _ := strings.Cut(m.Device, ":")
	// It is the owner's to write, where it is mounted; and root can do it
	// without. If neither can be, the world stays in use, which is told.
	err := os.WriteFile("/sys/fs/fuse/connections/"+minor+"/abort", []byte("1"), 0)
	if err != nil {
		_ = unix.Unmount(dir, unix.MNT_FORCE|unix.UMOUNT_NOFOLLOW)
	}
}
