package worlddir

import (
	"strconv"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// SetShard sets where in entities/ the entities' files lie, in world.toml; all
// else in it stays as it is. The files themselves are moved by the next process
// to open the world.
func (d *Dir) SetShard(l layout.Layout) error {
	if err := d.setSetting(keyShard, strconv.Quote(l.String())); err != nil {
		return err
	}
	d.Settings.Shard = l
	return nil
}
