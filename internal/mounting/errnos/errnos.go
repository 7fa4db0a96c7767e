// Package errnos says which errno an error is to the program that made the call.
//
// It guarantees that what the operating system said reaches the program as it was.
package errnos

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/worldfs/worldfs/cache"
)

// table says which errno each kind of error is to the program that made the
// call. The first that fits counts.
var table = []struct {
	err   error
	errno syscall.Errno
}{
	{cache.ErrTooLarge, syscall.EFBIG},
	{fs.ErrNotExist, syscall.ENOENT},
	{fs.ErrExist, syscall.EEXIST},
	{fs.ErrPermission, syscall.EPERM},
	{fs.ErrInvalid, syscall.EINVAL},
	{errors.ErrUnsupported, syscall.ENOTSUP},
}

// Of translates an error. What the operating system said is passed on as
// it was (a full disk is ENOSPC to the writer); what nothing is known of
// is EIO.
func Of(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	var errno syscall.Errno
	if errors.As(err, &errno) && errno != 0 {
		return errno
	}
	for _, e := range table {
		if errors.Is(err, e.err) {
			return e.errno
		}
	}
	return syscall.EIO
}
