package realfs

import (
	"bytes"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Only attributes in the user namespace pass through, and of these not the
// number that we put on files. Access lists and security labels would be kept,
// but not obeyed.

const userXattrs = "user."

func visibleXattr(name string) bool { return strings.HasPrefix(name, userXattrs) && name != inoXattr }

// NoXattr is the answer for an attribute that is not there. That a whole
// namespace is not supported, ls remembers for the filesystem: it does not ask
// for a label and an access list of every file.
func NoXattr(name string) error {
	if strings.HasPrefix(name, userXattrs) {
		return unix.ENODATA
	}
	return unix.ENOTSUP
}

// GetXattr returns an extended attribute of the file.
func (d *Desc) GetXattr(name string, dest []byte) (uint32, error) {
	if !visibleXattr(name) {
		return 0, NoXattr(name)
	}
	n, err := unix.Getxattr(d.Magic(), name, dest)
	if err == unix.ERANGE {
		// The caller is told how much it needs.
		n, sizeErr := unix.Getxattr(d.Magic(), name, nil)
		if sizeErr == nil {
			return uint32(n), err
		}
	}
	return uint32(max(n, 0)), err
}

// SetXattr sets an extended attribute of the file.
func (d *Desc) SetXattr(name string, data []byte, flags uint32) error {
	if !visibleXattr(name) {
		return unix.ENOTSUP
	}
	return unix.Setxattr(d.Magic(), name, data, int(flags))
}

// RemoveXattr removes an extended attribute of the file.
func (d *Desc) RemoveXattr(name string) error {
	if !visibleXattr(name) {
		return unix.ENODATA
	}
	return unix.Removexattr(d.Magic(), name)
}

// ListXattr lists the extended attributes that are shown.
func (d *Desc) ListXattr(dest []byte) (uint32, error) {
	buf := make([]byte, 64<<10) // the most that the kernel lists
	n, err := unix.Listxattr(d.Magic(), buf)
	if err != nil {
		return 0, err
	}
	var shown []byte
	for name := range bytes.SplitAfterSeq(buf[:n], []byte{0}) {
		if visibleXattr(string(bytes.TrimSuffix(name, []byte{0}))) {
			shown = append(shown, name...)
		}
	}
	if len(dest) > 0 && len(dest) < len(shown) {
		return uint32(len(shown)), syscall.ERANGE
	}
	copy(dest, shown)
	return uint32(len(shown)), nil
}
