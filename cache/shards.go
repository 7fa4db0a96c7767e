package cache

import (
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/fileattr"
	"github.com/worldfs/worldfs/internal/state"
	"github.com/worldfs/worldfs/layout"
	"github.com/worldfs/worldfs/packfile"
)

// Top stands for entities/ itself where a shard's number is asked for.
const Top = -1

// Layout returns where in entities/ the entities' files lie.
func (w *World) Layout() layout.Layout {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.layout
}

// SetLayout changes it, for a world that is mounted. The plain files are moved
// when they come back.
func (w *World) SetLayout(l layout.Layout) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.layout = l
	w.shardTimes = make(map[int]state.DirTimes)
	w.touchDirs(Top)
}

// shardOf returns the directory that an entity's file lies in. The caller has
// mu.
func (w *World) shardOf(id entity.ID) int {
	if !w.layout.Sharded() {
		return Top
	}
	return w.layout.Shard(id)
}

// TouchDir notes that a name that is no entity's came or went in a shard, or
// in entities/ itself.
func (w *World) TouchDir(shard int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.touchDirs(shard)
}

// touchDirs sets the times of directories in which names came or went. The
// caller has mu.
func (w *World) touchDirs(shards ...int) {
	for _, shard := range shards {
		t := w.dirTimes(shard)
		w.setDirTimes(shard, fileattr.FileTime(t.Mtime), fileattr.FileTime(t.Ctime))
	}
}

// SetDirTime gives a shard, or entities/ itself, an mtime that somebody asked
// for. It holds until a name comes or goes.
func (w *World) SetDirTime(shard int, mtime time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.setDirTimes(shard, mtime, fileattr.FileTime(w.dirTimes(shard).Ctime))
}

func (w *World) setDirTimes(shard int, mtime, ctime time.Time) {
	t := state.DirTimes{Mtime: mtime, Ctime: ctime, Dirty: true}
	if shard == Top {
		w.times = t
	} else {
		w.shardTimes[shard] = t
	}
	w.edited++
	if w.clock.dirtySince.IsZero() {
		w.clock.dirtySince = w.now()
		w.poke()
	}
}

// touchDirsOf sets the times of the directories in which these entities' files
// came or went. The caller has mu.
func (w *World) touchDirsOf(ids ...entity.ID) {
	var shards []int
	for _, id := range ids {
		shards = append(shards, w.shardOf(id))
	}
	slices.Sort(shards)
	w.touchDirs(slices.Compact(shards)...)
}

// dirTimes returns the times of a directory: those of a shard that nothing
// happened in are as old as the world. The caller has mu.
func (w *World) dirTimes(shard int) state.DirTimes {
	if shard == Top {
		return w.times
	}
	if t, ok := w.shardTimes[shard]; ok {
		return t
	}
	return state.DirTimes{Mtime: w.born, Ctime: w.born}
}

// DirAttr returns the times of a shard, or of entities/ itself.
func (w *World) DirAttr(shard int) (mtime, ctime time.Time) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	t := w.dirTimes(shard)
	return t.Mtime, t.Ctime
}

// collectTimes adds to an update the times that changed. The caller has mu.
func (w *World) collectTimes(u *state.Update) {
	if w.times.Dirty {
		u.SetDirTimes("", w.times)
		w.times.Dirty = false
	}
	for shard, t := range w.shardTimes {
		if t.Dirty {
			u.SetDirTimes(w.layout.ShardName(shard), t)
			t.Dirty = false
			w.shardTimes[shard] = t
		}
	}
}

// uncollectTimes is for when they could not be made durable. The caller has mu.
func (w *World) uncollectTimes() {
	w.times.Dirty = true
	for shard, t := range w.shardTimes {
		t.Dirty = true
		w.shardTimes[shard] = t
	}
}

// IDsIn returns up to n IDs greater than after whose files lie in a shard of a
// layout, in order; where that has no shards, of all.
func (w *World) IDsIn(l layout.Layout, shard int, after entity.ID, n int) []entity.ID {
	if !l.Sharded() {
		return w.IDs(after, n)
	}
	for {
		w.mu.RLock()
		p := w.pack
		w.mu.RUnlock()
		packed := w.sharding(l, p).in(shard)
		w.mu.RLock()
		if w.pack == p {
			defer w.mu.RUnlock()
			return w.idsIn(packed, l, shard, after, n)
		}
		w.mu.RUnlock()
	}
}

// idsIn merges those that the pack has with the others. The caller has mu.
func (w *World) idsIn(packed []entity.ID, l layout.Layout, shard int, after entity.ID, n int) []entity.ID {
	var out []entity.ID
	i, j := above(packed, after), above(w.extra, after)
	for len(out) < n {
		for j < len(w.extra) && l.Shard(w.extra[j]) != shard {
			j++
		}
		switch {
		case j < len(w.extra) && (i == len(packed) || w.extra[j] < packed[i]):
			out = append(out, w.extra[j])
			j++
		case i < len(packed):
			if s, ok := w.slots[packed[i]]; !ok || s.file != nil {
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
func (w *World) sharding(l layout.Layout, p *packfile.Pack) *sharding {
	if s := w.shardsOf.Load(); s != nil && s.pack == p && s.layout == l {
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
	w.shardsOf.Store(s)
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
		files[i] = w.holding(a.Attr, a.Text)
	}
	before := make([]slot, 0, len(all))
	err := w.adoptEach(all, files, &before)
	if err == nil {
		err = w.commit()
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
		w.link(a.ID, files[i])
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
