package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// PlainMove is a plain file's way from one layout to another, both ends in its
// directory, with slashes.
type PlainMove = plainfiles.Move

// ErrShardChanged says that world.toml has come to name another shard since the world was
// opened, as a checkout does. By the old one no plain file is written any more.
var ErrShardChanged = errors.New("shard in world.toml has changed meanwhile: the next worldfs command writes the plain files")

// checkLayout returns ErrShardChanged where world.toml has another layout than the world.
func (s *plainSync) checkLayout() error {
	now, err := s.world.dir.ShardNow()
	if err == nil && now != s.world.Layout() {
		err = ErrShardChanged
	}
	return err
}

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
// the entity in its new place already, the old one goes if both are the same, or if it is
// as version control has the new one, which a person has edited since: it was written amid
// the checkout. Else it stays: a checkout leaves one there that a person has edited.
// Before the files of a directory move, moving is called; it may move them itself, and
// is called again with what is left after a crash. When that layout is still the
// present one there is nothing to do.
func (s *plainSync) Relocate(dirs []string, moving func(dir string, moves []PlainMove) error) error {
	s.world.publishing.Lock()
	defer s.world.publishing.Unlock()
	l := s.world.Layout()
	was, err := s.world.store.Layout()
	if err != nil || was == l {
		return err
	}
	if err := s.checkLayout(); err != nil {
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
	moves, taken, err := plainfiles.FindMoves(dir, was, s.world.Layout(), s.world.dir.Shared)
	if err != nil || len(moves)+len(taken) == 0 {
		return err
	}
	if err := plainfiles.MakeShards(dir, moves); err != nil {
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
