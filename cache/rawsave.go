package cache

import "github.com/worldfs/worldfs/internal/storage/fileattr"

// wasRead reports whether the file was read since it was written, as far as
// its atime tells (the kernel sets it at the first reading after a change;
// where the file system has none, the answer is no). We read packs without it.
func wasRead(path string) bool {
	st, err := fileattr.Lstat(path)
	return err == nil && st.Atime.Nano() > st.Mtime.Nano()
}
