package mount

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newSyncCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Make everything durable and publish it now",
		Long: `sync returns when every edit is durable and in world.pack. Without it that
happens by itself, some seconds later at most.

Where most entities are gone since the last pack, they are not published as
deleted by themselves: a wrong rm or a checkout that was cut off would empty the
game. sync waits ten seconds for them to come back, and then says how many there
are. With --allow-loss they are deleted.` + cli.ExitStatus(cli.StatusOfLoss),
		Example: "  worldfs sync && cp world.pack ../game/\n  worldfs sync --allow-loss",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) error { return w.Sync() })
		},
	}
	cli.AddAllowLoss(cmd)
	return cmd
}
