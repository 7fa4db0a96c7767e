package cache

import (
	"math"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
)

// Version control compares a file's mtime with the one that it noted, and reads the
// file again where they differ. So a file has one mtime, mounted or not: the mount
// takes over that of the plain file with the same text, and the plain file gets that
// of the mount. Of an entity that was never touched the stamp of its plain file is all
// that is kept: a record of its own for each would be most of state.db.

// plainTimes are the mtimes of the plain files, in the order of their entities.
type plainTimes struct {
	ids []entity.ID
	ns  []int64 // since 1970
}

// of returns the mtime of an entity's plain file, if there is one.
func (t *plainTimes) of(id entity.ID) (mtime time.Time, ok bool) {
	if t == nil {
		return mtime, false
	}
	i, ok := slices.BinarySearch(t.ids, id)
	if ok {
		mtime = time.Unix(0, t.ns[i])
	}
	return mtime, ok
}

// plainTimes returns the mtimes that the stamps have. The keys of their bucket, and the
// stamps in each value, are in the order of the IDs.
func (s *store) plainTimes() (*plainTimes, error) {
	t := &plainTimes{}
	err := s.db.View(func(tx *stateTx) error {
		return tx.bucket(bucketStamps).ForEach(func(_, v []byte) error {
			eachStamp(v, func(id entity.ID, st stamp) { t.ids, t.ns = append(t.ids, id), append(t.ns, st.mtime) })
			return nil
		})
	})
	return t, err
}

// loadPlainTimes has files that were never touched show what the stamps have from now on.
func (w *World) loadPlainTimes() error {
	t, err := w.store.plainTimes()
	if err == nil {
		w.plainTimes.Store(t)
	}
	return err
}

// putPlain notes what is known of the plain files now.
func (w *World) putPlain(u plainUpdate) error {
	if err := w.store.putPlain(u); err != nil {
		return err
	}
	return w.loadPlainTimes()
}

// isStampTime reports whether a stamp can hold a time: not one before 1677 or after
// 2262, which file systems can.
func isStampTime(t time.Time) bool {
	return t.After(time.Unix(0, math.MinInt64)) && t.Before(time.Unix(0, math.MaxInt64))
}
