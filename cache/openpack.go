package cache

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/fileattr"
	"github.com/worldfs/worldfs/packfile"
)

// openPack reads the published pack, or brings it back, or begins with none.
// If it is not the one that the edits sit on, someone saved it: foreign is
// what they saved, and the world goes on from the pack that it knew.
func (w *World) openPack(m meta) (foreign *packfile.Pack, err error) {
	p, err := w.readPack(m)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.pack, err = w.missingPack(m)
		return nil, err
	case err != nil:
		return nil, asDamaged(err)
	}
	if p.World() != w.dir.ID {
		return nil, fmt.Errorf("%w: %x, not %x; move %s away, or take it in with worldfs import", ErrOtherWorld,
			p.World(), w.dir.ID, w.dir.PackPath())
	}
	hash := p.Hash()
	if hash == m.made || hash == m.next && m.nextSeq != 0 {
		p.MarkEncoded()
	}
	switch {
	case hash == m.base && m.base != [32]byte{}:
		w.pack = p
		w.keep(p)
		return nil, nil
	case m.fresh:
		if err := p.Check(); err != nil {
			return nil, asDamaged(err)
		}
		w.pack = p
	case hash == m.next && m.nextSeq != 0:
		w.pack = p
		w.keepDurably(p) // before the edits in it are dropped
		if err := w.finishCrashed(p, m); err != nil {
			return nil, err
		}
		w.tidyKept(p, nil)
		return nil, nil
	default:
		if err := p.Check(); err != nil {
			return nil, asDamaged(err)
		}
		return w.foreignPack(p, m)
	}
	w.keep(p)
	return nil, w.store.putMeta(keyBase, hashBytes(p))
}

// readPack reads world.pack. Where it has not changed since it was last found
// to be the published one, it need not be looked at again.
func (w *World) readPack(m meta) (*packfile.Pack, error) {
	path := w.dir.PackPath()
	before, err := fileattr.StampFile(path)
	if err != nil || before != m.seen.pack || m.seen.hash != m.base {
		return packfile.ReadFile(path)
	}
	p, err := packfile.ReadKnown(path, m.base)
	if after, changed := fileattr.StampFile(path); changed != nil || after != before {
		return packfile.ReadFile(path)
	}
	w.saves.ours = before
	return p, err
}

// missingPack returns the last published pack if it was kept, an empty one if
// none was ever published.
func (w *World) missingPack(m meta) (*packfile.Pack, error) {
	if p, err := w.kept(m.base); err == nil {
		if w.store.inMemory {
			return p, nil
		}
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
		return nil, w.touchUntouched(p)
	}
	w.pack = base
	return p, nil
}

// touchUntouched goes on from a pack of which it is not known what it changes. Files
// without a record may have other bytes now than those that their times were shown with.
func (w *World) touchUntouched(p *packfile.Pack) error {
	u := update{records: make(map[entity.ID]*record), meta: map[string][]byte{string(keyBase): hashBytes(p)}}
	known := make(map[entity.ID]bool)
	if err := w.store.each(func(id entity.ID, _ *record) error { known[id] = true; return nil }); err != nil {
		return err
	}
	for _, id := range w.plainTimes.Load().ids {
		if known[id] || !p.Has(id) {
			continue
		}
		r := &record{attr: w.untouched(id).attrs()}
		r.attr.Touch()
		u.records[id] = r
	}
	return w.store.apply(u)
}

// finishCrashed ends a publishing that was cut short after the exchange. What
// came in by it without a record has no times of its own yet: it changes now.
func (w *World) finishCrashed(p *packfile.Pack, m meta) error {
	u := update{records: make(map[entity.ID]*record), meta: map[string][]byte{
		string(keyBase): hashBytes(p), string(keyMade): hashBytes(p), string(keyNext): nil,
	}}
	u.packs = map[[32]byte]packNote{p.Hash(): {at: w.packTime()}}
	if m.taking != ([32]byte{}) {
		u.packs[m.taking] = packNote{at: w.packTime(), saved: true}
	}
	known := make(map[entity.ID]*record)
	if err := w.store.each(func(id entity.ID, r *record) error { known[id] = r; return nil }); err != nil {
		return err
	}
	for id, r := range known {
		if r.unpublished && m.nextHas(id, r) {
			r.unpublished = false
			r.dropStale(id, p)
			u.records[id] = r
		}
	}
	if base, err := w.kept(m.base); err == nil {
		for was, is := range entity.Differing(base, p) {
			if w.noteChange(cmp.Or(was, is).ID, was, is, Cause{By: ByEdit}) {
				w.lastNews().doubtful = true
			}
		}
		for _, c := range entity.Diff(base, p) {
			r := known[c.ID]
			if r == nil {
				r = &record{attr: w.untouched(c.ID).attrs()}
			}
			if r.hasText || c.Op == entity.OpDelete {
				continue
			}
			r.attr.Touch()
			u.records[c.ID] = r
		}
	}
	return w.store.apply(u)
}
