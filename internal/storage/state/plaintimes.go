package state

import (
	"math"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
)

// PlainTimes are the mtimes of the plain files, in the order of their entities.
type PlainTimes struct {
	ids []entity.ID
	ns  []int64 // since 1970
}

// Entities returns those that have a plain file.
func (t *PlainTimes) Entities() []entity.ID {
	if t == nil {
		return nil
	}
	return t.ids
}

// Of returns the mtime of an entity's plain file, if there is one.
func (t *PlainTimes) Of(id entity.ID) (mtime time.Time, ok bool) {
	if t == nil {
		return mtime, false
	}
	i, ok := slices.BinarySearch(t.ids, id)
	if ok {
		mtime = time.Unix(0, t.ns[i])
	}
	return mtime, ok
}

// PlainTimes returns the mtimes that the stamps have. The keys of their bucket, and the
// stamps in each value, are in the order of the IDs.
func (s *Store) PlainTimes() (*PlainTimes, error) {
	t := &PlainTimes{}
	err := s.db.View(func(tx *transaction) error {
		return tx.bucket(bucketStamps).ForEach(func(_, v []byte) error {
			eachStamp(v, func(id entity.ID, st Stamp) { t.ids, t.ns = append(t.ids, id), append(t.ns, st.Mtime) })
			return nil
		})
	})
	return t, err
}

// IsStampTime reports whether a stamp can hold a time: not one before 1677 or after
// 2262, which file systems can.
func IsStampTime(t time.Time) bool {
	return t.After(time.Unix(0, math.MinInt64)) && t.Before(time.Unix(0, math.MaxInt64))
}
