package cache

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/disk"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// Recent packs stay as bases for what comes in later: at most so many, and not
// for longer than so.
const (
	keepPacks   = 16
	keepPackFor = 14 * 24 * time.Hour
)

// openPack reads the published pack, or brings it back, or begins with none.
// If it is not the one that the edits sit on, someone saved it: foreign is
// what they saved, and the world goes on from the pack that it knew.
func (w *World) openPack(m meta) (foreign *packfile.Pack, err error) {
	p, err := packfile.ReadFile(w.dir.PackPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.pack, err = w.missingPack(m)
		return nil, err
	case err != nil:
		return nil, err
	}
	if p.World() != w.dir.ID {
		return nil, fmt.Errorf("%w: %x, not %x; move %s away, or take it in with worldfs import", ErrOtherWorld,
			p.World(), w.dir.ID, w.dir.PackPath())
	}
	switch hash := p.Hash(); {
	case m.fresh || hash == m.base && m.base != [32]byte{}:
		w.pack = p
	case hash == m.next && m.nextSeq != 0:
		w.pack = p
		err = w.finishCrashed(p, m)
		return nil, err
	default:
		if err := p.Check(); err != nil {
			return nil, err
		}
		return w.foreignPack(p, m)
	}
	w.keep(p)
	return nil, w.store.putMeta(keyBase, hashBytes(p))
}

func hashBytes(p *packfile.Pack) []byte {
	hash := p.Hash()
	return hash[:]
}

// missingPack returns the last published pack if it was kept, an empty one if
// none was ever published.
func (w *World) missingPack(m meta) (*packfile.Pack, error) {
	if p, err := w.kept(m.base); err == nil {
		w.log.Warn("world.pack was missing; the kept one is in its place", "hash", hex.EncodeToString(m.base[:]))
		return p, w.disk.WriteAtomic("pack", w.dir.PackPath(), p.Bytes(), 0o644)
	}
	return emptyPack(w.dir.ID)
}

func emptyPack(world entity.GUID) (*packfile.Pack, error) {
	data, err := packfile.Encode(world, entity.NewTypes(), entity.NewWorld(world, nil))
	if err != nil {
		return nil, err
	}
	return packfile.Parse(data)
}

// foreignPack goes on from the pack that the edits sit on, and leaves p to be
// taken in. Where that pack was not kept, p itself is what they sit on.
func (w *World) foreignPack(p *packfile.Pack, m meta) (*packfile.Pack, error) {
	base, err := w.kept(m.base)
	if err != nil {
		w.log.Warn("the pack that edits were made on is not known any more; they stand on the one there is")
		w.pack = p
		return nil, w.store.putMeta(keyBase, hashBytes(p))
	}
	w.pack = base
	return p, nil
}

func (w *World) keptPack(hash [32]byte) string {
	return filepath.Join(w.dir.PacksPath(), hex.EncodeToString(hash[:]))
}

// finishCrashed ends a publishing that was cut short after the exchange. What
// came in by it without a record has no times of its own yet: it changes now.
func (w *World) finishCrashed(p *packfile.Pack, m meta) error {
	u := update{records: make(map[entity.ID]*record), meta: map[string][]byte{
		string(keyBase): hashBytes(p), string(keyNext): nil,
	}}
	known := make(map[entity.ID]*record)
	if err := w.store.each(func(id entity.ID, r *record) error { known[id] = r; return nil }); err != nil {
		return err
	}
	for id, r := range known {
		if r.seq <= m.nextSeq && r.unpublished {
			r.unpublished = false
			r.dropStale(id, p)
			u.records[id] = r
		}
	}
	if base, err := w.kept(m.base); err == nil {
		now := fileTime(time.Time{})
		for _, c := range entity.Diff(base, p) {
			r := known[c.ID]
			if r == nil {
				r = &record{attr: w.defaultAttr(c.ID)}
			}
			if r.hasText || c.Op == entity.OpDelete {
				continue
			}
			r.attr.Mtime, r.attr.Ctime = now, now
			u.records[c.ID] = r
		}
	}
	return w.store.apply(u)
}

// publish makes the view the pack. The caller has publishing. then is called
// with mu held once the pack is in its place, and adds to the update of
// state.db that ends it.
func (w *World) publish(v *View, then func(u *update)) error {
	data, err := packfile.Encode(w.dir.ID, v.types, v)
	if err == nil {
		err = v.pack.Err()
	}
	if err != nil {
		return fmt.Errorf("make pack: %w", err)
	}
	next, err := packfile.Parse(data)
	if err != nil {
		return fmt.Errorf("make pack: %w", err)
	}
	known := w.pack
	displaced, err := w.replacePack(next, v.seq)
	if err != nil {
		return err
	}
	if err := w.finish(next, v, then); err != nil {
		return err
	}
	w.keep(next)
	return w.takeInDisplaced(displaced, known)
}

// replacePack puts next where the pack is, unless that has the same bytes.
func (w *World) replacePack(next *packfile.Pack, seq uint64) (displaced string, err error) {
	known := w.pack.Hash()
	if w.placed != ([32]byte{}) {
		known = w.placed
	}
	_, err = os.Lstat(w.dir.PackPath())
	missing := errors.Is(err, fs.ErrNotExist)
	if missing {
		known = [32]byte{}
	} else if known == next.Hash() && bytes.Equal(next.Bytes(), w.pack.Bytes()) {
		return "", nil
	}
	mark := binary.LittleEndian.AppendUint64(hashBytes(next), max(seq, 1))
	if err := w.store.putMeta(keyNext, mark); err != nil {
		return "", fmt.Errorf("publish pack: %w", err)
	}
	displaced, err = packfile.Publish(w.disk, w.dir.PackPath(), next.Bytes(), known)
	if errors.Is(err, packfile.ErrDisplaced) {
		err = nil
	} else if displaced != "" {
		w.placed = next.Hash() // it has taken the old one's place, though it may not be durable yet
	}
	if err != nil {
		return "", err
	}
	w.placed = [32]byte{}
	return displaced, nil
}

// keep puts a copy of a pack with the kept ones. It is a copy and no link: an
// engine may write over world.pack in place. It need not be durable, since
// whoever reads it checks its hash; and where it cannot be made the world goes
// on without.
func (w *World) keep(p *packfile.Pack) {
	path := w.keptPack(p.Hash())
	if _, err := os.Lstat(path); err == nil || p.Len() == 0 {
		return
	}
	temp := disk.Beside(path, "tmp")
	err := os.MkdirAll(w.dir.PacksPath(), 0o700)
	if err == nil {
		err = os.WriteFile(temp, p.Bytes(), 0o600)
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err == nil {
		err = w.pruneKept()
	}
	if err != nil {
		w.log.Warn("the pack could not be kept as a base", "error", err)
		_ = os.Remove(temp) // the first error is the one to tell
	}
}

// kept returns a pack that was kept.
func (w *World) kept(hash [32]byte) (*packfile.Pack, error) {
	if hash == ([32]byte{}) {
		return nil, fs.ErrNotExist
	}
	p, err := packfile.ReadFile(w.keptPack(hash))
	if err == nil && p.Hash() != hash {
		err = fmt.Errorf("kept pack %x is not what it was", hash[:8])
	}
	return p, err
}

// sweep looks at the packs that a publishing which was cut short has left
// beside the pack. What another program saved is taken in; what cannot be read
// is put with the kept packs, for a person to look at.
func (w *World) sweep(m meta) error {
	paths, err := packfile.Leftovers(w.dir.PackPath())
	if err != nil {
		return err
	}
	for _, path := range paths {
		p, err := packfile.ReadFile(path)
		if err == nil {
			err = p.Check()
		}
		switch {
		case err != nil:
			w.log.Warn("a pack that cannot be read was put aside", "path", path, "error", err)
			err = w.putAside(path)
		case w.knows(p, m):
			err = w.disk.Remove("left pack", path)
		default:
			err = w.takeInDisplaced(path, w.pack)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// knows reports whether a pack is one that we published or were about to.
func (w *World) knows(p *packfile.Pack, m meta) bool {
	hash := p.Hash()
	if hash == m.base || hash == m.next || hash == w.pack.Hash() {
		return true
	}
	_, err := os.Lstat(w.keptPack(hash))
	return err == nil
}

func (w *World) putAside(path string) error {
	if err := os.MkdirAll(w.dir.PacksPath(), 0o700); err != nil {
		return fmt.Errorf("put a pack aside: %w", err)
	}
	return w.disk.Rename("unreadable pack", path, filepath.Join(w.dir.PacksPath(), "unreadable"+filepath.Base(path)))
}

// pruneKept removes kept packs that are too old or too many.
func (w *World) pruneKept() error {
	entries, err := os.ReadDir(w.dir.PacksPath())
	if err != nil {
		return fmt.Errorf("look at kept packs: %w", err)
	}
	type kept struct {
		path string
		at   time.Time
	}
	var packs []kept
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			packs = append(packs, kept{filepath.Join(w.dir.PacksPath(), e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(packs, func(a, b kept) int { return b.at.Compare(a.at) })
	for i, p := range packs {
		if i < keepPacks && (i == 0 || w.now().Sub(p.at) < keepPackFor) {
			continue
		}
		if err := w.disk.Remove("kept pack", p.path); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint publishes what the pack does not have yet. With final it takes in
// everything as it is at this moment; otherwise texts that still change and
// names that have just gone wait for the next.
func (w *World) checkpoint(final bool) error {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	begin := w.now()
	if err := w.reloadTypes(); err != nil {
		return err
	}
	if err := w.settle(final); err != nil {
		return err
	}
	if err := w.commit(); err != nil {
		return err
	}
	v := w.snapshot(final)
	err := w.publish(v, func(*update) {})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unpublishable = err
	w.clock.published = w.now().Sub(begin)
	return err
}

// Sync returns when everything is durable and in the published pack.
func (w *World) Sync() error { return w.checkpoint(true) }

// finish notes that next, made of v, is the pack now, here and in state.db.
func (w *World) finish(next *packfile.Pack, v *View, then func(u *update)) error {
	w.committing.Lock()
	defer w.committing.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pack, w.types = next, next.Types()
	u := update{records: make(map[entity.ID]*record), meta: map[string][]byte{
		string(keyBase): hashBytes(next), string(keyNext): nil,
	}}
	w.clock.unpublished = time.Time{}
	then(&u)
	for id, s := range w.slots {
		w.settlePublished(id, s, v, &u)
	}
	w.recount()
	if err := w.store.apply(u); err != nil {
		return fmt.Errorf("publish pack: %w", err)
	}
	return nil
}

// settlePublished brings a slot in step with the pack just published. The
// caller has mu.
func (w *World) settlePublished(id entity.ID, s *slot, v *View, u *update) {
	if s.origin == itsOwn {
		if e, ok := w.pack.Get(id); ok && e.Equal(s.good) {
			s.origin, s.good = inThePack, nil
		}
	} else if s.origin == inThePack && !w.pack.Has(id) {
		s.origin = nowhere
	}
	if s.unpublished && (s.seq > v.seq || s.origin == itsOwn || !s.judged || s.file == nil && w.pack.Has(id)) {
		if w.clock.unpublished.IsZero() {
			w.clock.unpublished = w.now()
		}
		return
	}
	if s.file == nil {
		delete(w.slots, id)
		delete(w.dirty, id)
		u.records[id] = nil
		return
	}
	w.dropText(s)
	if s.unpublished || s.dirty {
		s.unpublished = false
		u.records[id] = w.recordOf(s)
		s.recorded, s.dirty = true, false
		delete(w.dirty, id)
	}
}

// dropText lets go of bytes that rendering what the pack has gives as well.
// The caller has mu.
func (w *World) dropText(s *slot) {
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	if s.file.held && s.rendersFromPack() {
		s.file.text, s.file.held = nil, false
	}
}
