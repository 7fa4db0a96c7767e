package state

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// BaseRef says where the values are that a plain file had when it was last read
// or written: in the pack of that number.
type BaseRef uint32

// Where the values of a plain file are.
const (
	BaseCommon BaseRef = 0         // the pack that the plain files were last written from
	BaseOwn    BaseRef = 1<<32 - 1 // no pack: the file's text is kept
	BaseLost   BaseRef = 1<<32 - 2 // it is not known any more
)

// PackHash names a pack by its content.
type PackHash [32]byte

// PlainUpdate is a durable change of what is known of the plain files.
type PlainUpdate struct {
	Stamps map[entity.ID]Stamp
	Gone   []entity.ID
	Texts  map[entity.ID][]byte // of those whose stamp says BaseOwn; what there is of others of them stays
	Bases  map[BaseRef]PackHash // all there are from now on; nil leaves them
	InStep []byte               // edits, if all plain files are in step with them; nil leaves what is noted
}

// PutPlain makes a change of what is known of the plain files durable.
func (s *Store) PutPlain(u PlainUpdate) error {
	if len(u.Stamps) == 0 && len(u.Gone) == 0 && u.Bases == nil {
		return nil
	}
	return s.update(func(tx *transaction) error {
		if err := putBases(tx.bucket(bucketBases), u.Bases); err != nil {
			return err
		}
		if u.InStep != nil {
			if err := tx.bucket(bucketMeta).Put(keyPlain, u.InStep); err != nil {
				return err
			}
		}
		texts := tx.bucket(bucketTexts)
		for _, id := range u.Gone {
			if err := texts.Delete(fileKey(id)); err != nil {
				return err
			}
		}
		for id, st := range u.Stamps {
			text := u.Texts[id]
			if text == nil && st.Base == BaseOwn {
				continue
			}
			if err := putValue(texts, fileKey(id), text); err != nil {
				return err
			}
		}
		return putStamps(tx, u.Stamps, u.Gone)
	})
}

func putBases(b sealedBucket, bases map[BaseRef]PackHash) error {
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
		if err := b.Put(baseKey(ref), hash[:]); err != nil {
			return err
		}
	}
	return nil
}

func baseKey(ref BaseRef) []byte { return binary.BigEndian.AppendUint32(nil, uint32(ref)) }

// Bases returns the packs that stamps refer to.
func (s *Store) Bases() (map[BaseRef]PackHash, error) {
	bases := make(map[BaseRef]PackHash)
	err := s.db.View(func(tx *transaction) error {
		return tx.bucket(bucketBases).ForEach(func(k, v []byte) error {
			if len(k) == 4 && len(v) == len(PackHash{}) {
				bases[BaseRef(binary.BigEndian.Uint32(k))] = PackHash(v)
			}
			return nil
		})
	})
	return bases, err
}

// OwnText returns the text that was kept of a plain file.
func (s *Store) OwnText(id entity.ID) (text []byte, err error) {
	err = s.db.View(func(tx *transaction) error {
		text = slices.Clone(tx.bucket(bucketTexts).Get(fileKey(id)))
		return nil
	})
	return text, err
}

// NumberOf returns the number of a pack among bases, which it gets if it has none.
func NumberOf(bases map[BaseRef]PackHash, hash PackHash) BaseRef {
	next := BaseCommon + 1
	for ref, h := range bases {
		if IsCut(ref, h) {
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

// BaseCut is the first of the numbers of such packs among the bases, up to
// those that stand for no pack. No stamp refers to them.
const BaseCut BaseRef = 1 << 31

// IsCut reports whether a number is that of a pack which a writer had begun to write from.
func IsCut(ref BaseRef, _ PackHash) bool { return ref >= BaseCut }

// ForgetPlain forgets what is known of the plain files: each is read again,
// and is a change of what the pack of a hash has. The edits sit on it from now on;
// zero is no pack.
func (s *Store) ForgetPlain(hash PackHash) error {
	return s.update(func(tx *transaction) error {
		for _, name := range [][]byte{bucketStamps, bucketTexts} {
			if err := tx.bucket(name).clear(); err != nil {
				return err
			}
		}
		meta := tx.bucket(bucketMeta)
		if err := errors.Join(meta.Put(keyBase, hash[:]), meta.Put(keyNext, nil)); err != nil {
			return err
		}
		return putBases(tx.bucket(bucketBases), map[BaseRef]PackHash{BaseCommon: hash})
	})
}
