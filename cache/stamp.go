package cache

import (
	"encoding/binary"
	"time"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
)

// stamp is what is known of a plain file: as it was when it was last read or
// written, and what it held then.
type stamp struct {
	mtime, ctime, size, ino int64
	at                      int64 // when it was read or written, ns
	hash                    [32]byte
}

const stampSize = 5*8 + 32

// A file that changed less than a clock's tick before it was read may have
// changed again in the same tick, with the same times.
const tick = int64(20 * time.Millisecond)

// isOf reports whether the file is as it was, without reading it.
func (s stamp) isOf(st *unix.Stat_t) bool {
	return s.mtime == st.Mtim.Nano() && s.ctime == st.Ctim.Nano() && s.size == st.Size &&
		s.ino == int64(st.Ino) && max(s.mtime, s.ctime)+tick < s.at
}

func stampOf(st *unix.Stat_t, at time.Time, hash [32]byte) stamp {
	return stamp{st.Mtim.Nano(), st.Ctim.Nano(), st.Size, int64(st.Ino), at.UnixNano(), hash}
}

func (s stamp) append(dst []byte) []byte {
	for _, n := range []int64{s.mtime, s.ctime, s.size, s.ino, s.at} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	return append(dst, s.hash[:]...)
}

func parseStamp(b []byte) (s stamp, ok bool) {
	if len(b) != stampSize {
		return s, false
	}
	for i, n := range []*int64{&s.mtime, &s.ctime, &s.size, &s.ino, &s.at} {
		*n = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	copy(s.hash[:], b[5*8:])
	return s, true
}

func (s *store) stamps() (map[entity.ID]stamp, error) {
	stamps := make(map[entity.ID]stamp)
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketPlain).ForEach(func(k, v []byte) error {
			if st, ok := parseStamp(v); ok && len(k) == 4 {
				stamps[entity.ID(binary.BigEndian.Uint32(k))] = st
			}
			return nil
		})
	})
	return stamps, err
}

// putStamps writes stamps that changed and drops those that went.
func (s *store) putStamps(changed map[entity.ID]stamp, gone []entity.ID) error {
	if len(changed) == 0 && len(gone) == 0 {
		return nil
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketPlain)
		for _, id := range gone {
			if err := b.Delete(fileKey(id)); err != nil {
				return err
			}
		}
		for id, st := range changed {
			if err := b.Put(fileKey(id), st.append(nil)); err != nil {
				return err
			}
		}
		return nil
	})
}

// isAt reports whether the file is the one that was read or written, by what a
// person's edit cannot leave as it was.
func (s stamp) isAt(st *unix.Stat_t) bool {
	return s.mtime == st.Mtim.Nano() && s.size == st.Size && s.ino == int64(st.Ino)
}
