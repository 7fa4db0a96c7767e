package teamwork

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/worldtree/resolved"
)

type pullOptions struct{ offline, json bool }

func newPullCommand(a *cli.App) *cobra.Command {
	var o pullOptions
	cmd := &cobra.Command{
		Use:   "pull",
		Short: "Take in what others have published",
		Long: `pull takes in what others have published in the branch that this one follows,
merged as a world. What was not committed stays so. Commits that are here alone
are made anew on what came in; with merges among them, they stay and one merge
joins them. What both sides set to two values is marked, and left to
worldfs resolve: in the commits the shared value stands until then.

Where files besides the world would be in conflict, or a conflict is left from
before, nothing is touched. A pull that was interrupted is finished by the next
command.` + cli.ExitStatus("conflicts are left"),
		Example: "  worldfs incoming; worldfs pull\n  worldfs pull && git push",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.offline, "offline", false, "take in what git has heard of before, and ask nobody")
	cli.AddAllowLoss(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print what was done and what is left as JSON")
	return cmd
}

func (o *pullOptions) run(a *cli.App, cmd *cobra.Command) error {
	in, err := look(a, cmd, o.offline)
	if err != nil {
		return err
	}
	report := pullReport{From: in.Upstream, Summary: resolved.Nothing()}
	if !in.Nothing() {
		taken, err := in.Take()
		if err != nil {
			return err
		}
		report.Commits, report.Made, report.Dropped, report.Merged = taken.Commits, taken.Made, taken.Dropped, taken.Merged
		if taken.Resolution != nil {
			report.Summary = taken.Resolution.Summary(taken.Done)
		}
		if err := tellMoved(); err != nil {
			return err
		}
	}
	if o.json {
		err = cli.PrintJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.print(cmd.OutOrStdout())
	}
	if n := len(report.Left); err == nil && n > 0 {
		return cli.Problemsf("%s left: worldfs resolve -i, or --take mine|shared|base [ID], or edit the files and run worldfs resolve", cli.Counted(n, "conflict is", "conflicts are"))
	}
	return err
}

// pullReport is what was taken in, for people and for programs.
type pullReport struct {
	From    string `json:"from"`
	Commits int    `json:"commits"` // that came in
	Made    int    `json:"made"`    // commits that are here alone, made anew
	Dropped int    `json:"dropped"` // of which nothing was left
	Merged  bool   `json:"merged"`  // those stay, and a merge was made
	resolved.Summary
}

func (r *pullReport) print(w io.Writer) error {
	if r.Commits == 0 {
		_, err := fmt.Fprintf(w, "nothing comes in: %s has nothing that is not here\n", r.From)
		return err
	}
	fmt.Fprintf(w, "%s from %s", cli.Counted(r.Commits, "commit", "commits"), r.From)
	switch {
	case r.Merged:
		fmt.Fprint(w, ", merged with yours")
	case r.Made > 0:
		fmt.Fprintf(w, ", and %s of yours made anew on that", cli.Counted(r.Made, "commit", "commits"))
	}
	fmt.Fprintln(w)
	if r.Dropped > 0 {
		fmt.Fprintf(w, "%s of yours not made anew: all of it is in what came in already, or in conflict\n", cli.Counted(r.Dropped, "commit", "commits"))
	}
	if r.Operation == "" {
		return nil // git went forward
	}
	_, err := r.WriteTo(w)
	return err
}
