package mount

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

// newDaemonCommand is what mount runs in the background.
func newDaemonCommand(a *cli.App) *cobra.Command {
	var o mountOptions
	cmd := &cobra.Command{
		Use:    "daemon",
		Short:  "Serve a mount (mount starts this)",
		Long:   "daemon serves a mount. mount starts it, with a pipe on which it says when it is\nready." + cli.ExitStatus(""),
		Hidden: true,
		Args:   cli.Takes(0, 0),
		RunE:   func(cmd *cobra.Command, _ []string) error { return o.runDaemon(a, cmd) },
	}
	o.addDaemonFlags(cmd)
	return cmd
}

func (o *mountOptions) runDaemon(a *cli.App, cmd *cobra.Command) error {
	dir, err := a.Find(cmd)
	if err != nil {
		return err
	}
	m, err := o.mounting(dir)
	if err != nil {
		return err
	}
	w, err := daemon.LogWriter(dir)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: dir.Settings.LogLevel}))
	return daemon.RunStarted(dir, daemon.RunOptions{Mounting: m, AllowOther: o.allowOther, AllowLoss: cli.AllowsLoss(cmd), Log: log, Reader: readAheadCommand, Self: selfCommand})
}
