package fsnode

import (
	"path"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// Scratch returns a path to the directory of the files that are no entities',
// which does not lead through the mount. All that there is now is there.
func (m *Mounted) Scratch() (string, error) {
	return m.fsys.scratch.Root.Magic() + "/", m.fsys.mem.FlushAll()
}

// Misplaced returns the files in the mount's entities directory, and in what
// are shards in some layout, that have the name of an entity's but are not in
// its place: by their paths there, with slashes.
func (m *Mounted) Misplaced() (map[string]entity.ID, error) {
	files := make(map[string]entity.ID)
	root := m.fsys.scratch.Root
	names, err := root.List()
	if err != nil {
		return nil, err
	}
	addMisplaced(files, "", names)
	for _, e := range names {
		if e.Mode&unix.S_IFMT != unix.S_IFDIR || !layout.IsShard(e.Name) {
			continue
		}
		shard, err := m.fsys.scratch.Open(e.Name, unix.O_PATH|unix.O_DIRECTORY)
		if err != nil {
			continue // gone since
		}
		names, err := shard.List()
		shard.Close()
		if err != nil {
			return nil, err
		}
		addMisplaced(files, e.Name, names)
	}
	return files, nil
}

func addMisplaced(to map[string]entity.ID, in string, names []realfs.Entry) {
	for _, e := range names {
		if id, ok := layout.ParseFileName(e.Name); ok && e.Mode&unix.S_IFMT == unix.S_IFREG {
			to[path.Join(in, e.Name)] = id
		}
	}
}
