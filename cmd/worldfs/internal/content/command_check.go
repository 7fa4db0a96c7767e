package content

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/rangefix"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/rangecheck"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type checkOptions struct {
	revisionOptions
	json bool
	fix  bool
}

func newCheckCommand(a *cli.App) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [--from REVISION]",
		Short: "List what would stop a ship build",
		Long: `check lists the findings that would stop a ship build: on a terminal with what
to do about each, elsewhere one a line, which ends with the command that mends
it. worldfs status lists all findings. That most entities are gone since the
last pack is one, unless --allow-loss has them deleted (see worldfs sync); a
revision is compared with the one before it.

It lists, too, what stops no build and is settled best before others have it:
whose IDs are in doubt, and names in types/ and world.toml that stand for
nothing. The exit status says nothing of those.

With --fix ranges of IDs that two have are settled first, and entities in no
range get a line, as worldfs ids check --fix does it. Then commit id_ranges.

With --from it checks a revision of git or svn, read without checking it out:
as a fresh clone of it would be.` + cli.ExitStatus("a finding would stop a ship build"),
		Example: "  worldfs check && worldfs pack --ship -o build/world.pack\n  worldfs check --from git:origin/main --json",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print the findings as JSON; with --fix an object of findings, settled and added")
	cmd.Flags().BoolVar(&o.fix, "fix", false, "settle whose IDs are whose, as far as that can be")
	o.addFlags(cmd)
	cli.AddAllowLoss(cmd)
	return cmd
}

// checked is what check prints.
type checked struct {
	Findings []entity.Finding `json:"findings"`
	rangefix.Done
}

func (o *checkOptions) run(a *cli.App, cmd *cobra.Command) error {
	if o.fix && o.from != "" {
		return cli.Usagef("--fix changes the world, and a revision is not changed")
	}
	var c checked
	var in layout.Layout
	err := o.use(a, cmd, func(dir *worlddir.Dir, w *daemon.World) (err error) {
		if o.fix {
			if c.Done, err = o.settle(a, cmd, dir, w); err != nil {
				return err
			}
		}
		found, err := w.Check()
		if err != nil {
			return err
		}
		found = slices.Concat(o.lossFinding(), found, untoldIDs(a, cmd, dir, w))
		c.Findings, in = advice.Give(dir.Settings.Shard, worthwhile(found)), dir.Settings.Shard
		return nil
	})
	if err != nil {
		return err
	}
	blocking := cli.Blocking(c.Findings)
	if len(blocking) == 0 && !o.json {
		a.Noter(cmd)("nothing would stop a ship build")
	}
	if err := o.print(cmd.OutOrStdout(), in, c); err != nil {
		return err
	}
	if len(blocking) > 0 {
		return cli.Problemsf("%s would stop a ship build", cli.Counted(len(blocking), "finding", "findings"))
	}
	return nil
}

func (o *checkOptions) settle(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir, w *daemon.World) (rangefix.Done, error) {
	r, err := w.Read()
	if err != nil {
		return rangefix.Done{}, err
	}
	return rangefix.Fix(cmd.Context(), cli.IDsOf(dir, w, r.Source, a.Noter(cmd)))
}

// untoldIDs returns what version control tells of whose the entities' IDs are. That it cannot
// be found out is noted.
func untoldIDs(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir, w *daemon.World) []entity.Finding {
	r, err := w.Read()
	if err != nil {
		return nil // for which there is a finding
	}
	found, err := rangecheck.Untold(cmd.Context(), cli.IDsOf(dir, w, r.Source, a.Noter(cmd)))
	if err != nil {
		a.Noter(cmd)(err.Error())
	}
	return found
}

// unsettled are the codes of findings that stop no build, and that check lists all the same.
var unsettled = []string{
	entity.CodeRangesOverlap, entity.CodeRangeUnknown, entity.CodeIDOutside, entity.CodeIDForeign, entity.CodeRoleShared,
	entity.CodeNameUnknown,
}

// worthwhile returns the findings that check lists: those that stop a ship build first.
func worthwhile(findings []entity.Finding) []entity.Finding {
	listed := cli.Blocking(findings)
	for _, f := range findings {
		if !f.Blocks && slices.Contains(unsettled, f.Code) {
			listed = append(listed, f)
		}
	}
	return listed
}

func (o *checkOptions) print(out io.Writer, in layout.Layout, c checked) error {
	switch {
	case o.json && o.fix:
		return cli.PrintJSON(out, c)
	case o.json:
		return cli.PrintJSON(out, c.Findings)
	}
	if err := c.Print(out); err != nil {
		return err
	}
	return cli.PrintFindings(out, in, c.Findings, false)
}
