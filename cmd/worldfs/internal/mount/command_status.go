package mount

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/mergecost"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newStatusCommand(a *cli.App) *cobra.Command {
	var asJSON, watch bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say how the world is, and what is wrong or notable in it",
		Long: `status says whether the world is mounted and by which process, how large it is,
what is not published yet, and every finding: on a terminal the worst first,
with what it means and the command that mends it, elsewhere a line each. Those
marked with * would stop a ship build (see worldfs check). Last comes what
merges of the last 14 days have cost (see worldfs resolve).

--watch goes on saying so whenever it changes, until it is interrupted: on a
terminal it draws the screen anew, with --json it prints a document a change
(one with "error" where the world cannot be read). It follows the world through
mounting and unmounting.` + cli.ExitStatus(""),
		Example: "  worldfs status\n  worldfs status --json | jq .findings\n  worldfs status --watch",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watch {
				return watchStatus(a, cmd, asJSON)
			}
			return runStatus(a, cmd, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	cmd.Flags().BoolVar(&watch, "watch", false, "go on, and say it again whenever it changes")
	return cmd
}

// mostMerges is how many merges status looks at that were not looked at before: that
// takes up to half a second each.
const mostMerges = 10

func runStatus(a *cli.App, cmd *cobra.Command, asJSON bool) error {
	dir, err := a.Find(cmd)
	if err != nil {
		return err
	}
	killed := crashed(dir)
	return a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		st, err := readStatus(cmd.Context(), dir, w, killed)
		if err != nil {
			return err
		}
		lost, err := st.addLost(w, mergecost.Before(a, cmd, dir, mostMerges))
		if err != nil {
			return err
		}
		out := cmd.OutOrStdout()
		if asJSON {
			return cli.PrintJSON(out, st)
		}
		color, width := cli.Terminal(out)
		return errors.Join(printStatus(out, st, dir.Settings.Shard, cli.FindingsStyle{Color: color, Width: width}), mergecost.Print(out, lost))
	})
}
