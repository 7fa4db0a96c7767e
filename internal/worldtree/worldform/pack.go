package worldform

import (
	"fmt"

	"github.com/worldfs/worldfs/packfile"
)

// openPack opens a pack and checks all of it, but for what a pack opened before
// has, too.
func openPack(path string, o Options) (*World, error) {
	like := o.likePack()
	if like != nil && like.IsAt(path) {
		return ofPack(like), nil
	}
	if like != nil {
		pack, err := packfile.ReadLike(path, like)
		if err != nil {
			return nil, err
		}
		return ofPack(pack), nil
	}
	pack, err := packfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := pack.Check(); err != nil {
		return nil, fmt.Errorf("read pack %s: %w", path, err)
	}
	return ofPack(pack), nil
}

func ofPack(p *packfile.Pack) *World { return &World{ID: p.World(), Types: p.Types(), Source: p} }

// likePack returns the pack that was opened last.
func (o *Options) likePack() (p *packfile.Pack) {
	for _, w := range o.Like {
		if pack, ok := w.Source.(*packfile.Pack); ok {
			p = pack
		}
	}
	return p
}
