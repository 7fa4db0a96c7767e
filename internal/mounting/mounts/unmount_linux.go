package mounts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

// CheckFUSE returns an error that says why this process cannot mount, if it cannot.
func CheckFUSE() error {
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no /dev/fuse: FUSE is not available (try modprobe fuse; in a container, --device /dev/fuse)")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("/dev/fuse may not be opened by you: mounting with FUSE is not allowed here")
	case err != nil:
		return fmt.Errorf("FUSE is not available: %w", err)
	}
	f.Close()
	if os.Geteuid() == 0 {
		return nil
	}
	_, err = Fusermount()
	return err
}

// Fusermount returns the program by which users other than root mount and unmount.
func Fusermount() (string, error) {
	for _, name := range []string{"fusermount3", "fusermount"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("fusermount3 is not installed, by which users mount (it is in the package fuse3)")
}

// Unmount takes the mount at dir away. The error is EBUSY while something is open in
// it or stands in it.
func Unmount(dir string) error {
	if os.Geteuid() == 0 {
		return unix.Unmount(dir, unix.UMOUNT_NOFOLLOW)
	}
	return fusermount("-u", "--", dir)
}

// Detach takes the mount at dir out of the tree at once; what is open in it stays
// until it is closed. Several processes may detach a dead mount: for the one that
// finds nothing mounted another has done it, which is no error.
func Detach(dir string) error {
	err := unix.Unmount(dir, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
	if errors.Is(err, unix.EINVAL) && !Mounted(dir) {
		return nil
	}
	if errors.Is(err, unix.EPERM) {
		return fusermount("-u", "-z", "--", dir)
	}
	return err
}

// fusermount runs the setuid program, which says why not in words only.
func fusermount(args ...string) error {
	program, err := Fusermount()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if strings.Contains(string(out), "busy") {
		return unix.EBUSY
	}
	return fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(string(out)))
}
