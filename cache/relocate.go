package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// PlainMove is a plain file's way from one layout to another, both ends in its
// directory, with slashes.
type PlainMove struct{ From, To string }

// PlainLayout returns in which layout the plain files lie.
func (s *plainSync) PlainLayout() (layout.Layout, error) { return s.world.store.Layout() }

// MustRelocate reports whether the plain files lie in another layout than world.toml
// names.
func (s *plainSync) MustRelocate() (bool, error) {
	was, err := s.world.store.Layout()
	return was != s.world.Layout(), err
}

// Relocate moves the plain files in dirs from where the layout put them that
// counted last to where the present one does. Where a directory has a file of
// the entity in its new place already, the old one goes if both are the same, and stays
// if not: a checkout leaves one there that a person has edited. Before the files of a
// directory move, moving is called; it may move them itself, and is called again
// with what is left after a crash. When that layout is still the present one there
// is nothing to do.
func (s *plainSync) Relocate(dirs []string, moving func(dir string, moves []PlainMove) error) error {
	s.world.publishing.Lock()
	defer s.world.publishing.Unlock()
	l := s.world.Layout()
	was, err := s.world.store.Layout()
	if err != nil || was == l {
		return err
	}
	s.takeEarlyScanLocked()
	for _, dir := range dirs {
		if err := s.relocate(dir, was, moving); err != nil {
			return fmt.Errorf("move plain files to where shard = %q has them: %w", l, err)
		}
	}
	return s.world.store.PutLayout(l)
}

func (s *plainSync) relocate(dir string, was layout.Layout, moving func(string, []PlainMove) error) error {
	moves, taken, err := s.plainMoves(dir, was)
	if err != nil || len(moves)+len(taken) == 0 {
		return err
	}
	if err := makeShards(dir, moves); err != nil {
		return err
	}
	if err := moving(dir, moves); err != nil {
		return err
	}
	for _, m := range moves {
		err := s.world.disk.RenameNew("plain file", filepath.Join(dir, m.From), filepath.Join(dir, m.To))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	for _, at := range taken {
		if err := s.world.disk.Remove("plain file", filepath.Join(dir, at)); err != nil {
			return err
		}
	}
	plainfiles.RemoveEmptyShards(dir, was)
	return s.world.disk.SyncFileSystem("plain files", dir)
}

// plainMoves returns which files in dir lie where the layout was puts them and
// have a new place that is free; and which are the same as what has their place.
func (s *plainSync) plainMoves(dir string, was layout.Layout) (moves []PlainMove, taken []string, err error) {
	files, err := plainfiles.List(dir, was)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		if f.Misplaced || f.Err != nil {
			continue
		}
		to := s.world.Layout().Path(f.ID)
		switch _, err := os.Lstat(filepath.Join(dir, to)); {
		case errors.Is(err, fs.ErrNotExist):
			moves = append(moves, PlainMove{f.Path, to})
		case err == nil && disk.SameText(filepath.Join(dir, f.Path), filepath.Join(dir, to), MaxFileSize):
			taken = append(taken, f.Path)
		}
	}
	return moves, taken, nil
}

// makeShards makes the directories that files are to be moved to.
func makeShards(dir string, moves []PlainMove) error {
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
