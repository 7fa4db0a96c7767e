package worldform

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/osfile"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// openPlain opens a directory of plain files.
func openPlain(dir string, o Options) (*World, error) {
	p := placeOf(dir)
	if o.Types == nil && !hasTypes(p.types) {
		o.Types = o.typesHere()
	}
	r, err := readTexts(p.all(), o)
	if err != nil {
		return nil, fmt.Errorf("read plain files: %w", err)
	}
	if r.files == 0 && p.entities == dir && !isDir(filepath.Join(dir, nameTypes)) {
		return nil, fmt.Errorf("%s: %w: it has no world.toml, no types/ and no files such as 6555%s", dir, ErrNoWorld, layout.Suffix)
	}
	return r.world, nil
}

// hasTypes reports whether a directory has declarations of types in it.
func hasTypes(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return wanted(nameTypes + "/" + e.Name()) })
}

// typesHere returns the types of the world that the call is about, nil if there is none.
func (o *Options) typesHere() *entity.Types {
	types, _, err := typefile.ReadDir(filepath.Join(o.WorldDir(), nameTypes))
	if err != nil || types.Len() == 0 {
		return nil
	}
	return types
}

// isDir reports whether there is a directory, and no symlink to one.
func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// plainFiles reads a directory as revisions are read. Symlinks are told and
// not followed.
type plainFiles struct{ dir, types, entities string }

// placeOf returns where in a directory its types and entities lie.
func placeOf(dir string) plainFiles {
	p := plainFiles{dir: dir, entities: filepath.Join(dir, nameEntities), types: filepath.Join(dir, nameTypes)}
	if !isDir(p.entities) {
		p.entities = dir
		if !isDir(p.types) {
			p.types = filepath.Join(dir, "..", nameTypes) // dir is a world's entities/
		}
	}
	return p
}

// all yields the world's files in the order of textQuery.
func (p plainFiles) all() iter.Seq2[vcs.File, error] {
	return func(yield func(vcs.File, error) bool) {
		l := lister{yield: yield}
		l.config(p.dir)
		l.list(p.types, nameTypes, typefile.MaxSize)
		l.list(p.entities, nameEntities, cache.MaxFileSize)
		if l.err != nil && !l.stopped {
			yield(vcs.File{}, l.err)
		}
	}
}

type lister struct {
	yield   func(vcs.File, error) bool
	stopped bool
	err     error
}

func (l *lister) config(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		l.err = err
		return
	}
	defer root.Close()
	if info, err := root.Lstat(nameConfig); err == nil {
		l.send(root, nameConfig, fs.FileInfoToDirEntry(info), nameConfig, typefile.MaxSize)
	}
}

// list yields the files of a directory that is there, and of its shards.
func (l *lister) list(dir, as string, limit int64) {
	if l.stopped || l.err != nil || !isDir(dir) {
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		l.err = err
		return
	}
	defer root.Close()
	l.listRoot(root, as, limit, as == nameEntities)
}

func (l *lister) listRoot(root *os.Root, as string, limit int64, shards bool) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		l.err = err
		return
	}
	for _, e := range entries {
		name := path.Join(as, e.Name())
		switch {
		case l.stopped || l.err != nil:
			return
		case e.IsDir() && shards && layout.IsShard(e.Name()):
			l.shard(root, e.Name(), name, limit)
		case !e.IsDir() && wanted(name):
			l.send(root, e.Name(), e, name, limit)
		}
	}
}

func (l *lister) shard(root *os.Root, name, as string, limit int64) {
	below, err := root.OpenRoot(name)
	if err != nil {
		l.err = err
		return
	}
	defer below.Close()
	l.listRoot(below, as, limit, false)
}

// send yields one file, or a fileError: the world goes on without it.
func (l *lister) send(root *os.Root, name string, e fs.DirEntry, as string, limit int64) {
	f := vcs.File{Name: as}
	var failed error
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		f.Kind = vcs.Symlink
	case !e.Type().IsRegular():
		f.Kind = vcs.Other
	default:
		err := load(root, name, &f, limit)
		if errors.Is(err, fs.ErrNotExist) {
			return // it has just gone
		}
		if err != nil {
			failed = &fileError{err}
		}
	}
	l.stopped = !l.yield(f, failed)
}

// load reads a file that others may change at the same time.
func load(root *os.Root, name string, f *vcs.File, limit int64) error {
	file, err := root.OpenFile(name, os.O_RDONLY|osfile.NoFollow|osfile.NoWait, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		f.Kind = vcs.Other
		return nil
	}
	if f.Size = info.Size(); f.Size > limit {
		return nil
	}
	f.Data = make([]byte, 0, f.Size+1)
	for {
		if len(f.Data) == cap(f.Data) {
			f.Data = slices.Grow(f.Data, 512)
		}
		n, err := file.Read(f.Data[len(f.Data):cap(f.Data)])
		f.Data = f.Data[:len(f.Data)+n]
		if f.Size = int64(len(f.Data)); f.Size > limit {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
