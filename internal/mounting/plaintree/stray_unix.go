//go:build unix

package plaintree

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/storage/osfile"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// readStray reads a file that may be an entity's text.
func readStray(dir, at string) (s cache.Stray, err error) {
	file, err := os.OpenFile(filepath.Join(dir, at), os.O_RDONLY|osfile.NoFollow|osfile.NoWait, 0)
	if err != nil {
		return s, err
	}
	defer file.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &st); err != nil {
		return s, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink > 1 || st.Size > cache.MaxFileSize {
		return s, errNoStray
	}
	s.Layout, s.ID, _ = layout.Of(at)
	mtime, ctime := time.Unix(st.Mtim.Unix()), time.Unix(st.Ctim.Unix())
	s.Attr = cache.Attr{Mode: uint32(st.Mode) & 0o7777, UID: st.Uid, GID: st.Gid, Mtime: mtime, Ctime: ctime, Atime: mtime}
	s.Text, err = io.ReadAll(file)
	return s, err
}
