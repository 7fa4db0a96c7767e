package teamwork

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/pull"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type incomingOptions struct {
	offline, json bool
	image         string
}

func newIncomingCommand(a *cli.App) *cobra.Command {
	var o incomingOptions
	cmd := &cobra.Command{
		Use:   "incoming",
		Short: "Say what others have published, and what of it would be in conflict",
		Long: `incoming asks git what others have published in the branch that this one
follows. It lists their commits, and what these change in the world, property by
property; and what would be in conflict with what is here, committed or not.
Nothing here is touched: worldfs pull takes it in.` + cli.ExitStatus("something would be in conflict"),
		Example: "  worldfs incoming\n  worldfs incoming --map incoming.svg",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.offline, "offline", false, "go by what git has heard before, and ask nobody")
	cmd.Flags().StringVar(&o.image, "map", "", "draw what comes in, seen from above, into `FILE.svg`")
	cmd.Flags().BoolVar(&o.json, "json", false, "print it as JSON")
	return cmd
}

// look looks at what is to be pulled.
func look(a *cli.App, cmd *cobra.Command, offline bool) (*pull.Incoming, error) {
	root, err := worlddir.FindRoot(".")
	if err != nil {
		return nil, err
	}
	o := pull.Options{Offline: offline, AllowLoss: cli.AllowsLoss(cmd), Note: a.Noter(cmd), Keep: daemon.Keep}
	if _, err := pull.Finish(root, o); err != nil {
		return nil, err
	}
	return pull.Look(root, o)
}

func (o *incomingOptions) run(a *cli.App, cmd *cobra.Command) error {
	if o.image != "" {
		if err := cli.CheckOutput(o.image); err != nil {
			return err
		}
	}
	in, err := look(a, cmd, o.offline)
	if err != nil {
		return err
	}
	report, err := reportIncoming(in)
	if err != nil {
		return err
	}
	if o.json {
		err = cli.PrintJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.print(cmd.OutOrStdout())
	}
	if err == nil && o.image != "" {
		err = cli.DrawMap(o.image, report.set, report.base)
	}
	if n := len(report.Outside); err == nil && n > 0 {
		return cli.Problemsf("%s: worldfs pull touches nothing until that is settled", cli.Counted(n, "file besides the world keeps it from being pulled", "files besides the world keep it from being pulled"))
	}
	if n := len(report.Left); err == nil && n > 0 {
		return cli.Problemsf("%s: worldfs pull takes in the rest, and marks what is in conflict", cli.Counted(n, "conflict", "conflicts"))
	}
	return err
}

// incomingReport is what comes in, for people and for programs.
type incomingReport struct {
	From    string                  `json:"from"`
	Commits []pull.Commit           `json:"commits"`
	Own     int                     `json:"own"`     // commits that are here alone
	Changes int                     `json:"changes"` // of the world, by those commits; what a declaration makes of its entities is one
	Left    []leftconflict.Conflict `json:"left"`    // what would be in conflict
	Sets    []string                `json:"sets"`    // edits in disposable ranges that would go for the other side's set
	Outside []string                `json:"outside"` // files besides the world that keep it from being pulled

	loss pull.Loss
	set  entity.ChangeSet
	base entity.Source
}

func reportIncoming(in *pull.Incoming) (incomingReport, error) {
	r := incomingReport{From: in.Upstream, Commits: append([]pull.Commit{}, in.Commits...), Own: in.Own, Left: []leftconflict.Conflict{}, Sets: []string{}, Outside: append([]string{}, in.Outside...), loss: in.Loss, base: &entity.World{}}
	if in.Nothing() {
		return r, nil
	}
	merged, err := in.Merged()
	if err != nil {
		return r, err
	}
	base, shared := in.Worlds(merged)
	r.base = base.AsIn(shared.Source)
	r.set = entity.Diff(r.base, shared.AsIn(r.base))
	edits, types := changeset.ByDeclaration(r.set)
	r.Changes, r.Left, r.Sets = len(edits)+len(types), merged.Conflicts(), merged.Sets()
	return r, nil
}

// mostIncoming is how many commits, and how many changes, are listed.
const mostIncoming = 20

func (r *incomingReport) print(w io.Writer) error {
	if len(r.Commits) == 0 {
		_, err := fmt.Fprintf(w, "nothing comes in: %s has nothing that is not here\n", r.From)
		return err
	}
	for _, c := range r.Commits[:min(len(r.Commits), mostIncoming)] {
		fmt.Fprintf(w, "%.7s%s %s\n", c.ID, leftconflict.Author{Name: c.Author, Time: c.Time}, c.Subject)
	}
	printMore(w, len(r.Commits)-mostIncoming)
	color, width := cli.Terminal(w)
	edits, types := changeset.ByDeclaration(r.set)
	shown := slices.Clone(edits[:min(len(edits), mostIncoming)])
	for _, d := range types {
		shown = append(shown, d.Changes...)
	}
	if err := changeset.Table(w, shown, color, width); err != nil {
		return err
	}
	printMore(w, len(edits)-mostIncoming)
	for _, l := range r.Left {
		fmt.Fprintf(w, "would be in conflict: %s\n", l)
	}
	for _, line := range r.Sets {
		fmt.Fprintf(w, "set: %s\n", line)
	}
	for _, name := range r.Outside {
		fmt.Fprintf(w, "keeps it from being pulled: %s changed here and there\n", name)
	}
	if r.loss.IsGreat() {
		fmt.Fprintf(w, "a great loss: of %s entities %s are gone in it\n", cli.Count(r.loss.Had), cli.Count(r.loss.Gone))
	}
	_, err := fmt.Fprintf(w, "%s with %s from %s\n", cli.Counted(len(r.Commits), "commit", "commits"), cli.Counted(r.Changes, "change of the world", "changes of the world"), r.From)
	return err
}

func printMore(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "and %s more\n", cli.Count(n))
	}
}
