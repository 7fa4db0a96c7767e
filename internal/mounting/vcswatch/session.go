package vcswatch

import (
	"errors"
	"path"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
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
	if s == nil || s.world.Edits() == s.edits {
		return nil, nil
	}
	if err := s.world.SyncHistory(); err != nil {
		return nil, err
	}
	gone := make(map[entity.ID]bool)
	reader := s.world.Log().From(s.from)
	for {
		const batch = 1 << 20
		entries, _, err := reader.Next(batch)
		if err != nil || len(entries) == 0 {
			return listOf(gone), err
		}
		for _, e := range entries {
			switch {
			case e.Kind != history.Changed || e.Cut:
			case e.Is == nil:
				gone[e.ID] = true
			case e.Was == nil:
				delete(gone, e.ID)
			}
		}
	}
}

// Note puts on record which of the deletions svn does not know, of a world that is not
// mounted.
func (s *Session) Note() error {
	ids, err := s.Deleted()
	if err != nil || len(ids) == 0 {
		return err
	}
	var names []string
	for _, id := range ids {
		names = append(names, path.Join(worlddir.EntitiesName, s.world.Layout().Path(id)))
	}
	err = vcssync.NoteGone(s.dir, names)
	if errors.Is(err, vcs.ErrNoTool) || errors.Is(err, vcs.ErrNoRepository) {
		return nil
	}
	return err
}

func listOf(ids map[entity.ID]bool) (list []entity.ID) {
	for id := range ids {
		list = append(list, id)
	}
	return list
}
