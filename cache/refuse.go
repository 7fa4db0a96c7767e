package cache

import (
	"fmt"

	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// refuse returns a *packstore.Refused for a pack that is no save of this world.
func (s *saveWatcher) refuse(p *packfile.Pack) error {
	return s.world.packs.Refuse(p, s.world.published(), s.world.Types())
}

// readSave is readWhole, and returns a *packstore.Refused beside a pack that is no save.
func (s *saveWatcher) readSave(path string) (p *packfile.Pack, by writer, err error) {
	if p, by, err = readWhole(path, s.world.published()); err == nil {
		err = s.refuse(p)
	}
	return p, by, err
}

// refuseAtOpening returns a *Damaged for a pack at world.pack, of this world, that is
// nothing to go on from.
func refuseAtOpening(dir *worlddir.Dir, packs *packstore.Store, m state.Meta, p *packfile.Pack) error {
	if !p.IsBasedOnItself() {
		return nil
	}
	types, _, err := typefile.ReadDir(dir.TypesPath())
	if err != nil {
		return err
	}
	editor, err := packs.Get(m.Base)
	if err != nil {
		editor = nil // it is not kept: what types/ declares says what the world has
	}
	if err := packs.Refuse(p, editor, types); err != nil {
		return asDamaged(fmt.Errorf("%s is %w", dir.PackPath(), err))
	}
	return nil
}
