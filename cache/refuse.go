package cache

import "github.com/worldfs/worldfs/packfile"

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
