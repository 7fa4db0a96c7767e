package ids

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangecheck"
)

func newCheckCommand(a *cli.App) *cobra.Command {
	var fix, asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Find ranges and IDs whose owner is in doubt",
		Long: `check lists what is wrong with id_ranges, and with the IDs of entities: a file
that does not parse (the last good one stays in force), ranges with IDs in
common, a range of yours that nobody else knows of, entities in no range,
entities that were made here, are not committed, and have IDs of somebody
else's, and a role in world.toml, which everybody has.

With --fix ranges that two have taken without knowing of each other are
settled: the one that was published first keeps its IDs; the other is cut down
to what only it has or, if that is nothing, moves above all others. Entities
keep their IDs: whoever has the range passes over them. Entities in no range
get a line of their own. Then commit id_ranges.` + cli.ExitStatus("something is wrong, and was not settled"),
		Example: "  worldfs ids check\n  worldfs ids check --fix && git commit -m \"Settle ID ranges\" id_ranges",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var c checked
			err := use(a, cmd, func(w *idalloc.World) error { return c.check(cmd, w, fix) })
			if err != nil {
				return err
			}
			return c.print(cmd, asJSON, fix)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "settle what can be settled")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON; with --fix an object of findings, settled and added")
	return cmd
}

// checked is what check has found, and settled.
type checked struct {
	Findings []entity.Finding `json:"findings"`
	Settled  []settledRange   `json:"settled"`
	Added    []claimedRange   `json:"added"`
}

// settledRange is a range that has given way, as check prints it.
type settledRange struct {
	Keeps  claimedRange   `json:"keeps"`
	Was    claimedRange   `json:"was"`
	Is     []claimedRange `json:"is"`
	Inside int            `json:"entities"` // with IDs of the overlap
}

func (c *checked) check(cmd *cobra.Command, w *idalloc.World, fix bool) error {
	c.Findings, c.Settled, c.Added = []entity.Finding{}, []settledRange{}, []claimedRange{}
	if fix {
		settled, err := rangecheck.Settle(cmd.Context(), w)
		if err != nil {
			return err
		}
		for _, s := range settled {
			c.Settled = append(c.Settled, settledRange{shown(s.Keeps), shown(s.Was), allShown(s.Is), s.Inside})
		}
		added, err := rangecheck.Cover(w)
		if err != nil {
			return err
		}
		c.Added = allShown(added)
	}
	found, err := rangecheck.World(cmd.Context(), w)
	c.Findings = append(c.Findings, found...)
	return err
}

func shown(r idrange.Range) claimedRange { return claimedRange{r.From, r.To, r.Keys, r.Comment} }

func allShown(ranges []idrange.Range) []claimedRange {
	all := []claimedRange{}
	for _, r := range ranges {
		all = append(all, shown(r))
	}
	return all
}

func (c *checked) print(cmd *cobra.Command, asJSON, fix bool) error {
	out := cmd.OutOrStdout()
	switch {
	case asJSON && fix:
		if err := cli.PrintJSON(out, c); err != nil {
			return err
		}
	case asJSON:
		if err := cli.PrintJSON(out, c.Findings); err != nil {
			return err
		}
	default:
		c.printText(out)
	}
	if len(c.Findings) > 0 {
		return cli.Problemsf("%s about IDs", cli.Counted(len(c.Findings), "finding", "findings"))
	}
	return nil
}

func (c *checked) printText(out io.Writer) {
	for _, s := range c.Settled {
		fmt.Fprintln(out, s.text())
	}
	for _, r := range c.Added {
		fmt.Fprintf(out, "%s is a range now\n", r.text())
	}
	if len(c.Settled)+len(c.Added) > 0 {
		fmt.Fprintln(out, "commit id_ranges now")
	}
	for _, f := range c.Findings {
		fmt.Fprintln(out, f)
	}
}

func (s settledRange) text() string {
	is := make([]string, len(s.Is))
	for i, r := range s.Is {
		is[i] = fmt.Sprintf("%d to %d", r.From, r.To)
	}
	text := fmt.Sprintf("%s keeps its IDs; %s is %s now", s.Keeps.text(), s.Was.text(), strings.Join(is, " and "))
	if s.Inside > 0 {
		text += fmt.Sprintf("; %s in the overlap keep their IDs", cli.Counted(s.Inside, "entity", "entities"))
	}
	return text
}
