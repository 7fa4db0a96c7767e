package worldform

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
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

// AtHand returns the world that a directory's pack has, for Options.Like: what a revision
// has as that world does, by the object ID, need not be read. It may be old, and where there
// is none, or one that cannot be read, all is read.
func AtHand(root string) []*World {
	pack, err := openPack(worlddir.Known(root, entity.GUID{}).PackPath(), Options{})
	if err != nil {
		return nil
	}
	world := entity.NewWorld(pack.ID, pack.Types)
	for e := range pack.Source.All() { // a pack decodes an entity each time that it is asked for
		world.Put(e)
	}
	return []*World{{ID: pack.ID, Types: pack.Types, Source: world}}
}
