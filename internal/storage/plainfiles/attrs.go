package plainfiles

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// What a file's mode says.
const (
	DefaultMode = 0o644 // permissions of a file whose mode was never set
	OwnerBits   = 0o700 // the permissions that no umask is taken to have removed
)

// Attr is what the world takes over of a plain file beside its bytes.
type Attr struct {
	Mode  uint32 // permissions
	Mtime time.Time
}

// IsModeInStep reports whether a plain file may have the mode have where the
// world says want. One that was never set says nothing about what the umask has
// made of the plain file's.
func IsModeInStep(have, want uint32) bool {
	return have == want || want == DefaultMode && (have^want)&OwnerBits == 0
}

// bringAttrs gives a plain file with the right bytes the mode and the time that its
// entity's file has.
func (p *Writer) bringAttrs(id entity.ID, f EntityFile, path string, st fileattr.Stat, known state.Stamp) error {
	want := f.PlainAttr()
	mode, retime := want.Mode&0o777, !want.Mtime.Equal(st.Mtime.Time())
	if IsModeInStep(st.Perm, mode) {
		if !retime {
			return nil
		}
		mode = st.Perm
	}
	if retime {
		if edited, err := retimeFile(path, want.Mtime, known.Hash); edited || err != nil {
			p.Skipped = append(p.Skipped, id) // the next TakePlain takes it in
			return err
		}
	}
	if mode != st.Perm {
		if err := os.Chmod(path, fs.FileMode(mode)); err != nil {
			return err
		}
	}
	stamp, err := fileattr.StampFile(path)
	if err != nil {
		return err
	}
	now := state.StampOf(stamp, time.Now(), known.Hash)
	now.Base = known.Base
	p.Stamps[id] = now
	return nil
}

// retimeFile sets the mtime of a plain file that holds bytes of this hash. An edit that
// came in between would be hidden by that: then edited is true, and the file shows that
// it has changed.
func retimeFile(path string, mtime time.Time, hash [32]byte) (edited bool, err error) {
	if err := fileattr.SetMtime(path, mtime); err != nil {
		return false, &fs.PathError{Op: "utimensat", Path: path, Err: err}
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrPermission) { // its stamp stays, so the file is looked at again
		return true, nil
	}
	if err != nil || sha256.Sum256(text) == hash {
		return false, err
	}
	return true, fileattr.SetMtime(path, time.Now())
}

// RemoveEmptyShards removes the shards in dir that have nothing in them.
func RemoveEmptyShards(dir string, l layout.Layout) {
	for shard := range l.Shards() {
		_ = os.Remove(filepath.Join(dir, l.ShardName(shard))) // which does nothing to one that has
	}
}
