package fsnode

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// In a world whose entities lie in shards, a shard is a directory in scratch
// like any other, with the entities' files in it besides. It is there as on a
// plain directory: made by mkdir, gone after rmdir, which it refuses while it
// holds an entity. An entity that comes from elsewhere brings its shard along.

// shard returns the number of the shard that a directory is, cache.Top for the
// entities directory itself; false for all other directories.
func (d *Dir) shard() (int, bool) {
	if d.fsys.scratch.IsPlain() {
		return 0, false
	}
	if d.isHome() {
		return cache.Top, true
	}
	at := d.fsys.tree.LastName(&d.place.Loc)
	if at.Dir != &d.fsys.home.place {
		return 0, false
	}
	return d.fsys.home.parseShard(at.Name)
}

// parseShard returns the number of the shard that a directory of that name is.
func (d *Dir) parseShard(name string) (int, bool) {
	if !d.isHome() || d.fsys.scratch.IsPlain() {
		return 0, false
	}
	return d.fsys.world.Layout().ParseShard(name)
}

// entity returns the ID of an entity's name in this directory.
func (d *Dir) entity(name string) (entity.ID, bool) {
	id, ok := layout.ParseFileName(name)
	if !ok {
		return 0, false
	}
	shard, ok := d.mayHoldEntities()
	if !ok || shard != cache.Top && d.fsys.world.Layout().Shard(id) != shard {
		return 0, false
	}
	return id, true
}

// mayHoldEntities reports whether entities' files lie in the directory, and in
// which shard.
func (d *Dir) mayHoldEntities() (shard int, ok bool) {
	shard, ok = d.shard()
	return shard, ok && (shard == cache.Top) == !d.fsys.world.Layout().Sharded()
}

// holdsIn reports whether in some layout entities' files lie in the directory, and in
// which shard.
func (d *Dir) holdsIn(l layout.Layout) (shard int, ok bool) {
	if d.fsys.scratch.IsPlain() {
		return 0, false
	}
	if d.isHome() {
		return cache.Top, !l.Sharded()
	}
	at := d.fsys.tree.LastName(&d.place.Loc)
	if at.Dir != &d.fsys.home.place {
		return 0, false
	}
	return l.ParseShard(at.Name)
}

// setTime gives the directory a time, where it is not its backing's.
func (d *Dir) setTime(mtime time.Time) {
	if shard, ok := d.shard(); ok {
		d.fsys.world.SetDirTime(shard, mtime)
	}
}

// holdsEntities reports whether a name is that of a shard with entities in it.
func (f *fsys) holdsEntities(dir *Dir, name string) bool {
	shard, ok := dir.parseShard(name)
	return ok && len(f.world.IDsIn(f.world.Layout(), shard, 0, 1)) > 0
}

// dirOf returns the directory that an entity's file lies in, nil if the kernel
// does not know it.
func (f *fsys) dirOf(id entity.ID) *Dir {
	l := f.world.Layout()
	if !l.Sharded() {
		return f.home
	}
	child := f.home.GetChild(l.ShardName(l.Shard(id)))
	if child == nil {
		return nil
	}
	d, _ := child.Operations().(*Dir)
	return d
}

// ensureShards makes the shards that hold entities.
func (f *fsys) ensureShards(l layout.Layout) error {
	for shard := range l.Shards() {
		if len(f.world.IDsIn(f.world.Layout(), shard, 0, 1)) == 0 {
			continue
		}
		if err := f.ensureShard(l.ShardName(shard)); err != nil {
			return err
		}
	}
	return nil
}

// ensureShard makes a shard, unless it is there.
func (f *fsys) ensureShard(name string) error {
	made, err := f.scratch.EnsureDir(name)
	if made {
		f.world.TouchDir(cache.Top)
	}
	return err
}

// mayMoveLocked reports whether a rename leaves shards what they are: none goes
// anywhere, and nothing becomes one. Tools copy where they are told EXDEV. The caller
// has namesMu.
func (f *fsys) mayMoveLocked(ends ...end) error {
	for _, e := range ends {
		if _, ok := e.dir.parseShard(e.name); !ok {
			continue
		}
		x, err := f.findLocked(e.dir, e.name)
		if errors.Is(err, unix.ENOENT) {
			return unix.EXDEV
		}
		if err != nil {
			return err
		}
		x.at.Close()
		if x.id.Mode == unix.S_IFDIR {
			return unix.EXDEV
		}
	}
	return nil
}
