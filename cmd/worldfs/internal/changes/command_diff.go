package changes

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

type diffOptions struct {
	filterFlags
	table bool
	image string
	exit  bool
}

func newDiffCommand(a *cli.App) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Print what makes one world of another, as a change set",
		Long: `diff prints the changes that make B of A: a readable text that can be mailed,
concatenated, cut down, applied (worldfs apply) and undone (worldfs revert).
With --table it is a table for people, with what moved how far; with --map a
drawing of what was moved, created and deleted, seen from above.

` + cli.WorldNames + cli.ExitStatus("with --exit-code: the worlds differ"),
		Example: "  worldfs diff git:HEAD .\n  worldfs diff old.pack new.pack --not-type Grass_Cluster > mine.changes",
		Args:    cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.table, "table", false, "print a table for people")
	cmd.Flags().StringVar(&o.image, "map", "", "draw the changes, seen from above, into `FILE.svg`")
	cmd.Flags().BoolVar(&o.exit, "exit-code", false, "exit with 1 if the worlds differ")
	return cmd
}

func (o *diffOptions) run(a *cli.App, cmd *cobra.Command, names []string) error {
	filters, err := o.filters()
	if err != nil {
		return err
	}
	if o.image != "" {
		if err := cli.CheckOutput(o.image); err != nil {
			return err
		}
	}
	old, now, err := worldform.OpenPair(names[0], names[1], worldform.Options{Note: a.Noter(cmd)})
	if err != nil {
		return err
	}
	cli.ReportUnread(cmd, names[0], old)
	cli.ReportUnread(cmd, names[1], now)
	from := old.AsIn(now.Source)
	set := changeset.Select(entity.Diff(from, now.AsIn(from)), from, filters...)
	if err := o.print(cmd, set); err != nil {
		return err
	}
	if o.image != "" {
		if err := cli.DrawMap(o.image, set, from); err != nil {
			return err
		}
	}
	if s, ok := from.(interface{ Err() error }); ok && s.Err() != nil {
		return s.Err()
	}
	if o.exit && len(set) > 0 {
		return cli.Problemsf("%s", cli.Counted(len(set), "change", "changes"))
	}
	return nil
}

// print prints the change set: as a table, as a text, or where a map is asked
// for and nothing else, not at all.
func (o *diffOptions) print(cmd *cobra.Command, set entity.ChangeSet) error {
	out := cmd.OutOrStdout()
	if o.table {
		color, width := cli.Terminal(out)
		return changeset.Table(out, set, color, width)
	}
	if o.image != "" {
		return nil
	}
	return changeset.Format(out, set)
}
