//go:build unix

package plaintree

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// What shows the mode and owner of entities/ in the mount is the scratch
// directory, and so it is with shards. So scratch takes after entities/ before
// the mount, and entities/ after scratch after it.

// resemble gives a directory the mode and owner of another one. Only root can
// give it to another user; otherwise it stays the caller's.
func resemble(path, other string) error {
	var st unix.Stat_t
	if err := unix.Lstat(other, &st); err != nil {
		return &os.PathError{Op: "lstat", Path: other, Err: err}
	}
	err := os.Lchown(path, int(st.Uid), int(st.Gid))
	if err != nil && !errors.Is(err, unix.EPERM) {
		return err
	}
	if err := unix.Chmod(path, uint32(st.Mode)&0o7777); err != nil {
		return &os.PathError{Op: "chmod", Path: path, Err: err}
	}
	return nil
}
