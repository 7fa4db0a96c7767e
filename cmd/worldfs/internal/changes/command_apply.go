package changes

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type applyOptions struct {
	reverse      bool
	unknownTypes bool
	policy       string
	json         bool
}

func newApplyCommand(a *cli.App) *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply FILE | -",
		Short: "Make the changes of a change set",
		Long: `apply makes the changes that a change set (see worldfs diff) says, on this world
as it is now. Where the world has moved on, only what was changed here as well,
to something else, is a conflict; it is marked in the entity's text. A change of
an entity or a value that is gone, or of a derived pose, is not made, and told.

The file can also be OUT.conflicts, which worldfs merge leaves beside a .pack or
.jsonl: what is in it is then marked, or with --policy decided.` +
			cli.ExitStatus("conflicts, or not all is made, or "+cli.StatusOfLoss),
		Example: "  worldfs diff git:main git:feature > feature.changes\n  worldfs apply feature.changes\n" +
			"  worldfs apply merged.pack.conflicts",
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVarP(&o.reverse, "reverse", "R", false, "undo the changes instead")
	cmd.Flags().BoolVar(&o.unknownTypes, "allow-unknown-types", false, "make entities whose type is declared nowhere, too")
	return cmd
}

func newRevertCommand(a *cli.App) *cobra.Command {
	o := applyOptions{reverse: true}
	cmd := &cobra.Command{
		Use:   "revert FILE | -",
		Short: "Undo the changes of a change set",
		Long: `revert undoes the changes that a change set says, on this world as it is now; it
is apply --reverse.` + cli.ExitStatus("conflicts, or not all is made, or "+cli.StatusOfLoss),
		Example: "  worldfs revert feature.changes",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *applyOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.policy, "policy", "", "who stands in a conflict: leave, shared (the change set) or mine; as world.toml says, else leave")
	cmd.Flags().BoolVar(&o.json, "json", false, "print what changed as JSON")
	cli.AddAllowLoss(cmd)
}

func (o *applyOptions) run(a *cli.App, cmd *cobra.Command, file string) error {
	in, name := io.Reader(cmd.InOrStdin()), "standard input"
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in, name = f, file
	}
	return applyChanges(a, cmd, in, name, daemon.ApplyOptions{Reverse: o.reverse, Policy: o.policy, UnknownTypes: o.unknownTypes, AllowLoss: cli.AllowsLoss(cmd)}, o.json)
}

// applyChanges makes the changes of a change set's text and says what they came
// to. The text is read to its end before the world is opened: the program that writes it may wait
// for the world itself, as set --dry-run does.
func applyChanges(a *cli.App, cmd *cobra.Command, in io.Reader, name string, o daemon.ApplyOptions, asJSON bool) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	var report cache.Report
	err = a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) (err error) {
		report, err = w.Apply(bytes.NewReader(text), name, o)
		return err
	})
	if err != nil {
		return err
	}
	if err := cli.PrintReport(cmd, asJSON, report); err != nil {
		return err
	}
	for _, c := range report.Conflicts {
		fmt.Fprintln(cmd.ErrOrStderr(), c.Words)
	}
	if n := report.Left(); n > 0 {
		return cli.Problemsf("%s left; see worldfs status", cli.Counted(n, "conflict", "conflicts"))
	}
	if why := whyNothing(report); why != "" {
		a.Noter(cmd)(fmt.Sprintf("%s: nothing was changed: %s", name, why))
	}
	if err := cli.NoEffect(cmd, report.NoEffect()); err != nil {
		return err
	}
	if n := report.Gone(); n > 0 {
		return cli.Problemsf("%s of %s could not be made", cli.Counted(n, "change", "changes"), name)
	}
	return nil
}

// whyNothing says why a change set that was applied, or undone, has changed nothing, "" where
// it has.
func whyNothing(r cache.Report) string {
	switch {
	case r.Created+r.Changed+r.Deleted+r.Broken+r.Carried+len(r.Types)+len(r.Derived) > 0:
		return ""
	case len(r.Conflicts) > 0:
		return "of what it says nothing could be made here"
	}
	return "it says no change, or the world is so already"
}
