package cache

import (
	"fmt"
	"maps"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
)

// A writer of plain files may come to an end between giving files their names
// and noting it: it is killed, or the disk is full. The next scan must not take
// those files for a person's edits of what they were before: an engine that has
// saved since would seem to disagree with that person. So the pack that is
// written from is noted before the first name is given, and kept.

// begin notes which pack files are written from. It must be called before any
// of them changes: world.toml may have come to name another layout since the last did.
func (p *plainWriter) begin() error {
	if err := p.stands(); err != nil || p.begun {
		return err
	}
	w := p.world
	bases, err := w.store.Bases()
	if err != nil {
		return fmt.Errorf("note the plain files: %w", err)
	}
	hash, ref := state.PackHash(w.published().Hash()), state.BaseCut
	before, noted := bases[ref]
	for noted && before != hash {
		ref++
		before, noted = bases[ref]
	}
	if !noted {
		bases[ref] = hash
		w.packs.KeepDurably(w.published())
		if err := w.putPlain(state.PlainUpdate{Bases: bases}); err != nil {
			return fmt.Errorf("note the plain files: %w", err)
		}
		p.cut = ref
	}
	p.begun = true
	return nil
}

// cutBefore returns the packs that earlier writers had begun to write from, as
// long as files of theirs may not have been looked at.
func (p *plainWriter) cutBefore(bases map[state.BaseRef]state.PackHash) map[state.BaseRef]state.PackHash {
	cut := maps.Clone(bases)
	maps.DeleteFunc(cut, func(ref state.BaseRef, _ state.PackHash) bool { return ref < state.BaseCut || ref == p.cut })
	return cut
}

// cutWriters are the packs that writers had begun to write plain files from.
type cutWriters []*packfile.Pack

// wrote reports whether a file that has e, or nil where there is none, may be
// the work of one of them.
func (c cutWriters) wrote(id entity.ID, e *entity.Entity) bool {
	for _, p := range c {
		in, had := p.Get(id)
		if e == nil && !had || e != nil && had && in.Same(e) {
			return true
		}
	}
	return false
}
