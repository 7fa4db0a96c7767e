package main

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/daemon"
	"github.com/worldfs/worldfs/worlddir"
)

func newSyncCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "sync",
		Short: "Make everything durable and publish it now",
		Long: `sync returns when every edit is durable and in world.pack. Without it that
happens by itself, some seconds later at most.` + exitStatus(""),
		Example: "  worldfs sync && cp world.pack ../game/",
		Args:    takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.use(cmd, func(_ *worlddir.Dir, w daemon.World) error { return w.Sync() })
		},
	}
}
