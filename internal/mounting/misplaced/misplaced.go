// Package misplaced finds the files in a mount's scratch directory that have the name of an
// entity's file but do not lie in its place.
package misplaced

import (
	"path"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// In returns them, by their paths there, with slashes: those directly in the directory, and
// those in what are shards in some layout.
func In(scratch *realfs.Scratch) (map[string]entity.ID, error) {
	files := make(map[string]entity.ID)
	names, err := scratch.Root.List()
	if err != nil {
		return nil, err
	}
	add(files, "", names)
	for _, e := range names {
		if e.Mode&unix.S_IFMT != unix.S_IFDIR || !layout.IsShard(e.Name) {
			continue
		}
		shard, err := scratch.Open(e.Name, unix.O_PATH|unix.O_DIRECTORY)
		if err != nil {
			continue // gone since
		}
		names, err := shard.List()
		shard.Close()
		if err != nil {
			return nil, err
		}
		add(files, e.Name, names)
	}
	return files, nil
}

func add(to map[string]entity.ID, in string, names []realfs.Entry) {
	for _, e := range names {
		if id, ok := layout.ParseFileName(e.Name); ok && e.Mode&unix.S_IFMT == unix.S_IFREG {
			to[path.Join(in, e.Name)] = id
		}
	}
}
