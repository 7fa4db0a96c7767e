package content

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newCheckCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	var o revisionOptions
	cmd := &cobra.Command{
		Use:   "check [--from REVISION]",
		Short: "List what would stop a ship build",
		Long: `check lists the findings that would stop a ship build, and nothing if there are
none: on a terminal with what to do about each, elsewhere one a line, which
ends with the command that mends it. worldfs status lists all findings. That
most entities are gone since the last pack is one, unless --allow-loss has them
deleted (see worldfs sync). A revision is compared with the one before it.

With --from it checks a revision of git or svn, read without checking it out:
as a fresh clone of it would be.` + cli.ExitStatus("there is such a finding"),
		Example: "  worldfs check && worldfs pack --ship -o build/world.pack\n  worldfs check --from git:origin/main --json",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var findings []entity.Finding
			var in layout.Layout
			err := o.use(a, cmd, func(dir *worlddir.Dir, w *daemon.World) error {
				found, err := w.Check()
				found = append(o.lossFinding(), found...)
				findings, in = advice.Give(dir.Settings.Shard, cli.Blocking(found)), dir.Settings.Shard
				return err
			})
			if err != nil {
				return err
			}
			if len(findings) == 0 && !asJSON {
				a.Noter(cmd)("nothing would stop a ship build")
			}
			return printCheck(cmd, asJSON, in, findings)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	o.addFlags(cmd)
	cli.AddAllowLoss(cmd)
	return cmd
}

func printCheck(cmd *cobra.Command, asJSON bool, in layout.Layout, findings []entity.Finding) error {
	if asJSON {
		if err := cli.PrintJSON(cmd.OutOrStdout(), findings); err != nil {
			return err
		}
	} else if err := cli.PrintFindings(cmd.OutOrStdout(), in, findings, false); err != nil {
		return err
	}
	if len(findings) > 0 {
		return cli.Problemsf("%s would stop a ship build", cli.Counted(len(findings), "finding", "findings"))
	}
	return nil
}
