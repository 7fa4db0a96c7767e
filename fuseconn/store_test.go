package fuseconn

import (
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A file that nobody can read who asks for it.
const (
	fileName = "file"
	fileNode = 2
	fileSize = 5000 // bytes: two pages
)

// fileOut is the file's number and attributes, good for an hour (fuse_entry_out).
func fileOut() []byte {
	b := make([]byte, 40, 128)
	binary.NativeEndian.PutUint64(b, fileNode)
	binary.NativeEndian.PutUint64(b[16:], 3600)
	binary.NativeEndian.PutUint64(b[24:], 3600)
	return append(b, attr(fileNode, fileSize, unix.S_IFREG|0o644, 1)...)
}

// TestTheKernelHasWhatItIsHanded reads a file that the filesystem answers no
// question about but what it is called and how large it is.
func TestTheKernelHasWhatItIsHanded(t *testing.T) {
	dir, s := mounted(t, func(string) {})
	path := filepath.Join(dir, fileName)
	require.Error(t, exec.Command("cat", path).Run(), "it cannot be read yet")
	store := s.NewStore()
	for _, first := range []byte("ab") {
		want := make([]byte, fileSize)
		for i := range want {
			want[i] = first + byte(i%7)
		}
		require.NoError(t, store.Put(fileNode, want))
		got, err := exec.Command("cat", path).Output()
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
	require.NoError(t, store.Put(fileNode, nil))
	require.ErrorIs(t, store.Put(fileNode+1, []byte("x")), unix.ENOENT, "a file that the kernel does not know")
}

func TestNothingIsHandedToAMountThatIsGone(t *testing.T) {
	var s *Server
	t.Run("mounted", func(t *testing.T) { _, s = mounted(t, func(string) {}) })
	require.ErrorIs(t, s.NewStore().Put(fileNode, []byte("x")), unix.ENODEV)
}
