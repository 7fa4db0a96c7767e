package table

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/packfile"
)

// directories are the directories of entities' files: entities/ and its shards. They are
// guarded by Table.mu.
type directories struct {
	table      *Table
	layout     layout.Layout
	times      state.DirTimes         // of entities/ itself
	shardTimes map[int]state.DirTimes // of the shards in which something happened
	shardsOf   atomic.Pointer[sharding]
}

// Top stands for entities/ itself where a shard's number is asked for.
const Top = -1

// Layout returns where in entities/ the entities' files lie.
func (d *directories) Layout() layout.Layout {
	d.table.mu.RLock()
	defer d.table.mu.RUnlock()
	return d.layout
}

// SetLayout changes it, for a world that is mounted. The plain files are moved
// when they come back.
func (d *directories) SetLayout(l layout.Layout) {
	d.table.mu.Lock()
	defer d.table.mu.Unlock()
	d.layout = l
	d.shardTimes = make(map[int]state.DirTimes)
	d.touchDirsLocked(Top)
}

// shardOfLocked returns the directory that an entity's file lies in. The caller has
// mu.
func (d *directories) shardOfLocked(id entity.ID) int {
	if !d.layout.Sharded() {
		return Top
	}
	return d.layout.Shard(id)
}

// TouchDir notes that a name that is no entity's came or went in a shard, or
// in entities/ itself.
func (d *directories) TouchDir(shard int) {
	d.table.mu.Lock()
	defer d.table.mu.Unlock()
	d.touchDirsLocked(shard)
}

// touchDirsLocked sets the times of directories in which names came or went. The
// caller has mu.
func (d *directories) touchDirsLocked(shards ...int) {
	for _, shard := range shards {
		was := d.dirTimesLocked(shard)
		d.setDirTimes(shard, fileattr.FileTime(was.Mtime), fileattr.FileTime(was.Ctime))
	}
}

// SetDirTime gives a shard, or entities/ itself, the mtime that a process asked
// for. It holds until a name comes or goes.
func (d *directories) SetDirTime(shard int, mtime time.Time) {
	d.table.mu.Lock()
	defer d.table.mu.Unlock()
	d.setDirTimes(shard, mtime, fileattr.FileTime(d.dirTimesLocked(shard).Ctime))
}

func (d *directories) setDirTimes(shard int, mtime, ctime time.Time) {
	now := state.DirTimes{Mtime: mtime, Ctime: ctime, Dirty: true}
	if shard == Top {
		d.times = now
	} else {
		d.shardTimes[shard] = now
	}
	d.table.edited++
	if d.table.clock.dirtySince.IsZero() {
		d.table.clock.dirtySince = d.table.now()
		d.table.pokeLocked()
	}
}

// touchDirsOfLocked sets the times of the directories in which these entities' files
// came or went. The caller has mu.
func (d *directories) touchDirsOfLocked(ids ...entity.ID) {
	var shards []int
	for _, id := range ids {
		shards = append(shards, d.shardOfLocked(id))
	}
	slices.Sort(shards)
	d.touchDirsLocked(slices.Compact(shards)...)
}

// dirTimesLocked returns the times of a directory: those of a shard that nothing
// happened in are as old as the world. The caller has mu.
func (d *directories) dirTimesLocked(shard int) state.DirTimes {
	if shard == Top {
		return d.times
	}
	if times, ok := d.shardTimes[shard]; ok {
		return times
	}
	return state.DirTimes{Mtime: d.table.born, Ctime: d.table.born}
}

// DirAttr returns the times of a shard, or of entities/ itself.
func (d *directories) DirAttr(shard int) (mtime, ctime time.Time) {
	d.table.mu.RLock()
	defer d.table.mu.RUnlock()
	times := d.dirTimesLocked(shard)
	return times.Mtime, times.Ctime
}

// collectTimesLocked adds to an update the times that changed. The caller has mu.
func (d *directories) collectTimesLocked(u *state.Update) {
	if d.times.Dirty {
		u.SetDirTimes("", d.times)
		d.times.Dirty = false
	}
	for shard, times := range d.shardTimes {
		if times.Dirty {
			u.SetDirTimes(d.layout.ShardName(shard), times)
			times.Dirty = false
			d.shardTimes[shard] = times
		}
	}
}

// uncollectTimesLocked is for when they could not be made durable. The caller has mu.
func (d *directories) uncollectTimesLocked() {
	d.times.Dirty = true
	for shard, times := range d.shardTimes {
		times.Dirty = true
		d.shardTimes[shard] = times
	}
}

// IDsIn returns up to n IDs greater than after whose files lie in a shard of a
// layout, in order; where that has no shards, of all.
func (d *directories) IDsIn(l layout.Layout, shard int, after entity.ID, n int) []entity.ID {
	if !l.Sharded() {
		return d.table.IDs(after, n)
	}
	for {
		d.table.mu.RLock()
		p := d.table.pack
		d.table.mu.RUnlock()
		packed := d.sharding(l, p).in(shard)
		d.table.mu.RLock()
		if d.table.pack == p {
			defer d.table.mu.RUnlock()
			return d.idsInLocked(packed, l, shard, after, n)
		}
		d.table.mu.RUnlock()
	}
}

// idsInLocked merges those that the pack has with the others. The caller has mu.
func (d *directories) idsInLocked(packed []entity.ID, l layout.Layout, shard int, after entity.ID, n int) []entity.ID {
	var out []entity.ID
	i, j := above(packed, after), above(d.table.extra, after)
	for len(out) < n {
		for j < len(d.table.extra) && l.Shard(d.table.extra[j]) != shard {
			j++
		}
		switch {
		case j < len(d.table.extra) && (i == len(packed) || d.table.extra[j] < packed[i]):
			out = append(out, d.table.extra[j])
			j++
		case i < len(packed):
			if s, ok := d.table.slots[packed[i]]; !ok || s.file != nil {
				out = append(out, packed[i])
			}
			i++
		default:
			return out
		}
	}
	return out
}

// above returns where in sorted IDs those greater than after begin.
func above(ids []entity.ID, after entity.ID) int {
	i, found := slices.BinarySearch(ids, after)
	if found {
		i++
	}
	return i
}

// sharding is the IDs that a pack has, by shard. It takes 4 bytes an entity,
// and some milliseconds to make for a million.
type sharding struct {
	pack   *packfile.Pack
	layout layout.Layout
	ids    []entity.ID // of one shard after the other, in order
	starts []int       // where in ids each shard begins, and the last ends
}

func (s *sharding) in(shard int) []entity.ID { return s.ids[s.starts[shard]:s.starts[shard+1]] }

// sharding returns that of a pack, made when it is first asked for.
func (d *directories) sharding(l layout.Layout, p *packfile.Pack) *sharding {
	if s := d.shardsOf.Load(); s != nil && s.pack == p && s.layout == l {
		return s
	}
	s := &sharding{pack: p, layout: l, ids: make([]entity.ID, p.Len()), starts: make([]int, l.Shards()+1)}
	for i := range p.Len() {
		s.starts[l.Shard(p.IDAt(i))+1]++
	}
	for shard := range l.Shards() {
		s.starts[shard+1] += s.starts[shard]
	}
	next := slices.Clone(s.starts)
	for i := range p.Len() {
		id := p.IDAt(i)
		shard := l.Shard(id)
		s.ids[next[shard]] = id
		next[shard]++
	}
	d.shardsOf.Store(s)
	return s
}

// AdoptAll makes entities of what scratch files held, as Adopt does, durable
// all at once. Of each it returns the File. Where it fails, all is as before.
func (t *Table) AdoptAll(all []Adopted) ([]*File, error) {
	files := make([]*File, len(all))
	for i, a := range all {
		if int64(len(a.Text)) > fileattr.MaxSize {
			return nil, fileattr.ErrTooLarge
		}
		files[i] = t.newHeldFile(a.Attr, a.Text)
	}
	before := make([]slot, 0, len(all))
	err := t.adoptEach(all, files, &before)
	if err == nil {
		err = t.commits.commit()
	}
	if err != nil {
		for i := range slices.Backward(before) {
			t.undoAdopt(all[i].ID, files[i], before[i])
		}
		return nil, err
	}
	return files, nil
}

func (t *Table) adoptEach(all []Adopted, files []*File, before *[]slot) error {
	for i, a := range all {
		was, err := t.displace(a.ID, false)
		if err != nil {
			return err
		}
		t.linkLocked(a.ID, files[i])
		t.mu.Unlock()
		*before = append(*before, was)
	}
	return nil
}

// Adopted is a scratch file that is to be an entity's.
type Adopted struct {
	ID   entity.ID
	Attr fileattr.Attr
	Text []byte
}
