package state

import (
	"bytes"
	"time"

	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

func (d DirTimes) append(dst []byte) []byte {
	return fileattr.AppendTime(fileattr.AppendTime(dst, d.Mtime), d.Ctime)
}

// ShardTimes reads the times of a layout's shards.
func (s *Store) ShardTimes(l layout.Layout) (map[int]DirTimes, error) {
	times := make(map[int]DirTimes)
	err := s.db.View(func(tx *transaction) error {
		return tx.bucket(bucketMeta).ForEach(func(k, v []byte) error {
			name, ok := bytes.CutPrefix(k, keyShards)
			if shard, is := l.ParseShard(string(name)); ok && is && len(v) == 2*fileattr.TimeSize {
				times[shard] = DirTimes{Mtime: fileattr.ParseTime(v), Ctime: fileattr.ParseTime(v[fileattr.TimeSize:])}
			}
			return nil
		})
	})
	return times, err
}

// DirTimes are the times of a directory.
type DirTimes struct {
	Mtime, Ctime time.Time
	Dirty        bool
}
