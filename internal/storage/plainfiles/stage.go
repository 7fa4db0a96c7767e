package plainfiles

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/support/parallel"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// stagedFile is a file that is written and has not got its name yet.
type stagedFile struct {
	id         entity.ID
	temp, path string
	hash       [32]byte
	mode       uint32
}

// Files are given their names so many at a time. Up to a few are made durable
// one by one; for more the whole file system is asked at once.
const (
	maxStaged = 4096
	syncEach  = 16
)

// beginStaging removes what a writer that was killed has left, or a repository
// brought. In the directory each core has one of its own: the kernel makes one file
// at a time in a directory.
func (p *Writer) beginStaging() error {
	p.staging = filepath.Join(p.Dir, worlddir.StagingName)
	return disk.RemoveAll(p.staging)
}

// endStaging ends the writing of files: what is on its way to its name arrives,
// and what is not is dropped.
func (p *Writer) endStaging(err error) error {
	err = cmp.Or(p.awaitNames(), err)
	_ = disk.RemoveAll(p.staging) // the first error is the one to tell
	if err != nil {
		err = fmt.Errorf("write plain files: %w", err)
	}
	return err
}

// stageFile is stage, which makes the directory for it where that is missing.
func stageFile(path string, text []byte, attr fileattr.Attr) error {
	err := stage(path, text, attr)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = stage(path, text, attr)
		}
	}
	return err
}

// stage makes a file anew, whatever stood there: it follows no symlink. Its owner
// may read and write it until it has its name, since it is opened once more.
func stage(path string, text []byte, attr fileattr.Attr) error {
	f, err := createFile(path)
	if errors.Is(err, fs.ErrExist) {
		if err = os.Remove(path); err == nil {
			f, err = createFile(path)
		}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Chmod(fs.FileMode(attr.Mode&0o777|stagedMode)), f.Close(), fileattr.SetMtime(path, attr.Mtime))
}

// stagedMode is what a staged file's mode has besides its own.
const stagedMode = 0o600

// naming is files on the way to their names.
type naming struct {
	files  []stagedFile
	stamps []state.Stamp
	named  []bool
	err    error
	done   chan struct{} // closed when all of this is there
}

// place gives what is staged its names, while others are staged.
func (p *Writer) place() error {
	if err := p.awaitNames(); err != nil || len(p.staged) == 0 {
		return err
	}
	if err := p.beginFirst(); err != nil {
		return err
	}
	n := &naming{files: p.staged, done: make(chan struct{})}
	n.stamps, n.named = make([]state.Stamp, len(n.files)), make([]bool, len(n.files))
	p.staged, p.naming = nil, n
	go func() {
		defer close(n.done)
		n.err = p.giveNames(n)
	}()
	return nil
}

// awaitNames returns when what was placed last has its names.
func (p *Writer) awaitNames() error {
	n := p.naming
	if n == nil {
		return nil
	}
	<-n.done
	p.naming = nil
	for i, f := range n.files { // beside an error, too
		if n.named[i] {
			p.Stamps[f.id] = n.stamps[i]
			p.named = append(p.named, f.id)
			p.Written++
		}
	}
	return n.err
}

func (p *Writer) giveNames(n *naming) error {
	if err := p.syncStaged(n.files); err != nil {
		return err
	}
	return parallel.Do(len(n.files), func(_, from, to int) (err error) {
		for i := from; i < to && err == nil; i++ {
			n.stamps[i], err = p.name(n.files[i])
			n.named[i] = err == nil
		}
		return err
	})
}

// name gives a staged file its name and returns what it is known by from now on.
func (p *Writer) name(f stagedFile) (now state.Stamp, err error) {
	if f.mode|stagedMode != f.mode {
		if err := os.Chmod(f.temp, fs.FileMode(f.mode)); err != nil {
			return now, err
		}
	}
	err = p.rename(f)
	if errors.Is(err, fs.ErrNotExist) && p.Layout.Sharded() {
		if err = os.Mkdir(filepath.Dir(f.path), 0o777); err == nil || errors.Is(err, fs.ErrExist) {
			err = p.rename(f)
		}
	}
	if err != nil {
		return now, err
	}
	stamp, err := fileattr.StampFile(f.path)
	if err != nil {
		return now, err
	}
	return state.StampOf(stamp, time.Now(), f.hash), nil
}

func (p *Writer) rename(f stagedFile) error {
	return p.Disk.Rename("plain file", f.temp, f.path)
}

// syncStaged makes what is staged durable. Copies for another directory need not be.
func (p *Writer) syncStaged(staged []stagedFile) error {
	if !p.Own {
		return nil
	}
	disk := p.Disk
	if len(staged) > syncEach {
		return disk.SyncFileSystem("plain files", p.Dir)
	}
	for _, f := range staged {
		if err := disk.SyncFile("plain file", f.temp); err != nil {
			return err
		}
	}
	return nil
}

// SyncNames makes the names durable of what was written and of what is gone. The
// file system is asked as a whole only for many shards: one that is a server of
// its own never hears of that.
func (p *Writer) SyncNames(gone []entity.ID) error {
	disk := p.Disk
	dirs := map[string]bool{p.Dir: true}
	for _, id := range slices.AppendSeq(slices.Clip(gone), maps.Keys(p.Stamps)) {
		dirs[filepath.Dir(filepath.Join(p.Dir, p.Layout.Path(id)))] = true
	}
	if len(dirs) > syncEach {
		return disk.SyncFileSystem("plain files", p.Dir)
	}
	for dir := range dirs {
		if err := disk.SyncDir("plain files", dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
