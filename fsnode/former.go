package fsnode

import (
	"bytes"
	"errors"
	"io/fs"
	"path"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// A checkout across a change of shard removes each file from its old place, unless a person
// has edited it: svn leaves such a file there, in conflict. So an entity that still has its
// file when another text waits in the new place was edited. The edit stays in the old place,
// as a file in scratch, as on a plain directory, and resolve merges it from there.

// former is an entity's file that stays in its old place.
type former struct {
	node     *File // locked; nil if the kernel does not know it
	prepared *realfs.Prepared
	at       end
	ino      uint64
}

// leaveFormerLocked puts the text of each entity that adopts another one into its place in
// the layout was. The caller has namesMu. Once the world has adopted them it calls
// stayLocked, and if it has not, takeBackLocked.
func (f *fsys) leaveFormerLocked(was layout.Layout, adopted []cache.Adopted) (left []former, err error) {
	for _, a := range adopted {
		file, err := f.world.Lookup(a.ID)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var x former
		if err == nil {
			x, err = f.placeFormerLocked(was, a, file)
		}
		if err != nil {
			f.takeBackLocked(left)
			return nil, err
		}
		if x.prepared != nil {
			left = append(left, x)
		}
	}
	return left, nil
}

// placeFormerLocked does so for one entity, unless its text is the one that it adopts.
func (f *fsys) placeFormerLocked(was layout.Layout, a cache.Adopted, file *cache.File) (x former, err error) {
	n, err := f.liveEntity(a.ID)
	if err == nil {
		n.lock()
		defer func() {
			if x.node == nil {
				n.unlock()
			}
		}()
	} else if n = nil; !errors.Is(err, unix.ESTALE) {
		return x, err
	}
	text, err := file.Text()
	if err != nil || bytes.Equal(text, a.Text) {
		return x, err
	}
	attr, err := file.Attr()
	if err != nil {
		return x, err
	}
	m, err := f.prepared.Make(attr, text)
	if err != nil {
		return x, err
	}
	at, err := f.placeIn(was, a.ID, m)
	if err != nil {
		f.prepared.Discard(m)
		return x, err
	}
	return former{node: n, prepared: m, at: at, ino: attr.Ino}, nil
}

// placeIn puts a prepared file into an entity's place in a layout that is not in force.
func (f *fsys) placeIn(l layout.Layout, id entity.ID, m *realfs.Prepared) (to end, err error) {
	to = end{dir: f.home, name: layout.FileName(id)}
	if shard := path.Dir(l.Path(id)); shard != "." {
		if err := f.ensureShard(shard); err != nil {
			return to, err
		}
		n, err := f.scratchNode(f.home, shard)
		if err != nil {
			return to, err
		}
		to.dir = n.(*Dir)
	}
	to.name, err = f.prepared.PutBeside(m, to.dentry())
	return to, err
}

// stayLocked has the nodes that stood for the entities stand for the files that stay.
func (f *fsys) stayLocked(left []former) {
	for _, x := range left {
		if x.node != nil {
			f.becomeScratchLocked(x.node, x.prepared, x.at, x.ino)
			x.node.unlock()
		} else {
			f.tree.RLock()
			f.storeInoLocked(&x.at.dir.place, x.prepared.Desc, x.prepared.Stat, x.ino)
			f.tree.RUnlock()
			x.prepared.Desc.Close()
		}
		x.at.dir.changed()
		f.noteName(x.at.name)
		f.log.Warn("a file that was edited stays where it was before shard changed", "name", x.at.name)
	}
}

// takeBackLocked undoes leaveFormerLocked.
func (f *fsys) takeBackLocked(left []former) {
	for _, x := range left {
		if err := f.prepared.TakeBack(x.prepared, x.at.dentry(), unix.RENAME_NOREPLACE); err != nil {
			f.log.Warn("a copy of a file stays in its old place", "name", x.at.name, "error", err)
		}
		f.prepared.Discard(x.prepared)
		if x.node != nil {
			x.node.unlock()
		}
	}
}
