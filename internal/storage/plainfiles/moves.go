package plainfiles

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Move is a file's way from one layout to another, both ends in its directory, with slashes.
type Move struct{ From, To string }

// FindMoves returns which files in dir lie where the layout was puts them and have a new place
// that is free; and which have no edit that what is in their new place lacks: they are the same,
// or as version control has the file there, which shared is asked for (see worlddir.Dir.Shared).
func FindMoves(dir string, was, now layout.Layout, shared func([]worlddir.PlainChange) []string) (moves []Move, taken []string, err error) {
	files, err := List(dir, was)
	if err != nil {
		return nil, nil, err
	}
	var both []worlddir.PlainChange // what the old files would be in their new places
	from := make(map[string]string)
	for _, f := range files {
		if f.Misplaced || f.Err != nil {
			continue
		}
		to := now.Path(f.ID)
		_, err := os.Lstat(filepath.Join(dir, to))
		if errors.Is(err, fs.ErrNotExist) {
			moves = append(moves, Move{f.Path, to})
		}
		if err != nil {
			continue
		}
		if disk.SameText(filepath.Join(dir, f.Path), filepath.Join(dir, to), fileattr.MaxSize) {
			taken = append(taken, f.Path)
		} else if text, err := disk.ReadFile(filepath.Join(dir, f.Path), fileattr.MaxSize); err == nil {
			both = append(both, worlddir.PlainChange{Path: to, Text: text})
			from[to] = f.Path
		}
	}
	for _, to := range shared(both) {
		taken = append(taken, from[to])
	}
	return moves, taken, nil
}

// MakeShards makes the directories that files are to be moved to.
func MakeShards(dir string, moves []Move) error {
	made := map[string]bool{".": true}
	for _, m := range moves {
		shard := path.Dir(m.To)
		if made[shard] {
			continue
		}
		made[shard] = true
		if err := os.Mkdir(filepath.Join(dir, shard), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}
