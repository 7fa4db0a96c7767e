package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/fileattr"
	"github.com/worldfs/worldfs/layout"
)

// plainFile is a file in a directory of plain files that has the name of an
// entity's.
type plainFile struct {
	id        entity.ID
	path      string // in the directory, with slashes
	misplaced bool   // it is not where the layout puts the entity

	is   fileattr.Stamp
	mode uint32 // its permissions
	err  error  // why neither is known
}

// errNoFile is why a symlink, a directory or the like is not read as an entity.
var errNoFile = errors.New("it is not an ordinary file (symlinks are not followed)")

// namesTogether is how many names are looked at by one core at a time.
const namesTogether = 256

// listPlain returns the files in dir, and in what are shards in some layout,
// that have the name of an entity's. A directory that is not there has none.
func listPlain(dir string, l layout.Layout) (files []plainFile, err error) {
	err = walkPlain(dir, l, func(_ int, f plainFile) { files = append(files, f) })
	return files, err
}

// walkPlain is listPlain where each of look has some of the files, at the same
// time as the others, and the directory's descriptor. The directory is read
// meanwhile: what a file is takes the kernel twice as long to say as what its name
// is.
func walkPlain(dir string, l layout.Layout, look ...func(dir int, f plainFile)) error {
	d, err := open(unix.AT_FDCWD, dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("read plain files: %w", err)
	}
	defer d.Close()
	p := plainWalk{dir: int(d.Fd()), layout: l, names: make(chan plainNames, 256)}
	var looking sync.WaitGroup
	errs := make([]error, len(look))
	for i, f := range look {
		looking.Go(func() { errs[i] = p.lookAtAll(f) })
	}
	err = p.readAll(d)
	close(p.names)
	looking.Wait()
	if err := errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("read plain files: %w", err)
	}
	return nil
}

// plainWalk goes through a directory of plain files.
type plainWalk struct {
	dir    int // open
	layout layout.Layout
	names  chan plainNames
}

// plainNames are some of the names in a directory.
type plainNames struct {
	in    string // the shard, "" for none
	names []string
}

func (p *plainWalk) readAll(d *os.File) error {
	var shards []string
	err := p.read(d, "", func(name string) {
		if layout.IsShard(name) {
			shards = append(shards, name)
		}
	})
	for _, shard := range shards {
		if err == nil {
			err = p.readShard(shard)
		}
	}
	return err
}

func (p *plainWalk) readShard(name string) error {
	d, err := open(p.dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil // it only has the name of one
	} else if err != nil {
		return err
	}
	defer d.Close()
	return p.read(d, name, func(string) {})
}

// read has the names in a directory looked at, and calls also for each.
func (p *plainWalk) read(d *os.File, in string, also func(name string)) error {
	for {
		names, err := d.Readdirnames(namesTogether)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		p.names <- plainNames{in, names}
		for _, name := range names {
			also(name)
		}
	}
}

// lookAtAll calls do for files until there are no more names. It opens the
// directory once more: two cores that go by one descriptor take turns to count
// that they use it.
func (p *plainWalk) lookAtAll(do func(int, plainFile)) error {
	d, err := open(p.dir, ".", unix.O_RDONLY|unix.O_DIRECTORY)
	if err == nil {
		defer d.Close()
	}
	for n := range p.names { // also where nobody can look: who reads them waits for it
		if err == nil {
			p.look(int(d.Fd()), n, do)
		}
	}
	return err
}

// look calls do for those of the names that are entities' files'. What is asked
// from the directory's descriptor needs no walk to it.
func (p *plainWalk) look(dir int, n plainNames, do func(int, plainFile)) {
	for _, name := range n.names {
		id, ok := layout.ParseFileName(name)
		if !ok {
			continue
		}
		f := plainFile{id: id, path: name, misplaced: !p.layout.IsIn(n.in, id)}
		if n.in != "" {
			f.path = n.in + "/" + name
		}
		var st unix.Stat_t
		if err := unix.Fstatat(dir, f.path, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			f.err = &fs.PathError{Op: "lstat", Path: f.path, Err: err}
		} else if st.Mode&unix.S_IFMT != unix.S_IFREG { // in the place of a file, which is no deletion
			f.err = &fs.PathError{Op: "read", Path: f.path, Err: errNoFile}
		}
		f.is, f.mode = fileattr.StampOf(&st), st.Mode&0o777
		do(dir, f)
	}
}

// misplaced returns findings about plain files that have the name of an
// entity's and are none. Those of a world that is mounted are scratch.
func (w *World) misplaced() []entity.Finding {
	if w.isMounted() {
		return nil
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.plainStray
}
