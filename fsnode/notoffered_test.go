package fsnode_test

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What the kernel has no request of FUSE for is refused in a way that programs know, and
// changes nothing.
func TestWhatScratchDoesNotOfferIsRefused(t *testing.T) {
	r := newRig(t, 1)
	r.write("scratch", "text")
	f, err := os.OpenFile(r.path("scratch"), os.O_RDWR, 0)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, f.Truncate(16384))
	for name, mode := range map[string]uint32{"collapse": unix.FALLOC_FL_COLLAPSE_RANGE, "insert": unix.FALLOC_FL_INSERT_RANGE, "unshare": unix.FALLOC_FL_UNSHARE_RANGE} {
		require.ErrorIs(t, unix.Fallocate(int(f.Fd()), mode, 4096, 4096), syscall.EOPNOTSUPP, name)
	}
	for _, mode := range []uint32{0, unix.FALLOC_FL_KEEP_SIZE, unix.FALLOC_FL_KEEP_SIZE | unix.FALLOC_FL_PUNCH_HOLE, unix.FALLOC_FL_ZERO_RANGE} {
		require.NoError(t, unix.Fallocate(int(f.Fd()), mode, 4096, 4096), mode)
	}
	var flags int
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), unix.FS_IOC_GETFLAGS, uintptr(unsafe.Pointer(&flags)))
	require.Equal(t, syscall.ENOTTY, errno, "the flags that lsattr shows")
	const fiemap = 0xc020660b
	var extents [32]byte
	_, _, errno = unix.Syscall(unix.SYS_IOCTL, f.Fd(), fiemap, uintptr(unsafe.Pointer(&extents)))
	require.Contains(t, []syscall.Errno{syscall.EOPNOTSUPP, syscall.ENOTTY}, errno, "the extents that filefrag shows")
	info, err := f.Stat()
	require.NoError(t, err)
	require.EqualValues(t, 16384, info.Size())
}
