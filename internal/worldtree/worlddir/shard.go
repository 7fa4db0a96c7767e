package worlddir

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/pelletier/go-toml/v2"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// ShardOf returns where in entities/ the entities' files lie by the text of a world.toml.
func ShardOf(config []byte) (layout.Layout, error) {
	var says struct {
		Shard string `toml:"shard"`
	}
	if err := toml.Unmarshal(config, &says); err != nil {
		return layout.None, fmt.Errorf("read %s: %w", configName, err)
	}
	if says.Shard == "" {
		return layout.None, nil
	}
	return layout.Parse(says.Shard)
}

// ShardNow returns where in entities/ the entities' files lie by world.toml as it is now. One
// that has nothing in it yet, as amid a checkout, says nothing.
func (d *Dir) ShardNow() (layout.Layout, error) {
	config, err := disk.ReadFile(d.ConfigPath(), maxMarked)
	if err == nil && len(config) == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		return layout.None, fmt.Errorf("read %s: %w", configName, err)
	}
	return ShardOf(config)
}

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
