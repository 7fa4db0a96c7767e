package fsnode

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// Cover is where in the covered directory the world is. The mount shows all of
// that directory as it is beneath, but for the entities directory.
type Cover struct {
	World    string // the way from the mountpoint to the world directory, with slashes; "." if that is it
	Entities string // the name of the entities directory in the world directory
	State    string // of the directory there that is shown, but closed to every change
	Removed  bool   // there is no entities directory, unless the world has entities
	Types    string // of the directory there in which the daemon writes, beside the world directory itself
}

// cover is what a mount in the cover shape needs besides.
type cover struct {
	Cover
	beneath *realfs.Dir // the covered directory, opened before it was covered
	world   *Dir        // the world directory
}

// openCover makes ready to cover dir: the directory beneath is opened, and the
// way to the entities directory gets its nodes.
func (f *fsys) openCover(dir string, o Cover) error {
	beneath, err := realfs.OpenDir(dir, true)
	if err != nil {
		return err
	}
	f.root = newDir(f, beneath, false)
	f.cover = &cover{Cover: o, beneath: beneath, world: f.root}
	for _, name := range strings.Split(o.World, "/") {
		if name != "." {
			f.cover.world = fix(f.cover.world, name, newDir(f, nil, false))
		}
	}
	fix(f.cover.world, o.Entities, f.home)
	f.home.removed.Store(o.Removed)
	fix(f.cover.world, o.State, newDir(f, nil, true))
	return nil
}

// fix makes a directory stand in another for as long as the mount does.
func fix(in *Dir, name string, d *Dir) *Dir {
	if in.fixed == nil {
		in.fixed = make(map[string]*Dir)
	}
	in.fixed[name] = d
	d.place.Loc.Dentry = in.named(name)
	return d
}

// homePath returns how the directory beneath the entities directory is reached.
func (c *cover) homePath() string { return path.Join(c.beneath.Root.Magic(), c.World, c.Entities) }

func (c *cover) close() {
	if c != nil {
		c.beneath.Close()
	}
}

// rootAttr returns the identity of the mount's root.
func (f *fsys) rootAttr() (*fs.StableAttr, error) {
	if f.cover == nil {
		return &fs.StableAttr{Ino: realfs.HomeIno}, nil
	}
	st, err := f.cover.beneath.Root.Stat()
	if err != nil {
		return nil, fmt.Errorf("look at the directory beneath the mount: %w", err)
	}
	return &fs.StableAttr{Ino: f.inos.Number(realfs.IDOf(st))}, nil
}

// pin gives the directories that stand for as long as the mount does their
// nodes, once the root has its own.
func (f *fsys) pin() error { return f.pinIn(f.root) }

func (f *fsys) pinIn(dir *Dir) error {
	for name, d := range dir.fixed {
		id := fs.StableAttr{Mode: unix.S_IFDIR, Ino: realfs.HomeIno}
		if !d.isHome() {
			at, err := f.tree.OpenNameLocked(&dir.place, name)
			if err != nil {
				return fmt.Errorf("look at %s beneath the mount: %w", name, err)
			}
			st, err := at.Stat()
			at.Close()
			if err != nil {
				return fmt.Errorf("look at %s beneath the mount: %w", name, err)
			}
			if id, err = f.identifyLocked(nil, st, d, ""); err != nil {
				return err
			}
		}
		f.root.NewPersistentInode(context.Background(), d, id)
		if err := f.pinIn(d); err != nil {
			return err
		}
	}
	return nil
}
