package cache

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// openPack reads the published pack, or brings it back, or begins with none.
// If it is not the one that the edits sit on, someone saved it: foreign is
// what they saved, and the world goes on from the pack that it knew.
func (w *World) openPack(m state.Meta) (foreign *packfile.Pack, err error) {
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
	if hash == m.Made || hash == m.Next && m.NextSeq != 0 {
		p.MarkEncoded()
	}
	switch {
	case hash == m.Base && m.Base != [32]byte{}:
		w.pack = p
		w.packs.Keep(p)
		return nil, nil
	case m.Fresh:
		if err := p.Check(); err != nil {
			return nil, asDamaged(err)
		}
		w.pack = p
	case hash == m.Next && m.NextSeq != 0:
		w.pack = p
		w.packs.KeepDurably(p) // before the edits in it are dropped
		if err := w.finishCrashed(p, m); err != nil {
			return nil, err
		}
		w.packs.Tidy(p, packstore.Derivation{})
		return nil, nil
	default:
		if err := p.Check(); err != nil {
			return nil, asDamaged(err)
		}
		return w.foreignPack(p, m)
	}
	w.packs.Keep(p)
	return nil, w.store.PutBase(p.Hash())
}

// readPack reads world.pack. Where it has not changed since it was last found
// to be the published one, it need not be looked at again.
func (w *World) readPack(m state.Meta) (*packfile.Pack, error) {
	path := w.dir.PackPath()
	before, err := fileattr.StampFile(path)
	if err != nil || before != m.Seen.Pack || m.Seen.Hash != m.Base {
		return packfile.ReadFile(path)
	}
	p, err := packfile.ReadKnown(path, m.Base)
	if after, changed := fileattr.StampFile(path); changed != nil || after != before {
		return packfile.ReadFile(path)
	}
	w.saves.ours = before
	return p, err
}

// missingPack returns the last published pack if it was kept, an empty one if
// none was ever published.
func (w *World) missingPack(m state.Meta) (*packfile.Pack, error) {
	if p, err := w.packs.Get(m.Base); err == nil {
		if w.store.InMemory() {
			return p, nil
		}
		w.log.Warn("world.pack was missing; the kept one is in its place", "hash", hex.EncodeToString(m.Base[:]))
		return p, w.disk.WriteAtomic("pack", w.dir.PackPath(), p.Bytes(), 0o644)
	}
	return packfile.Empty(w.dir.ID), nil
}

// foreignPack goes on from the pack that the edits sit on, and leaves p to be
// taken in. Where that pack was not kept, p itself is what they sit on.
func (w *World) foreignPack(p *packfile.Pack, m state.Meta) (*packfile.Pack, error) {
	base, err := w.packs.Get(m.Base)
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
	u := state.Update{Records: make(map[entity.ID]*state.Record)}
	u.SetBase(p.Hash())
	known := make(map[entity.ID]bool)
	if err := w.store.EachRecord(func(id entity.ID, _ *state.Record) error { known[id] = true; return nil }); err != nil {
		return err
	}
	for _, id := range w.plainTimes.Load().Entities() {
		if known[id] || !p.Has(id) {
			continue
		}
		r := &state.Record{Attr: w.untouched(id).attrsLocked()}
		r.Attr.Touch()
		u.Records[id] = r
	}
	return w.store.Apply(u)
}

// finishCrashed ends a publishing that was cut short after the exchange. What
// came in by it without a record has no times of its own yet: it changes now.
func (w *World) finishCrashed(p *packfile.Pack, m state.Meta) error {
	u := state.Update{Records: make(map[entity.ID]*state.Record)}
	u.SetPublished(p.Hash())
	u.Packs = map[[32]byte]state.PackNote{p.Hash(): {At: w.packs.NextTime()}}
	if m.Taking != ([32]byte{}) {
		u.Packs[m.Taking] = state.PackNote{At: w.packs.NextTime(), Saved: true}
	}
	known := make(map[entity.ID]*state.Record)
	if err := w.store.EachRecord(func(id entity.ID, r *state.Record) error { known[id] = r; return nil }); err != nil {
		return err
	}
	for id, r := range known {
		if r.Unpublished && m.NextHas(id, r) {
			r.Unpublished = false
			dropStale(r, id, p)
			u.Records[id] = r
		}
	}
	if base, err := w.packs.Get(m.Base); err == nil {
		for was, is := range entity.Differing(base, p) {
			if w.feed.noteChangeLocked(cmp.Or(was, is).ID, was, is, Cause{By: ByEdit}) {
				w.feed.lastEventLocked().doubtful = true
			}
		}
		for _, c := range entity.Diff(base, p) {
			r := known[c.ID]
			if r == nil {
				r = &state.Record{Attr: w.untouched(c.ID).attrsLocked()}
			}
			if r.HasText || c.Op == entity.OpDelete {
				continue
			}
			r.Attr.Touch()
			u.Records[c.ID] = r
		}
	}
	return w.store.Apply(u)
}

// noteSeen notes how world.pack and types/ are, as far as that is known: what
// changed within the last tick of the clock can change again and look the same.
// Of a pack that was written just now that leaves the types that it declares.
// Where it cannot be noted, opening the world takes longer.
func (w *World) noteSeen() {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	now := state.Seen{Pack: w.saves.ours, Hash: w.pack.Hash()}
	if w.decls.typeIn.stood && len(w.decls.typeIn.findings) == 0 {
		now.Types = w.decls.typeIn.stamp
	}
	if !now.AddsTo(w.seen) {
		return
	}
	if err := w.store.PutSeen(now); err != nil {
		w.log.Warn("how the world was left is not noted", "error", err)
	}
}

// dropStale drops a text that reads as other values than the pack has, which
// came in after it.
func dropStale(r *state.Record, id entity.ID, p *packfile.Pack) {
	if !r.HasText {
		return
	}
	res, err := textcodec.Decode(r.Text, id, p.Types())
	if e, ok := p.Get(id); err == nil && ok && !e.Equal(res.Entity) {
		r.HasText, r.Text = false, nil
	}
}
