package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/layout"
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
	stageMost = 4096
	syncEach  = 16
)

// dropStaged ends the writing of files.
func (p *plainWriter) dropStaged(err error) error {
	for _, f := range p.staged {
		_ = os.Remove(f.temp) // the first error is the one to tell
	}
	if err != nil {
		err = fmt.Errorf("write plain files: %w", err)
	}
	return err
}

// stage makes a file anew, whatever stood there: it follows no symlink. Its owner
// may read and write it until it has its name, since it is opened once more.
func stage(path string, text []byte, attr Attr) error {
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
	return errors.Join(err, f.Chmod(fs.FileMode(attr.Mode&0o777|stagedMode)), f.Close(), os.Chtimes(path, attr.Mtime, attr.Mtime))
}

// stagedMode is what a staged file's mode has besides its own.
const stagedMode = 0o600

// place gives what is staged its names.
func (p *plainWriter) place() error {
	if err := p.syncStaged(); err != nil {
		return err
	}
	staged := p.staged
	if len(staged) > 0 {
		if err := p.begin(); err != nil {
			return err
		}
	}
	stamps := make([]stamp, len(staged))
	named := make([]int, partsOf(len(staged)))
	err := inParts(len(staged), func(part, from, to int) (err error) {
		for i := from; i < to && err == nil; i++ {
			if stamps[i], err = p.name(staged[i]); err == nil {
				named[part]++
			}
		}
		return err
	})
	p.staged = nil
	for part, n := range named { // beside an error, too
		at := part * len(staged) / len(named)
		for i, f := range staged[at : (part+1)*len(staged)/len(named)] {
			if i < n {
				p.stamps[f.id] = stamps[at+i]
				p.written++
			} else {
				p.staged = append(p.staged, f)
			}
		}
	}
	return err
}

// name gives a staged file its name and returns what it is known by from now on.
func (p *plainWriter) name(f stagedFile) (now stamp, err error) {
	if f.mode|stagedMode != f.mode {
		if err := os.Chmod(f.temp, fs.FileMode(f.mode)); err != nil {
			return now, err
		}
	}
	if err := p.view.world.disk.Rename("plain file", f.temp, f.path); err != nil {
		return now, err
	}
	var st unix.Stat_t
	if err := unix.Lstat(f.path, &st); err != nil {
		return now, &fs.PathError{Op: "lstat", Path: f.path, Err: err}
	}
	return stampOf(fileStampOf(&st), time.Now(), f.hash), nil
}

// syncStaged makes what is staged durable. Copies for somebody else need not be.
func (p *plainWriter) syncStaged() error {
	if !p.own || len(p.staged) == 0 {
		return nil
	}
	disk := p.view.world.disk
	if len(p.staged) > syncEach {
		return disk.SyncFileSystem("plain files", p.dir)
	}
	for _, f := range p.staged {
		if err := disk.SyncFile("plain file", f.temp); err != nil {
			return err
		}
	}
	return nil
}

// syncNames makes the names durable of what was written and of what is gone. The
// file system is asked as a whole only for many shards: one that is a server of
// its own never hears of that.
func (p *plainWriter) syncNames(gone []entity.ID) error {
	disk := p.view.world.disk
	dirs := map[string]bool{p.dir: true}
	for _, id := range slices.AppendSeq(slices.Clip(gone), maps.Keys(p.stamps)) {
		dirs[filepath.Dir(filepath.Join(p.dir, p.layout.Path(id)))] = true
	}
	if len(dirs) > syncEach {
		return disk.SyncFileSystem("plain files", p.dir)
	}
	for dir := range dirs {
		if err := disk.SyncDir("plain files", dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeTorn removes what a writer that was killed has left in dir.
func removeTorn(dir string, l layout.Layout) {
	pattern := ".*" + layout.Suffix + ".tmp"
	if l.Sharded() {
		pattern = filepath.Join(strings.Repeat("[0-9]", int(l)), pattern)
	}
	left, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is a good one
	for _, path := range left {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "."), ".tmp")
		if _, ours := layout.ParseFileName(name); ours {
			_ = os.Remove(path) // it is in nobody's way
		}
	}
}
