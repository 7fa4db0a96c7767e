package plaintree

import (
	"path"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// relocate moves the plain files to where world.toml's shard says, if that has
// changed since they were last in their places: by worldfs shard, a checkout or
// by hand. git and svn are asked to move those that they track, so that their history
// goes on. Killed at any point it is finished by the next that calls it.
func (t Tree) relocate() error {
	aside, here := t.Dir.PlainPath(), t.Dir.EntitiesPath()
	return t.World.Relocate([]string{aside, here}, func(dir string, moves []cache.PlainMove) error {
		if dir != here {
			return nil
		}
		return vcs.Rename(t.Dir.Root, fromRoot(path.Base(here), moves))
	})
}

// fromRoot returns the moves as seen from the world's root.
func fromRoot(in string, moves []cache.PlainMove) []vcs.Move {
	out := make([]vcs.Move, len(moves))
	for i, m := range moves {
		out[i] = vcs.Move{From: path.Join(in, m.From), To: path.Join(in, m.To)}
	}
	return out
}
