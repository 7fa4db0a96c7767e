package cache

import (
	"crypto/sha256"
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// What comes in from the plain files is merged against the last state that both
// sides knew, which is noted for each file: a pack that is kept for as long as
// it is needed, or, where the file and the world parted, the file's own text.
// Writing the plain files brings all of them back to one pack.

// plainBase is the last state that the world and its plain files both knew.
type plainBase struct {
	world *World
	view  *View
	known map[entity.ID]state.Stamp
	packs map[state.BaseRef]*packfile.Pack // nil: it is not known any more
	cut   cutWriters
	lost  int // how many files there were whose base is not known

	common *packfile.Pack // what all were last written from; where that is not known, what was published last
}

func (s *plainSync) openPlainBase(v *View, known map[entity.ID]state.Stamp) (*plainBase, error) {
	bases, err := s.world.store.Bases()
	if err != nil {
		return nil, fmt.Errorf("read the bases of the plain files: %w", err)
	}
	b := &plainBase{world: s.world, view: v, known: known, packs: make(map[state.BaseRef]*packfile.Pack)}
	for ref, hash := range bases {
		p := v.Pack()
		if hash != p.Hash() {
			if p, err = s.world.packs.Get(hash); err != nil {
				continue
			}
		}
		if state.IsCut(ref, hash) {
			b.cut = append(b.cut, p)
		} else {
			b.packs[ref] = p
		}
	}
	if b.common = b.packs[state.BaseCommon]; b.common == nil {
		b.common = v.Pack()
	}
	return b, nil
}

// source returns the base as a world, right for the entities that came in.
func (b *plainBase) source(theirs map[entity.ID]*entity.Entity) (entity.Source, error) {
	values := make(map[entity.ID]*entity.Entity)
	for id, their := range theirs {
		e, err := b.entity(id)
		if err != nil {
			return nil, err
		}
		if their != nil && b.cut.wrote(id, their) {
			e = their
		}
		if in, ok := b.common.Get(id); e == nil && ok || e != nil && (!ok || e != in) {
			values[id] = e
		}
	}
	return entity.NewOverlay(b.common, values), nil
}

// entity returns what a plain file held, nil if there was no file or it had no
// values. Where that is not known, it is what all were last written from.
func (b *plainBase) entity(id entity.ID) (*entity.Entity, error) {
	st, ok := b.known[id]
	switch {
	case !ok && len(b.known) > 0:
		return nil, nil // the file is new
	case ok && st.Base == state.BaseOwn:
		text, err := b.world.store.OwnText(id)
		if err != nil {
			return nil, fmt.Errorf("read what a plain file held: %w", err)
		}
		if res, broken := textcodec.Decode(text, id, b.view.Types()); text != nil && broken == nil {
			return res.Entity, nil
		}
	case ok && b.packs[st.Base] != nil:
		e, _ := b.packs[st.Base].Get(id)
		return b.reread(id, e), nil
	}
	e, had := b.common.Get(id)
	if had {
		b.lost++
	}
	return b.reread(id, e), nil
}

// reread returns an entity of a pack, nil for none, as the world has it under the types of
// now: what becomes of its values by their change alone is no edit of either side. Where the
// file's text is served still, it is what that is read as now: a field that the text leaves
// out had the old declaration's default, and has the new one's, and the lines of what is no
// field any more are as they were typed.
func (b *plainBase) reread(id entity.ID, e *entity.Entity) *entity.Entity {
	if e == nil || b.view.Types().Get(e.Type()) == e.Layout.Type {
		return e
	}
	if text, err := b.view.Text(id); err == nil && sha256.Sum256(text) == b.known[id].Hash {
		if now, ok := b.view.Get(id); ok {
			return now
		}
	}
	return textcodec.Reread(e, b.view.Types())
}

// texts returns what an entity's plain file may have held when version control
// saw it last: what it held, and what has been served in its place since. A text
// that gives another ID is a copy of that one's, which says nothing.
func (b *plainBase) texts(id entity.ID) (texts [][]byte) {
	if e, err := b.entity(id); err == nil && e != nil {
		texts = append(texts, textcodec.Append(nil, e))
	}
	for _, read := range []func(entity.ID) ([]byte, error){b.world.store.OwnText, b.view.Text} {
		text, err := read(id)
		if err != nil {
			continue
		}
		if _, _, in, err := textcodec.Header(text); err == nil && in == id {
			texts = append(texts, text)
		}
	}
	return texts
}

// finding says that the base of plain files was not known.
func (b *plainBase) finding() (entity.Finding, bool) {
	if b.lost == 0 {
		return entity.Finding{}, false
	}
	return entity.Finding{
		Code: entity.CodeBaseUnknown,
		Message: fmt.Sprintf("%d plain files came in, and it is not known what they were made of: "+
			"the pack that was written or published last was taken for it; look through what they changed (worldfs diff)", b.lost),
	}, true
}
