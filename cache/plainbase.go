package cache

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// What comes in from the plain files is merged against the last state that both
// sides knew, which is noted for each file: a pack that is kept for as long as
// it is needed, or, where the file and the world parted, the file's own text.
// Writing the plain files brings all of them back to one pack.

// baseRef says where the values are that a plain file had when it was last read
// or written: in the pack of that number.
type baseRef uint32

const (
	baseCommon baseRef = 0         // the pack that the plain files were last written from
	baseOwn    baseRef = 1<<32 - 1 // no pack: the file's text is kept
	baseLost   baseRef = 1<<32 - 2 // it is not known any more
)

// packHash names a pack by its content.
type packHash [32]byte

// plainUpdate is a durable change of what is known of the plain files.
type plainUpdate struct {
	stamps map[entity.ID]stamp
	gone   []entity.ID
	texts  map[entity.ID][]byte // of those whose stamp says baseOwn
	bases  map[baseRef]packHash // all there are from now on; nil leaves them
	inStep []byte               // edits, if all plain files are in step with them; nil leaves what is noted
}

func (s *store) putPlain(u plainUpdate) error {
	if len(u.stamps) == 0 && len(u.gone) == 0 && u.bases == nil {
		return nil
	}
	return s.update(func(tx *stateTx) error {
		if err := putBases(tx.bucket(bucketBases), u.bases); err != nil {
			return err
		}
		if u.inStep != nil {
			if err := tx.bucket(bucketMeta).Put(keyPlain, u.inStep); err != nil {
				return err
			}
		}
		texts := tx.bucket(bucketTexts)
		for _, id := range u.gone {
			if err := texts.Delete(fileKey(id)); err != nil {
				return err
			}
		}
		for id := range u.stamps {
			if err := putValue(texts, fileKey(id), u.texts[id]); err != nil {
				return err
			}
		}
		return putStamps(tx, u.stamps, u.gone)
	})
}

func putBases(b stateBucket, bases map[baseRef]packHash) error {
	if bases == nil {
		return nil
	}
	var old [][]byte
	if err := b.ForEach(func(k, _ []byte) error { old = append(old, slices.Clone(k)); return nil }); err != nil {
		return err
	}
	for _, k := range old {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	for ref, hash := range bases {
		if err := b.Put(binary.BigEndian.AppendUint32(nil, uint32(ref)), hash[:]); err != nil {
			return err
		}
	}
	return nil
}

// bases returns the packs that stamps refer to.
func (s *store) bases() (map[baseRef]packHash, error) {
	bases := make(map[baseRef]packHash)
	err := s.db.View(func(tx *stateTx) error {
		return tx.bucket(bucketBases).ForEach(func(k, v []byte) error {
			if len(k) == 4 && len(v) == len(packHash{}) {
				bases[baseRef(binary.BigEndian.Uint32(k))] = packHash(v)
			}
			return nil
		})
	})
	return bases, err
}

// ownText returns the text that was kept of a plain file.
func (s *store) ownText(id entity.ID) (text []byte, err error) {
	err = s.db.View(func(tx *stateTx) error {
		text = slices.Clone(tx.bucket(bucketTexts).Get(fileKey(id)))
		return nil
	})
	return text, err
}

// number returns the number of a pack among bases, which it gets if it has none.
func number(bases map[baseRef]packHash, hash packHash) baseRef {
	next := baseCommon + 1
	for ref, h := range bases {
		if isCut(ref, h) {
			continue
		}
		if h == hash {
			return ref
		}
		next = max(next, ref+1)
	}
	bases[next] = hash
	return next
}

// pinned reports whether a kept pack is the base of plain files.
func (w *World) pinned() (map[packHash]bool, error) {
	bases, err := w.store.bases()
	if err != nil {
		return nil, fmt.Errorf("read the bases of the plain files: %w", err)
	}
	pinned := make(map[packHash]bool, len(bases))
	for _, hash := range bases {
		pinned[hash] = true
	}
	return pinned, nil
}

// plainBase is the last state that the world and its plain files both knew.
type plainBase struct {
	world *World
	view  *View
	known map[entity.ID]stamp
	packs map[baseRef]*packfile.Pack // nil: it is not known any more
	cut   cutWriters
	lost  int // how many files there were whose base is not known
}

func (w *World) openPlainBase(v *View, known map[entity.ID]stamp) (*plainBase, error) {
	bases, err := w.store.bases()
	if err != nil {
		return nil, fmt.Errorf("read the bases of the plain files: %w", err)
	}
	b := &plainBase{world: w, view: v, known: known, packs: make(map[baseRef]*packfile.Pack)}
	for ref, hash := range bases {
		p := v.pack
		if hash != p.Hash() {
			if p, err = w.kept(hash); err != nil {
				continue
			}
		}
		if isCut(ref, hash) {
			b.cut = append(b.cut, p)
		} else {
			b.packs[ref] = p
		}
	}
	return b, nil
}

// source returns the base as a world, right for the entities that came in.
func (b *plainBase) source(theirs map[entity.ID]*entity.Entity) (entity.Source, error) {
	common := b.packs[baseCommon]
	if common == nil {
		common = b.view.pack
	}
	values := make(map[entity.ID]*entity.Entity)
	for id, their := range theirs {
		e, err := b.entity(id)
		if err != nil {
			return nil, err
		}
		if their != nil && b.cut.wrote(id, their) {
			e = their
		}
		if in, ok := common.Get(id); e == nil && ok || e != nil && (!ok || e != in) {
			values[id] = e
		}
	}
	return entity.NewOverlay(common, values), nil
}

// entity returns what a plain file held, nil if there was no file or it had no
// values. Where that is not known, it is what was published last.
func (b *plainBase) entity(id entity.ID) (*entity.Entity, error) {
	st, ok := b.known[id]
	switch {
	case !ok && len(b.known) > 0:
		return nil, nil // the file is new
	case ok && st.base == baseOwn:
		text, err := b.world.store.ownText(id)
		if err != nil {
			return nil, fmt.Errorf("read what a plain file held: %w", err)
		}
		if res, broken := textcodec.Decode(text, id, b.view.types); text != nil && broken == nil {
			return res.Entity, nil
		}
	case ok && b.packs[st.base] != nil:
		e, _ := b.packs[st.base].Get(id)
		return e, nil
	}
	e, had := b.view.pack.Get(id)
	if had {
		b.lost++
	}
	return e, nil
}

// texts returns what an entity's plain file may have held when version control
// saw it last: what it held, and what has been served in its place since. A text
// that gives another ID is a copy of that one's, which says nothing.
func (b *plainBase) texts(id entity.ID) (texts [][]byte) {
	if e, err := b.entity(id); err == nil && e != nil {
		texts = append(texts, textcodec.Append(nil, e))
	}
	for _, read := range []func(entity.ID) ([]byte, error){b.world.store.ownText, b.view.Text} {
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
			"the last published pack was taken for it; look through what they changed (worldfs diff)", b.lost),
	}, true
}
