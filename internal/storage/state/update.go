package state

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// Update is one durable change of state.db: records put (nil: dropped), values
// of meta, and notes of packs, whose flags add to those that are there.
type Update struct {
	Records map[entity.ID]*Record
	meta    map[string][]byte
	Packs   map[[32]byte]PackNote
}

// IsEmpty reports whether the update changes nothing.
func (u Update) IsEmpty() bool { return len(u.Records) == 0 && len(u.meta) == 0 && len(u.Packs) == 0 }

// set has the update put a value of meta.
func (u *Update) set(key string, value []byte) {
	if u.meta == nil {
		u.meta = make(map[string][]byte)
	}
	u.meta[key] = value
}

// SetSeq has the update put the number of the last edit.
func (u *Update) SetSeq(seq uint64) {
	u.set(string(keySeq), binary.LittleEndian.AppendUint64(nil, seq))
}

// SetBorn has the update put the mtime of files without a record.
func (u *Update) SetBorn(born time.Time) { u.set(string(keyBorn), fileattr.AppendTime(nil, born)) }

// SetBase has the update put the hash of the pack that the edits sit on.
func (u *Update) SetBase(hash [32]byte) { u.set(string(keyBase), hash[:]) }

// SetNext has the update put what is being published.
func (u *Update) SetNext(m Mark) { u.set(string(keyNext), m.append(nil)) }

// SetPublished has the update put the hash of a pack that we made and that the edits
// sit on from now on; nothing is being published then.
func (u *Update) SetPublished(hash [32]byte) {
	u.SetBase(hash)
	u.set(string(keyMade), hash[:])
	u.set(string(keyNext), nil)
}

// SetDirTimes has the update put the times of a shard, or, without a name, of
// entities/ itself.
func (u *Update) SetDirTimes(shard string, t DirTimes) {
	key := string(keyDir)
	if shard != "" {
		key = string(keyShards) + shard
	}
	u.set(key, t.append(nil))
}

// put makes the change, in a transaction.
func (u Update) put(tx *transaction) error {
	files := tx.bucket(bucketFiles)
	for _, id := range slices.Sorted(maps.Keys(u.Records)) { // bbolt takes them faster in their order
		if err := putRecord(files, id, u.Records[id]); err != nil {
			return err
		}
	}
	if err := putAll(tx.bucket(bucketMeta), u.meta); err != nil {
		return err
	}
	return putNotes(tx.bucket(bucketPacks), u.Packs)
}

func putRecord(files sealedBucket, id entity.ID, r *Record) error {
	if r == nil {
		return files.Delete(fileKey(id))
	}
	if !r.KeepText {
		return files.Put(fileKey(id), r.append(nil))
	}
	old, err := parseRecord(files.Get(fileKey(id)))
	if err != nil {
		return err
	}
	with := *r
	with.Text = old.Text
	return files.Put(fileKey(id), with.append(nil))
}

// add makes u the change that it is and then next, which has no notes of packs.
func (u *Update) add(next Update) {
	if u.Records == nil {
		u.Records, u.meta = make(map[entity.ID]*Record), make(map[string][]byte)
	}
	for id, r := range next.Records {
		if before := u.Records[id]; before != nil && r.KeepText {
			with := *r
			with.Text, with.KeepText = before.Text, before.KeepText
			r = &with
		}
		u.Records[id] = r
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
func (u Update) appendTo(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, uint32(len(u.Records)))
	for _, id := range slices.Sorted(maps.Keys(u.Records)) {
		r := u.Records[id]
		dst = le.AppendUint32(dst, uint32(id))
		dst = append(dst, flag(r.KeepText))
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
func parseUpdate(b []byte) (Update, error) {
	u := Update{Records: make(map[entity.ID]*Record), meta: make(map[string][]byte)}
	if len(b) < 4 {
		return u, ErrRecord
	}
	n, b := binary.LittleEndian.Uint32(b), b[4:]
	for range n {
		if len(b) < 5 || b[4] > 1 {
			return u, ErrRecord
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
		r.KeepText = keepText
		u.Records[id], b = r, rest
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
		return nil, nil, ErrRecord
	}
	n := binary.LittleEndian.Uint32(b)
	return b[4 : 4+n], b[4+n:], nil
}
