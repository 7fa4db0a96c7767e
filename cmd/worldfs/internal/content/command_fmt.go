package content

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type fmtOptions struct {
	upgrade bool
	json    bool
}

func newFmtCommand(a *cli.App) *cobra.Command {
	var o fmtOptions
	cmd := &cobra.Command{
		Use:   "fmt [ID...]",
		Short: "Rewrite entities' texts canonically",
		Long: `fmt rewrites the texts of the entities named, or of all, the one way that their
values are written. The values stay as they are. With --upgrade, entities of
older revisions go on to their types' current ones; a value that would be lost
by that is refused by name. A text with conflict markers stays as it is.` +
			cli.ExitStatus("an entity has a conflict, or cannot be upgraded without loss; the rest is"),
		Example: "  worldfs fmt\n  worldfs fmt 6555 7000\n  worldfs fmt --upgrade",
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	cmd.Flags().BoolVar(&o.upgrade, "upgrade", false, "bring older revisions up to their types'")
	cmd.Flags().BoolVar(&o.json, "json", false, "print what changed as JSON")
	return cmd
}

func (o *fmtOptions) run(a *cli.App, cmd *cobra.Command, args []string) error {
	ids, err := cli.ParseIDs(args)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		ids = nil
	}
	var report cache.Report
	err = a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) error {
		bar := a.Progress(cmd, "formatting", -1)
		defer bar.Stop()
		report, err = w.Format(ids, o.upgrade)
		return err
	})
	if err != nil {
		return err
	}
	return cli.PrintReport(cmd, o.json, report)
}
