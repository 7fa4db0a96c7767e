package errnos_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/errnos"
	"github.com/worldfs/worldfs/internal/storage/disk"
)

func TestErrorsBecomeWhatProgramsExpect(t *testing.T) {
	for _, c := range []struct {
		err  error
		want syscall.Errno
	}{
		{nil, 0},
		{fs.ErrNotExist, syscall.ENOENT},
		{fmt.Errorf("look up 6555: %w", fs.ErrNotExist), syscall.ENOENT},
		{fs.ErrExist, syscall.EEXIST},
		{fs.ErrPermission, syscall.EPERM},
		{fs.ErrInvalid, syscall.EINVAL},
		{errors.ErrUnsupported, syscall.ENOTSUP},
		{cache.ErrTooLarge, syscall.EFBIG},
		{fmt.Errorf("write: %w", cache.ErrTooLarge), syscall.EFBIG},
		{syscall.ENOSPC, syscall.ENOSPC},
		{&os.PathError{Op: "write", Path: "state.db", Err: syscall.ENOSPC}, syscall.ENOSPC},
		{&disk.StepError{Step: "fsync pack", Path: "world.pack", Err: syscall.EIO}, syscall.EIO},
		{fmt.Errorf("commit: %w", os.NewSyscallError("fdatasync", syscall.EDQUOT)), syscall.EDQUOT},
		{errors.Join(syscall.EROFS, errors.New("and more")), syscall.EROFS},
		{syscall.Errno(0), syscall.EIO},
		{io.ErrUnexpectedEOF, syscall.EIO},
		{errors.New("database not open"), syscall.EIO},
	} {
		require.Equal(t, c.want, errnos.Of(c.err), "%v", c.err)
	}
}
