package cache

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// update is one durable change of state.db: records put (nil: dropped), values
// of meta, and notes of packs, whose flags add to those that are there.
type update struct {
	records map[entity.ID]*record
	meta    map[string][]byte
	packs   map[[32]byte]packNote
}

func (u update) isEmpty() bool { return len(u.records) == 0 && len(u.meta) == 0 && len(u.packs) == 0 }

// put makes the change, in a transaction.
func (u update) put(tx *stateTx) error {
	files := tx.bucket(bucketFiles)
	for _, id := range slices.Sorted(maps.Keys(u.records)) { // bbolt takes them faster in their order
		if err := putRecord(files, id, u.records[id]); err != nil {
			return err
		}
	}
	if err := putAll(tx.bucket(bucketMeta), u.meta); err != nil {
		return err
	}
	return putNotes(tx.bucket(bucketPacks), u.packs)
}

func putRecord(files stateBucket, id entity.ID, r *record) error {
	if r == nil {
		return files.Delete(fileKey(id))
	}
	if !r.keepText {
		return files.Put(fileKey(id), r.append(nil))
	}
	old, err := parseRecord(files.Get(fileKey(id)))
	if err != nil {
		return err
	}
	with := *r
	with.text = old.text
	return files.Put(fileKey(id), with.append(nil))
}

// add makes u the change that it is and then next, which has no notes of packs.
func (u *update) add(next update) {
	if u.records == nil {
		u.records, u.meta = make(map[entity.ID]*record), make(map[string][]byte)
	}
	for id, r := range next.records {
		if before := u.records[id]; before != nil && r.keepText {
			with := *r
			with.text, with.keepText = before.text, before.keepText
			r = &with
		}
		u.records[id] = r
	}
	maps.Copy(u.meta, next.meta)
}

// appendTo appends the bytes of an update as the log has it, which drops nothing
// and has no notes of packs; part of the format of state.wal:
//
//	size
//	4      number of records, then of each
//	  4      ID
//	  1      1: its text is the one that the record before it has
//	  4+n    length of the record, record (see record.append)
//	the rest: values of meta, of each
//	  4+n    length of the key, key
//	  4+m    length of the value, value
func (u update) appendTo(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, uint32(len(u.records)))
	for _, id := range slices.Sorted(maps.Keys(u.records)) {
		r := u.records[id]
		dst = le.AppendUint32(dst, uint32(id))
		dst = append(dst, flag(r.keepText))
		dst = appendLong(dst, r.append(nil))
	}
	for _, key := range slices.Sorted(maps.Keys(u.meta)) {
		dst = appendLong(appendLong(dst, []byte(key)), u.meta[key])
	}
	return dst
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

// parseUpdate reads what appendTo wrote.
func parseUpdate(b []byte) (update, error) {
	u := update{records: make(map[entity.ID]*record), meta: make(map[string][]byte)}
	if len(b) < 4 {
		return u, errRecord
	}
	n, b := binary.LittleEndian.Uint32(b), b[4:]
	for range n {
		if len(b) < 5 || b[4] > 1 {
			return u, errRecord
		}
		id, keepText := entity.ID(binary.LittleEndian.Uint32(b)), b[4] == 1
		data, rest, err := cutLong(b[5:])
		if err != nil {
			return u, err
		}
		r, err := parseRecord(data)
		if err != nil {
			return u, err
		}
		r.keepText = keepText
		u.records[id], b = r, rest
	}
	for len(b) > 0 {
		key, rest, err := cutLong(b)
		if err != nil {
			return u, err
		}
		value, rest, err := cutLong(rest)
		if err != nil {
			return u, err
		}
		u.meta[string(key)], b = value, rest
	}
	return u, nil
}

// cutLong takes what appendLong wrote from the beginning of b.
func cutLong(b []byte) (long, rest []byte, err error) {
	if len(b) < 4 || uint64(len(b)-4) < uint64(binary.LittleEndian.Uint32(b)) {
		return nil, nil, errRecord
	}
	n := binary.LittleEndian.Uint32(b)
	return b[4 : 4+n], b[4+n:], nil
}
