package cache

import (
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/packfile"
)

// Top stands for entities/ itself where a shard's number is asked for.
const Top = -1

// Layout returns where in entities/ the entities' files lie.
func (t *table) Layout() layout.Layout {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.layout
}

// SetLayout changes it, for a world that is mounted. The plain files are moved
// when they come back.
func (t *table) SetLayout(l layout.Layout) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.layout = l
	t.shardTimes = make(map[int]state.DirTimes)
	t.touchDirsLocked(Top)
}

// shardOfLocked returns the directory that an entity's file lies in. The caller has
// mu.
func (t *table) shardOfLocked(id entity.ID) int {
	if !t.layout.Sharded() {
		return Top
	}
	return t.layout.Shard(id)
}

// TouchDir notes that a name that is no entity's came or went in a shard, or
// in entities/ itself.
func (t *table) TouchDir(shard int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.touchDirsLocked(shard)
}

// touchDirsLocked sets the times of directories in which names came or went. The
// caller has mu.
func (t *table) touchDirsLocked(shards ...int) {
	for _, shard := range shards {
		was := t.dirTimesLocked(shard)
		t.setDirTimes(shard, fileattr.FileTime(was.Mtime), fileattr.FileTime(was.Ctime))
	}
}

// SetDirTime gives a shard, or entities/ itself, the mtime that a process asked
// for. It holds until a name comes or goes.
func (t *table) SetDirTime(shard int, mtime time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.setDirTimes(shard, mtime, fileattr.FileTime(t.dirTimesLocked(shard).Ctime))
}

func (t *table) setDirTimes(shard int, mtime, ctime time.Time) {
	now := state.DirTimes{Mtime: mtime, Ctime: ctime, Dirty: true}
	if shard == Top {
		t.times = now
	} else {
		t.shardTimes[shard] = now
	}
	t.edited++
	if t.clock.dirtySince.IsZero() {
		t.clock.dirtySince = t.now()
		t.pokeLocked()
	}
}

// touchDirsOfLocked sets the times of the directories in which these entities' files
// came or went. The caller has mu.
func (t *table) touchDirsOfLocked(ids ...entity.ID) {
	var shards []int
	for _, id := range ids {
		shards = append(shards, t.shardOfLocked(id))
	}
	slices.Sort(shards)
	t.touchDirsLocked(slices.Compact(shards)...)
}

// dirTimesLocked returns the times of a directory: those of a shard that nothing
// happened in are as old as the world. The caller has mu.
func (t *table) dirTimesLocked(shard int) state.DirTimes {
	if shard == Top {
		return t.times
	}
	if times, ok := t.shardTimes[shard]; ok {
		return times
	}
	return state.DirTimes{Mtime: t.born, Ctime: t.born}
}

// DirAttr returns the times of a shard, or of entities/ itself.
func (t *table) DirAttr(shard int) (mtime, ctime time.Time) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	times := t.dirTimesLocked(shard)
	return times.Mtime, times.Ctime
}

// collectTimesLocked adds to an update the times that changed. The caller has mu.
func (t *table) collectTimesLocked(u *state.Update) {
	if t.times.Dirty {
		u.SetDirTimes("", t.times)
		t.times.Dirty = false
	}
	for shard, times := range t.shardTimes {
		if times.Dirty {
			u.SetDirTimes(t.layout.ShardName(shard), times)
			times.Dirty = false
			t.shardTimes[shard] = times
		}
	}
}

// uncollectTimesLocked is for when they could not be made durable. The caller has mu.
func (t *table) uncollectTimesLocked() {
	t.times.Dirty = true
	for shard, times := range t.shardTimes {
		times.Dirty = true
		t.shardTimes[shard] = times
	}
}

// IDsIn returns up to n IDs greater than after whose files lie in a shard of a
// layout, in order; where that has no shards, of all.
func (t *table) IDsIn(l layout.Layout, shard int, after entity.ID, n int) []entity.ID {
	if !l.Sharded() {
		return t.IDs(after, n)
	}
	for {
		t.mu.RLock()
		p := t.pack
		t.mu.RUnlock()
		packed := t.sharding(l, p).in(shard)
		t.mu.RLock()
		if t.pack == p {
			defer t.mu.RUnlock()
			return t.idsInLocked(packed, l, shard, after, n)
		}
		t.mu.RUnlock()
	}
}

// idsInLocked merges those that the pack has with the others. The caller has mu.
func (t *table) idsInLocked(packed []entity.ID, l layout.Layout, shard int, after entity.ID, n int) []entity.ID {
	var out []entity.ID
	i, j := above(packed, after), above(t.extra, after)
	for len(out) < n {
		for j < len(t.extra) && l.Shard(t.extra[j]) != shard {
			j++
		}
		switch {
		case j < len(t.extra) && (i == len(packed) || t.extra[j] < packed[i]):
			out = append(out, t.extra[j])
			j++
		case i < len(packed):
			if s, ok := t.slots[packed[i]]; !ok || s.file != nil {
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
func (t *table) sharding(l layout.Layout, p *packfile.Pack) *sharding {
	if s := t.shardsOf.Load(); s != nil && s.pack == p && s.layout == l {
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
	t.shardsOf.Store(s)
	return s
}

// AdoptAll makes entities of what scratch files held, as Adopt does, durable
// all at once. Of each it returns the File. Where it fails, all is as before.
func (w *World) AdoptAll(all []Adopted) ([]*File, error) {
	files := make([]*File, len(all))
	for i, a := range all {
		if int64(len(a.Text)) > MaxFileSize {
			return nil, ErrTooLarge
		}
		files[i] = w.newHeldFile(a.Attr, a.Text)
	}
	before := make([]slot, 0, len(all))
	err := w.adoptEach(all, files, &before)
	if err == nil {
		err = w.commits.commit()
	}
	if err != nil {
		for i := range slices.Backward(before) {
			w.undoAdopt(all[i].ID, files[i], before[i])
		}
		return nil, err
	}
	return files, nil
}

func (w *World) adoptEach(all []Adopted, files []*File, before *[]slot) error {
	for i, a := range all {
		was, err := w.displace(a.ID, false)
		if err != nil {
			return err
		}
		w.linkLocked(a.ID, files[i])
		w.mu.Unlock()
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
