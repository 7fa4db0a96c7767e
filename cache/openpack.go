package cache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/storage/table"
	"github.com/worldfs/worldfs/packfile"
)

// openPack reads the published pack, or brings it back, or begins with none.
// If it is not the one that the edits sit on, someone saved it: foreign is
// what they saved, and the world goes on from the pack that it knew.
func (w *World) openPack(opening *table.Opening, m state.Meta) (foreign *packfile.Pack, err error) {
	p, err := w.readPack(m)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if p, err = w.missingPack(m); err == nil {
			opening.SetPack(p)
		}
		return nil, err
	case err != nil:
		return nil, mend.AsDamaged(err)
	}
	if p.World() != w.dir.ID {
		return nil, fmt.Errorf("%w: %x, not %x; move %s away, or take it in with worldfs import", ErrOtherWorld,
			p.World(), w.dir.ID, w.dir.PackPath())
	}
	if err := mend.RefuseAtOpening(w.dir, w.packs, m, p); err != nil {
		return nil, err
	}
	hash := p.Hash()
	if hash == m.Made || hash == m.Next && m.NextSeq != 0 {
		p.MarkEncoded()
	}
	switch {
	case hash == m.Base && m.Base != [32]byte{}:
		opening.SetPack(p)
		w.packs.Keep(p)
		return nil, nil
	case m.Fresh:
		if err := p.Check(); err != nil {
			return nil, mend.AsDamaged(err)
		}
		opening.SetPack(p)
	case hash == m.Next && m.NextSeq != 0:
		opening.SetPack(p)
		w.packs.KeepDurably(p) // before the edits in it are dropped
		if err := w.finishCrashed(opening, p, m); err != nil {
			return nil, err
		}
		w.packs.Tidy(p, packstore.Derivation{})
		return nil, nil
	default:
		if err := p.Check(); err != nil {
			return nil, mend.AsDamaged(err)
		}
		return w.foreignPack(opening, p, m)
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
func (w *World) foreignPack(opening *table.Opening, p *packfile.Pack, m state.Meta) (*packfile.Pack, error) {
	base, err := w.packs.Get(m.Base)
	if err != nil {
		w.log.Warn("the pack that edits were made on is not known any more; they stand on the one there is")
		opening.SetPack(p)
		return nil, opening.TouchUntouched(p)
	}
	opening.SetPack(base)
	return p, nil
}

// finishCrashed ends a publishing of p that was cut short after the exchange.
func (w *World) finishCrashed(opening *table.Opening, p *packfile.Pack, m state.Meta) error {
	notes := make(map[[32]byte]state.PackNote)
	if m.Taking != ([32]byte{}) {
		notes[m.Taking] = state.PackNote{At: w.packs.NextTime(), Saved: true}
	}
	notes[p.Hash()] = state.PackNote{At: w.packs.NextTime(), Saved: m.Taking == p.Hash(), Published: true}
	base, err := w.packs.Get(m.Base)
	if err != nil {
		base = nil // it was not kept: nothing says what has changed
	}
	return opening.FinishCrashed(p, base, notes, m)
}

// noteSeen notes how world.pack and types/ are, as far as that is known: what
// changed within the last tick of the clock can change again and look the same.
// Of a pack that was written just now that leaves the types that it declares.
// Where it cannot be noted, opening the world takes longer.
func (w *World) noteSeen() {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	now := state.Seen{Pack: w.saves.ours, Hash: w.published().Hash()}
	if in := w.decls.read(); in.stamp.Stood && len(in.findings) == 0 {
		now.Types = in.stamp.Stamp
	}
	if !now.AddsTo(w.seen) {
		return
	}
	if err := w.store.PutSeen(now); err != nil {
		w.log.Warn("how the world was left is not noted", "error", err)
	}
}
