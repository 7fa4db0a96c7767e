package plainfiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// File is a file in a directory of plain files that has the name of an
// entity's.
type File struct {
	ID        entity.ID
	Path      string // in the directory, with slashes
	Misplaced bool   // it is not where the layout puts the entity

	Is   fileattr.Stamp
	Mode uint32 // its permissions
	Err  error  // why neither is known
}

// errNoDir is why what has the name of a shard is not read as one.
var errNoDir = errors.New("it is no directory (symlinks are not followed)")

// errNoFile is why a symlink, a directory or the like is not read as an entity.
var errNoFile = errors.New("it is not an ordinary file (symlinks are not followed)")

// namesTogether is how many names are looked at by one core at a time.
const namesTogether = 256

// List returns the files in dir, and in what are shards in some layout,
// that have the name of an entity's. A directory that is not there has none.
func List(dir string, l layout.Layout) (files []File, err error) {
	err = Walk(dir, l, func(_ *Dir, f File) { files = append(files, f) })
	return files, err
}

// Walk is List where each of look has some of the files, at the same
// time as the others, and the directory. The directory is read
// meanwhile: what a file is takes the kernel twice as long to say as what its name
// is.
func Walk(dir string, l layout.Layout, look ...func(dir *Dir, f File)) error {
	d, err := openDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("read plain files: %w", err)
	}
	defer d.close()
	p := walk{dir: d, layout: l, names: make(chan someNames, 256)}
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

// walk goes through a directory of plain files.
type walk struct {
	dir    *Dir
	layout layout.Layout
	names  chan someNames
}

// someNames are some of the names in a directory.
type someNames struct {
	in    string // the shard, "" for none
	names []string
}

func (p *walk) readAll(d *Dir) error {
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

func (p *walk) readShard(name string) error {
	d, err := p.dir.open(name)
	if errors.Is(err, errNoDir) {
		return nil // it only has the name of one
	} else if err != nil {
		return err
	}
	defer d.close()
	return p.read(d, name, func(string) {})
}

// read has the names in a directory looked at, and calls also for each.
func (p *walk) read(d *Dir, in string, also func(name string)) error {
	for {
		names, err := d.names(namesTogether)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		p.names <- someNames{in, names}
		for _, name := range names {
			also(name)
		}
	}
}

// lookAtAll calls do for files until there are no more names. It opens the
// directory once more: two cores that go by one descriptor take turns to count
// that they use it.
func (p *walk) lookAtAll(do func(*Dir, File)) error {
	d, err := p.dir.again()
	if err == nil {
		defer d.close()
	}
	for n := range p.names { // drained after an error, too: the goroutine that lists waits for it
		if err == nil {
			p.look(d, n, do)
		}
	}
	return err
}

// look calls do for those of the names that are entities' files'. What is asked
// from the directory's descriptor needs no walk to it.
func (p *walk) look(dir *Dir, n someNames, do func(*Dir, File)) {
	for _, name := range n.names {
		id, ok := layout.ParseFileName(name)
		if !ok {
			continue
		}
		f := File{ID: id, Path: name, Misplaced: !p.layout.IsIn(n.in, id)}
		if n.in != "" {
			f.Path = n.in + "/" + name
		}
		st, err := dir.lstat(f.Path)
		if err != nil {
			f.Err = err
		} else if !st.Plain { // in the place of a file, which is no deletion
			f.Err = &fs.PathError{Op: "read", Path: f.Path, Err: errNoFile}
		}
		f.Is, f.Mode = st.Stamp, st.Perm
		do(dir, f)
	}
}
