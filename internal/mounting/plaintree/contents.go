package plaintree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// moveOut moves names of what c lists from one directory to another. Shards
// that are left with nothing go, and all are there.
func (t Tree) moveOut(c contents, names []string, from, to string) error {
	for _, shard := range c.shards {
		err := os.Mkdir(filepath.Join(to, shard), 0o700)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("move %s to %s: %w", shard, to, err)
		}
	}
	if err := t.moveAll(names, from, to); err != nil {
		return err
	}
	for _, shard := range c.shards {
		if err := resemble(filepath.Join(to, shard), filepath.Join(from, shard)); err != nil {
			return fmt.Errorf("move %s to %s: %w", shard, to, err)
		}
		_ = os.Remove(filepath.Join(from, shard)) // which does nothing to one that has anything
	}
	return nil
}

// moveAll moves names from one directory to another. One that is taken there
// gets another name: nothing is lost.
func (t Tree) moveAll(names []string, from, to string) error {
	for _, name := range names {
		if err := t.moveNew(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return fmt.Errorf("move %s to %s: %w", name, to, err)
		}
	}
	return nil
}

// moveNew moves a file to a name, or to one beside it if that is taken by another.
func (t Tree) moveNew(from, to string) error {
	err := t.Disk.RenameNew("file", from, to)
	for errors.Is(err, fs.ErrExist) {
		if same(from, to) {
			return os.Remove(from)
		}
		to += "~"
		err = t.Disk.RenameNew("file", from, to)
	}
	return err
}

// same reports whether both are ordinary files with the same bytes.
func same(a, b string) bool {
	for _, path := range []string{a, b} {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	x, errX := os.ReadFile(a)
	y, errY := os.ReadFile(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func removeNote(dir string) error {
	err := os.Remove(filepath.Join(dir, worlddir.NotMounted))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ownPrefix begins the names that the mount keeps for itself in scratch/.
const ownPrefix = ".worldfs-"

// contents is what a directory of plain files holds, but for NOT-MOUNTED.txt.
type contents struct {
	entities    bool     // there are entities' files
	entityFiles []string // their names, in a shard with its name: 5/6555.entity_text
	others      []string // likewise
	shards      []string
}

// empty reports whether there is nothing at all.
func (c *contents) empty() bool { return !c.entities && len(c.others) == 0 && len(c.shards) == 0 }

// HasEntities reports whether there are entities' files in dir, without
// listing all of them.
func (t Tree) HasEntities(dir string) (bool, error) {
	l := t.World.Layout()
	d, err := os.Open(dir)
	if err != nil {
		return false, fmt.Errorf("read plain files: %w", err)
	}
	defer d.Close()
	for {
		entries, err := d.ReadDir(64)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("read plain files: %w", err)
		}
		for _, e := range entries {
			if has, err := t.isOrHasEntity(l, dir, e); has || err != nil {
				return has, err
			}
		}
	}
}

func (t Tree) isOrHasEntity(l layout.Layout, dir string, e fs.DirEntry) (bool, error) {
	var c contents
	if _, shard := l.ParseShard(e.Name()); !shard || !e.IsDir() {
		c.add(l, e.Name(), e)
		return c.entities, nil
	}
	below, err := os.ReadDir(filepath.Join(dir, e.Name()))
	if err != nil {
		return false, fmt.Errorf("read plain files: %w", err)
	}
	for _, e2 := range below {
		if c.add(l, path.Join(e.Name(), e2.Name()), e2); c.entities {
			return true, nil
		}
	}
	return false, nil
}

func (t Tree) list(dir string) (c contents, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return c, fmt.Errorf("read plain files: %w", err)
	}
	l := t.World.Layout()
	for _, e := range entries {
		if _, shard := l.ParseShard(e.Name()); !shard || !e.IsDir() {
			c.add(l, e.Name(), e)
			continue
		}
		c.shards = append(c.shards, e.Name())
		below, err := os.ReadDir(filepath.Join(dir, e.Name()))
		if err != nil {
			return c, fmt.Errorf("read plain files: %w", err)
		}
		for _, e2 := range below {
			c.add(l, path.Join(e.Name(), e2.Name()), e2)
		}
	}
	return c, nil
}

func (c *contents) add(l layout.Layout, at string, e fs.DirEntry) {
	_, isEntity := l.Entity(at)
	switch {
	case isEntity && e.Type().IsRegular():
		c.entities = true
		c.entityFiles = append(c.entityFiles, at)
	case at != worlddir.NotMounted && !strings.HasPrefix(at, ownPrefix):
		c.others = append(c.others, at)
	}
}

// removePlain removes .worldfs/plain, from which all has been taken.
func (t Tree) removePlain() error {
	plain := t.Dir.PlainPath()
	c, err := t.list(plain)
	if err != nil {
		return err
	}
	for _, shard := range c.shards {
		if err := os.Remove(filepath.Join(plain, shard)); err != nil {
			return err
		}
	}
	if err := removeNote(plain); err != nil {
		return err
	}
	return t.Disk.Remove("plain files' directory", plain)
}
