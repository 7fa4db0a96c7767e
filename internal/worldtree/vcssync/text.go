package vcssync

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"os"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// hasText reports whether a file has the text that svn had of it.
func (t *svnSync) hasText(d Deletion) bool {
	text, err := os.ReadFile(t.path(d.Name))
	sum := sha1.Sum(text)
	return err == nil && d.Base == hex.EncodeToString(sum[:])
}

// writeBack has a file have a text, in one step, unless it has that.
func writeBack(path string, text []byte) error {
	was, err := os.ReadFile(path)
	if err != nil || bytes.Equal(was, text) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	beside := disk.Beside(path, "vcs")
	if err := disk.WriteSoon(beside, text, info.Mode().Perm()); err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return os.Rename(beside, path)
}
