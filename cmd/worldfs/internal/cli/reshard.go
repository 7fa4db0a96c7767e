package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// maxReshards is how often a world is opened anew within a command because world.toml has come
// to name another shard, as a checkout at the same time has it do.
const maxReshards = 3

// openSteady opens a world by the shard that world.toml has in the end.
func (a *App) openSteady(cmd *cobra.Command, dir *worlddir.Dir) (*daemon.World, error) {
	world, err := daemon.OpenAllowing(dir, a.Noter(cmd), AllowsLoss(cmd))
	for range maxReshards {
		if !errors.Is(err, cache.ErrShardChanged) {
			break
		}
		AwaitCheckout(cmd.Context(), dir)
		world, err = daemon.OpenAllowing(dir, a.Noter(cmd), AllowsLoss(cmd))
	}
	return world, err
}

// closeSteady closes a world that a command has used. What that has done is in the pack; where
// shard has changed meanwhile, the world is opened once more, which brings the plain files to
// where they lie now.
func (a *App) closeSteady(cmd *cobra.Command, dir *worlddir.Dir, world *daemon.World) error {
	err := world.Close()
	for range maxReshards {
		if !errors.Is(err, cache.ErrShardChanged) {
			break
		}
		AwaitCheckout(cmd.Context(), dir)
		if world, err = a.openSteady(cmd, dir); err == nil {
			err = world.Close()
		}
	}
	return err
}
