package fsnode

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// AwaitMerges is that of writers.Cache.
func (m *Mounted) AwaitMerges(done <-chan struct{}) { m.fsys.writers.AwaitMerges(done) }

// Relayout puts the entities' files in other places, as world.toml now says. What lies in an
// entity's new place already, as scratch, becomes its file: a checkout of the commit that changed
// world.toml has written it there, and has deleted the old one. Where it has not, the old one was
// edited, and stays where it was. Nodes and what is open stay what they are. No request sees the
// world half way: each finds it all in the one layout or all in the other, and a listing that was
// begun before goes on in the one in which it began.
func (m *Mounted) Relayout(l layout.Layout) error {
	if err := m.fsys.relayout(l); err != nil {
		return fmt.Errorf("put entities where shard = %q has them: %w", l, err)
	}
	return nil
}

func (f *fsys) relayout(l layout.Layout) error {
	was := f.world.Layout()
	if was == l {
		return nil
	}
	before, err := f.switchLayout(was, l)
	if err == nil {
		f.dropEmptyShards(was)
	}
	for _, x := range before {
		f.notices.entry(x.dir, x.name)
	}
	f.notices.forgetNames()
	return err
}

// lockLayout keeps the layout as it is until release is called.
func (f *fsys) lockLayout() (release func()) {
	f.layoutMu.RLock()
	return f.layoutMu.RUnlock
}

// known returns the names of entities' files that the kernel may know, in the
// places of a layout.
func (f *fsys) known(l layout.Layout) (names []end) {
	if !l.Sharded() {
		return knownIn(names, f.home, l, "")
	}
	for name, child := range f.home.Children() {
		if dir, ok := child.Operations().(*Dir); ok {
			names = knownIn(names, dir, l, name+"/")
		}
	}
	return names
}

func knownIn(names []end, dir *Dir, l layout.Layout, prefix string) []end {
	for name := range dir.Children() {
		if _, ok := l.Entity(prefix + name); ok {
			names = append(names, end{dir: dir, name: name})
		}
	}
	return names
}

// dropEmptyShards removes the shards of a layout that have nothing in them.
func (f *fsys) dropEmptyShards(l layout.Layout) {
	for shard := range l.Shards() {
		name := l.ShardName(shard)
		if err := f.remove(f.home, name, unix.AT_REMOVEDIR); err == nil {
			f.world.TouchDir(cache.Top)
			f.notices.entry(f.home, name)
		}
	}
}

// switchLayout changes the layout and takes in what lies in its places. It returns
// the names that the kernel may know of those that entities have no more. Where it
// fails the layout is as before, so that all stays to be seen.
func (f *fsys) switchLayout(was, l layout.Layout) (before []end, err error) {
	f.layoutMu.Lock()
	defer f.layoutMu.Unlock()
	f.namesMu.Lock()
	defer f.namesMu.Unlock()
	if err := f.mem.FlushAll(); err != nil {
		return nil, err
	}
	f.layoutChanged = true
	before = f.known(was)
	f.world.SetLayout(l)
	if err = f.adoptWaitingLocked(was, l); err != nil {
		f.world.SetLayout(was)
		err = errors.Join(err, f.ensureShards(was))
	}
	return before, err
}

// adoptWaitingLocked takes in what lies in the places of the layout l, which is now in
// force in place of was. The caller has namesMu.
func (f *fsys) adoptWaitingLocked(was, l layout.Layout) error {
	if err := f.ensureShards(l); err != nil {
		return err
	}
	if !l.Sharded() {
		return f.adoptInLocked(f.home, was, l, "")
	}
	for shard := range l.Shards() {
		name := l.ShardName(shard)
		n, err := f.scratchNode(f.home, name)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		dir, ok := n.(*Dir)
		if ok {
			err = f.adoptInLocked(dir, was, l, name+"/")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// waiting is a file in scratch that lies in an entity's place.
type waiting struct {
	*found
	file *File // nil if the kernel does not know it
	id   entity.ID
	from end
}

// adoptInLocked makes entities of the files of a directory that lie in the places of
// the layout l. The caller has namesMu.
func (f *fsys) adoptInLocked(dir *Dir, was, l layout.Layout, prefix string) error {
	names, err := f.tree.List(&dir.place)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(e realfs.Entry) bool {
		_, ok := l.Entity(prefix + e.Name)
		return !ok || e.Mode&unix.S_IFMT != unix.S_IFREG
	})
	for some := range slices.Chunk(names, batch) {
		if err := f.adoptSomeLocked(dir, was, some); err != nil {
			return err
		}
	}
	return nil
}

// adoptSomeLocked makes entities of some of them. The caller has namesMu.
func (f *fsys) adoptSomeLocked(dir *Dir, was layout.Layout, names []realfs.Entry) error {
	var all []waiting
	defer func() {
		for _, x := range all {
			x.at.Close()
		}
	}()
	for _, e := range names {
		x, err := f.findLocked(dir, e.Name)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return err
		}
		id, _ := layout.ParseFileName(e.Name)
		file, _ := x.node.(*File)
		all = append(all, waiting{x, file, id, end{dir: dir, name: e.Name}})
	}
	return f.adoptAllLocked(was, all)
}

// adoptAllLocked makes entities of files in scratch, which go once the entities are
// durable. What cannot be one stays where it is, and is not seen. Files that entities have
// already stay in their places of the layout was. The caller has namesMu.
func (f *fsys) adoptAllLocked(was layout.Layout, all []waiting) error {
	all = slices.DeleteFunc(slices.Clone(all), func(x waiting) bool {
		return !x.isFile() || x.st.Nlink > 1 || x.st.Size > cache.MaxFileSize
	})
	adopted := make([]cache.Adopted, len(all))
	var undo []func()
	giveBack := func() {
		for _, back := range undo {
			back()
		}
	}
	for i, x := range all {
		if x.file != nil {
			x.file.lock()
			defer x.file.unlock()
		}
		a, text, err := f.contentsOfLocked(x)
		if err != nil {
			return err
		}
		a.Ctime = realfs.StatxTime(x.st.Ctime) // its name stays
		adopted[i] = cache.Adopted{ID: x.id, Attr: a, Text: text}
	}
	for i, x := range all {
		ino, back, err := f.transferFoundInoLocked(x)
		if err != nil {
			giveBack()
			return err
		}
		adopted[i].Attr.Ino = ino
		undo = append(undo, back)
	}
	left, err := f.leaveFormerLocked(was, adopted)
	if err != nil {
		giveBack()
		return err
	}
	made, err := f.world.AdoptAll(adopted)
	if err != nil {
		f.takeBackLocked(left)
		giveBack()
		return err
	}
	f.stayLocked(left)
	for i, x := range all {
		f.unnameLocked(x.found, x.from)
		if x.file != nil {
			f.becomeEntityLocked(x.file, made[i])
		}
	}
	return nil
}

// transferFoundInoLocked does what transferInoLocked does, also for what the kernel does
// not know. The caller has namesMu.
func (f *fsys) transferFoundInoLocked(x waiting) (ino uint64, undo func(), err error) {
	if x.file != nil {
		return f.transferInoLocked(x.file, x.found, x.from.dir)
	}
	if ino = x.found.id.Ino; ino < realfs.BackingIno {
		f.inos.Unstore(x.at, x.st, ino)
		return ino, func() { f.inos.Store(x.at, x.st, ino) }, nil
	}
	ino, err = f.world.NewIno()
	return ino, func() {}, err
}

// contentsOfLocked does what contentsLocked does, also for what the kernel does not
// know. The caller has locked the file, if there is one.
func (f *fsys) contentsOfLocked(x waiting) (a cache.Attr, text []byte, err error) {
	if x.file != nil {
		return f.contentsLocked(x.file)
	}
	err = x.at.UseReopened(unix.O_RDONLY, func(d *realfs.Desc) error {
		a, text, err = d.ReadWhole()
		return err
	})
	return a, text, err
}
