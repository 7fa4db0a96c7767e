package fsnode_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Flags of renameat2 that a mount does not know, or that exclude each other, are refused,
// as by other FUSE file systems, and have no effect, whatever kind the two names are of.
func TestFlagsThatARenameDoesNotKnowAreRefused(t *testing.T) {
	r := newRig(t, 2)
	r.write("a", "scratch a")
	r.write("b", "scratch b")
	names := []string{"1.entity_text", "2.entity_text", "9.entity_text", "a", "b", "free"}
	contents := func() (all []string) {
		for _, name := range names {
			text, err := os.ReadFile(r.path(name))
			if err == nil {
				name += " " + string(text)
			}
			all = append(all, name)
		}
		return all
	}
	before, listed := contents(), r.names()
	for _, flags := range []uint{
		unix.RENAME_WHITEOUT, unix.RENAME_WHITEOUT | unix.RENAME_NOREPLACE, unix.RENAME_WHITEOUT | unix.RENAME_EXCHANGE,
		unix.RENAME_NOREPLACE | unix.RENAME_EXCHANGE, 1 << 3,
	} {
		for _, from := range names {
			for _, to := range names {
				if from == to { // of which the kernel says itself that nothing is to be done
					continue
				}
				err := unix.Renameat2(unix.AT_FDCWD, r.path(from), unix.AT_FDCWD, r.path(to), flags)
				require.Contains(t, []error{syscall.EINVAL, syscall.ENOENT, syscall.EEXIST}, err, "%s to %s, flags %d", from, to, flags)
				require.False(t, err == syscall.EEXIST && flags&unix.RENAME_NOREPLACE == 0)
				require.False(t, err == syscall.ENOENT && from != "9.entity_text" && from != "free" && flags&unix.RENAME_EXCHANGE == 0)
			}
		}
	}
	require.Equal(t, before, contents())
	require.Equal(t, listed, r.names())
}
