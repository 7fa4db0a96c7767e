package ids

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/rangefix"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
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
	rangefix.Done
}

func (c *checked) check(cmd *cobra.Command, w *idalloc.World, fix bool) (err error) {
	c.Findings = []entity.Finding{}
	if fix {
		if c.Done, err = rangefix.Fix(cmd.Context(), w); err != nil {
			return err
		}
	}
	found, err := rangecheck.World(cmd.Context(), w)
	c.Findings = append(c.Findings, found...)
	return err
}

func (c *checked) print(cmd *cobra.Command, asJSON, fix bool) error {
	if err := c.write(cmd.OutOrStdout(), asJSON, fix); err != nil {
		return err
	}
	if len(c.Findings) > 0 {
		return cli.Problemsf("%s about IDs", cli.Counted(len(c.Findings), "finding", "findings"))
	}
	return nil
}

func (c *checked) write(out io.Writer, asJSON, fix bool) error {
	switch {
	case asJSON && fix:
		return cli.PrintJSON(out, c)
	case asJSON:
		return cli.PrintJSON(out, c.Findings)
	}
	if err := c.Print(out); err != nil {
		return err
	}
	for _, f := range c.Findings {
		if _, err := fmt.Fprintln(out, f); err != nil {
			return err
		}
	}
	return nil
}
