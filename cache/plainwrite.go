package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/layout"
)

// WritePlain writes the entities' files as plain files into to, "" for
// entities/, and returns how many it wrote. With all it writes every one, as
// into a directory of somebody else's. Without, to is where this world's plain
// files are: only those are written that are not as they should be, and those
// are removed whose entity has gone.
func (w *World) WritePlain(to string, all bool) (int, error) {
	if to == "" {
		to = w.dir.EntitiesPath()
	}
	return w.writePlain(to, !all)
}

func (w *World) writePlain(to string, own bool) (int, error) {
	v, err := w.View()
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return 0, fmt.Errorf("write plain files: %w", err)
	}
	known := map[entity.ID]stamp{}
	if own {
		if known, err = w.store.stamps(); err != nil {
			return 0, err
		}
	}
	pw := plainWriter{view: v, layout: w.Layout(), dir: to, known: known, stamps: make(map[entity.ID]stamp)}
	pw.shared = own && to == w.dir.EntitiesPath()
	for after, ids := entity.ID(0), w.IDs(0, 1024); len(ids) > 0; ids = w.IDs(after, 1024) {
		for _, id := range ids {
			if err := pw.write(id); err != nil {
				return pw.written, fmt.Errorf("write plain files: %w", err)
			}
			delete(known, id)
		}
		after = ids[len(ids)-1]
	}
	if own {
		removeTorn(to, pw.layout)
	}
	gone, err := pw.removeGone()
	if err != nil || !own {
		return pw.written, err
	}
	if pw.written > 0 {
		if err := syncFileSystem(to); err != nil {
			return pw.written, fmt.Errorf("write plain files: %w", err)
		}
	}
	return pw.written, w.store.putStamps(pw.stamps, gone)
}

// plainWriter writes the files of one directory.
type plainWriter struct {
	view    *View
	layout  layout.Layout
	dir     string
	known   map[entity.ID]stamp // those left over are of entities that have gone
	stamps  map[entity.ID]stamp
	written int
	shared  bool // people work there: what they changed meanwhile is not overwritten
}

// write brings one file in step. It appears whole, by a rename: a torn one
// would later be taken in as somebody's edit.
func (p *plainWriter) write(id entity.ID) error {
	f, err := p.view.world.Lookup(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, _, err := f.bytes()
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	path := filepath.Join(p.dir, p.layout.Path(id))
	var st unix.Stat_t
	known, there := p.known[id], unix.Lstat(path, &st) == nil
	asKnown := there && known.isAt(&st)
	if asKnown && known.hash == hash || there && !asKnown && p.shared {
		return nil // in step, or somebody's edit that the next TakePlain takes in
	}
	attr, err := f.Attr()
	if err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(path), "."+layout.FileName(id)+".tmp")
	err = writeFile(temp, text, attr)
	if errors.Is(err, fs.ErrNotExist) && p.layout.Sharded() {
		if err = os.Mkdir(filepath.Dir(path), 0o777); err == nil {
			err = writeFile(temp, text, attr)
		}
	}
	if err != nil {
		_ = os.Remove(temp) // the first error is the one to tell
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	if err := unix.Lstat(path, &st); err != nil {
		return err
	}
	p.stamps[id] = stampOf(&st, time.Now(), hash)
	p.written++
	return nil
}

func writeFile(path string, text []byte, a Attr) error {
	if err := os.WriteFile(path, text, fs.FileMode(a.Mode&0o777)); err != nil {
		return err
	}
	return os.Chtimes(path, a.Mtime, a.Mtime)
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

// removeGone removes the files of entities that have gone.
func (p *plainWriter) removeGone() (gone []entity.ID, err error) {
	for id, known := range p.known {
		path := filepath.Join(p.dir, p.layout.Path(id))
		gone = append(gone, id)
		var st unix.Stat_t
		if p.shared && unix.Lstat(path, &st) == nil && !known.isAt(&st) {
			continue // somebody's edit: the next TakePlain takes it in
		}
		err := os.Remove(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("write plain files: %w", err)
		}
	}
	return gone, nil
}

// syncFileSystem makes all that was written under dir durable at once.
func syncFileSystem(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
