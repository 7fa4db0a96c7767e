package state

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// Stamp is what is known of a plain file: as it was when it was last read or
// written, and what it held then.
type Stamp struct {
	Mtime, ctime, size, ino int64
	at                      int64 // when it was read or written, ns
	Hash                    [32]byte
	Base                    BaseRef // where the values are that it had then
}

const stampSize = 5*8 + 32 + 4

// IsOf reports whether the file is as it was, without reading it.
func (s Stamp) IsOf(f fileattr.Stamp) bool {
	return s.IsAt(f) && s.ctime == f.Ctime.Nano() && max(s.Mtime, s.ctime)+fileattr.Tick < s.at
}

// StampOf returns the stamp of a file that was read at a time and held bytes of a hash.
func StampOf(f fileattr.Stamp, at time.Time, hash [32]byte) Stamp {
	return Stamp{
		Mtime: f.Mtime.Nano(), ctime: f.Ctime.Nano(), size: f.Size, ino: int64(f.Ino),
		at: at.UnixNano(), Hash: hash,
	}
}

func (s Stamp) append(dst []byte) []byte {
	for _, n := range []int64{s.Mtime, s.ctime, s.size, s.ino, s.at} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	return binary.LittleEndian.AppendUint32(append(dst, s.Hash[:]...), uint32(s.Base))
}

func parseStamp(b []byte) (s Stamp, ok bool) {
	if len(b) != stampSize {
		return s, false
	}
	for i, n := range []*int64{&s.Mtime, &s.ctime, &s.size, &s.ino, &s.at} {
		*n = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	copy(s.Hash[:], b[5*8:])
	s.Base = BaseRef(binary.LittleEndian.Uint32(b[5*8+32:]))
	return s, true
}

// stampsTogether is how many IDs share one value of the bucket of stamps: one
// key each made opening the database, and reading all of them, slow.
const stampsTogether = 512

// stampEntry is a stamp with its ID before it, as values of the bucket have
// them one after the other, in the order of the IDs.
const stampEntry = 4 + stampSize

func stampsKey(id entity.ID) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(id)/stampsTogether)
}

// eachStamp calls f for the stamps in one value of the bucket.
func eachStamp(value []byte, f func(entity.ID, Stamp)) {
	for ; len(value) >= stampEntry; value = value[stampEntry:] {
		if st, ok := parseStamp(value[4:stampEntry]); ok {
			f(entity.ID(binary.LittleEndian.Uint32(value)), st)
		}
	}
}

// Stamps returns what is known of each plain file.
func (s *Store) Stamps() (map[entity.ID]Stamp, error) {
	var stamps map[entity.ID]Stamp
	err := s.db.View(func(tx *transaction) error {
		size := 0
		b := tx.bucket(bucketStamps)
		_ = b.ForEach(func(_, v []byte) error { size += len(v); return nil }) // none of ours fails
		stamps = make(map[entity.ID]Stamp, size/stampEntry)
		return b.ForEach(func(_, v []byte) error {
			eachStamp(v, func(id entity.ID, st Stamp) { stamps[id] = st })
			return nil
		})
	})
	return stamps, err
}

// putStamps writes stamps that changed and drops those that went.
func putStamps(tx *transaction, changed map[entity.ID]Stamp, gone []entity.ID) error {
	b := tx.bucket(bucketStamps)
	ids := slices.AppendSeq(slices.Clone(gone), maps.Keys(changed))
	slices.Sort(ids)
	for len(ids) > 0 {
		key, n := stampsKey(ids[0]), 1
		for n < len(ids) && ids[n]/stampsTogether == ids[0]/stampsTogether {
			n++
		}
		if err := putValue(b, key, alterStamps(b.Get(key), ids[:n], changed)); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// alterStamps returns a value of the bucket with the stamps of these IDs as
// they are in changed, and gone where they are not.
func alterStamps(value []byte, ids []entity.ID, changed map[entity.ID]Stamp) []byte {
	all := make(map[entity.ID]Stamp, stampsTogether)
	eachStamp(value, func(id entity.ID, st Stamp) { all[id] = st })
	for _, id := range ids {
		if st, ok := changed[id]; ok {
			all[id] = st
		} else {
			delete(all, id)
		}
	}
	out := make([]byte, 0, len(all)*stampEntry)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		out = all[id].append(binary.LittleEndian.AppendUint32(out, uint32(id)))
	}
	return out
}

// putValue sets a key, or drops it where the value is empty.
func putValue(b sealedBucket, key, value []byte) error {
	if len(value) == 0 {
		return b.Delete(key)
	}
	return b.Put(key, value)
}

// IsAt reports whether the file is the one that was read or written, by what a
// person's edit cannot leave as it was.
func (s Stamp) IsAt(f fileattr.Stamp) bool {
	return s.Mtime == f.Mtime.Nano() && s.size == f.Size && s.ino == int64(f.Ino)
}

// IsInStep reports whether a file that is as the world has it needs no other base: its own is
// that of all, or it does not parse and what it was made of is kept.
func (s Stamp) IsInStep(isBroken func() bool) bool {
	return s.Base == BaseCommon || s.Base == BaseOwn && isBroken()
}
