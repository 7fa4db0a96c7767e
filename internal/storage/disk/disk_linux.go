package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func rename(from, to string) error { return os.Rename(from, to) }

// RemoveAll is os.RemoveAll.
func RemoveAll(path string) error { return os.RemoveAll(path) }

func renameNew(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}

func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	return errors.Join(err, f.Close())
}

func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}

func syncFileSystem(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = unix.Syncfs(int(f.Fd()))
	return errors.Join(err, f.Close())
}

// allocate gives a file so many bytes of the disk, which stay its own.
func allocate(f *os.File, size int64) error {
	for {
		if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != unix.EINTR {
			return err
		}
	}
}

// HasRoom reports whether a directory's file system has so much room left. One that
// says of no inodes how many there may be has enough.
func HasRoom(dir string, bytes, inodes int64) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return false
	}
	return int64(st.Bavail) > bytes/int64(st.Bsize) && (st.Files == 0 || int64(st.Ffree) > inodes)
}

// ordinaryOnly are the flags of open that follow no symlink and wait for no pipe.
const ordinaryOnly = unix.O_NOFOLLOW | unix.O_NONBLOCK
