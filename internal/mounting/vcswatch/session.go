package vcswatch

import (
	"errors"
	"path"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Session is a world that a process has from now on, in an svn working copy. A nil one
// is none.
type Session struct {
	dir   *worlddir.Dir
	world *cache.World
	edits uint64
	from  uint64 // in the history
}

// Begin begins a Session where svn has the world.
func Begin(dir *worlddir.Dir, world *cache.World) *Session {
	if _, svn := vcssync.Uses(dir.Root); !svn {
		return nil
	}
	from, err := world.Log().Last()
	if err != nil {
		return nil // a finding says so
	}
	return &Session{dir: dir, world: world, edits: world.Edits(), from: from}
}

// Deleted returns the entities that were deleted since, and are not there again.
func (s *Session) Deleted() ([]entity.ID, error) {
	gone, _, err := s.changed()
	return gone, err
}

// changed returns the entities that were deleted since, and are not there again; and those that
// a command has made, and that are there still.
func (s *Session) changed() (gone, made []entity.ID, err error) {
	if s == nil || s.world.Edits() == s.edits {
		return nil, nil, nil
	}
	if err := s.world.SyncHistory(); err != nil {
		return nil, nil, err
	}
	there, byCommand := make(map[entity.ID]bool), make(map[entity.ID]bool)
	reader := s.world.Log().From(s.from)
	for {
		const batch = 1 << 20
		entries, _, err := reader.Next(batch)
		if err != nil || len(entries) == 0 {
			return listOf(there, false), listOf(byCommand, true), err
		}
		for _, e := range entries {
			switch {
			case e.Kind != history.Changed || e.Cut:
			case e.Is == nil:
				there[e.ID], byCommand[e.ID] = false, false
			case e.Was == nil:
				there[e.ID], byCommand[e.ID] = true, e.By != cache.ByEdit && e.By != cache.ByPlain
			}
		}
	}
}

// Note puts on record which of the deletions svn does not know, of a world that is not
// mounted, and drops those that a command has taken back: svn itself brings back files alone.
func (s *Session) Note() error {
	gone, made, err := s.changed()
	if err != nil {
		return err
	}
	var back, names []string
	for _, id := range made {
		back = append(back, layout.Places(id)...)
	}
	if len(back) > 0 {
		if _, err := vcssync.Note(s.dir, vcssync.Update{Drop: back}); err != nil {
			return err
		}
	}
	for _, id := range gone {
		names = append(names, path.Join(worlddir.EntitiesName, s.world.Layout().Path(id)))
	}
	if len(names) == 0 {
		return nil
	}
	err = vcssync.NoteGone(s.dir, names)
	if errors.Is(err, vcs.ErrNoTool) || errors.Is(err, vcs.ErrNoRepository) {
		return nil
	}
	return err
}

// listOf returns the entities of which something is so, or is not.
func listOf(ids map[entity.ID]bool, so bool) (list []entity.ID) {
	for id, is := range ids {
		if is == so {
			list = append(list, id)
		}
	}
	return list
}
