package content

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

type typesOptions struct {
	readOptions
	json bool
}

func newTypesCommand(a *cli.App) *cobra.Command {
	var o typesOptions
	cmd := &cobra.Command{
		Use:   "types",
		Short: "List the types, and how many entities each has",
		Long: `types lists the types: name, current revision, number of fields that entities of
that revision have, number of entities, and how many of these are of an older
revision (worldfs fmt --upgrade brings them up). A type that entities have and
nothing declares here is listed, too. worldfs types check finds what a change of
types would do to the entities.` + cli.ExitStatus(""),
		Example: "  worldfs types\n  worldfs types --json | jq 'select(.older > 0)'",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.read(a, cmd, func(r daemon.Reading) error { return o.print(cmd, r) })
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object a line")
	o.addFlags(cmd)
	cmd.AddCommand(newTypesCheckCommand(a))
	return cmd
}

// typed is a type and its entities, as types --json prints them.
type typed struct {
	Type     string `json:"type"`
	Revision uint32 `json:"revision,omitempty"` // the current one
	Fields   int    `json:"fields"`             // of the current revision
	Entities int    `json:"entities"`
	Older    int    `json:"older"`             // entities of an earlier revision
	Unknown  bool   `json:"unknown,omitempty"` // nothing declares it here
}

func (o *typesOptions) print(cmd *cobra.Command, r daemon.Reading) error {
	t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, row := range countTypes(r) {
		switch {
		case o.json:
			if err := cli.PrintJSON(cmd.OutOrStdout(), row); err != nil {
				return err
			}
		case row.Unknown:
			fmt.Fprintf(t, "%s\tdeclared nowhere\t\t%s\n", row.Type, cli.Counted(row.Entities, "entity", "entities"))
		default:
			fmt.Fprintf(t, "%s\trevision %d\t%s\t%s%s\n", row.Type, row.Revision, cli.Counted(row.Fields, "field", "fields"),
				cli.Counted(row.Entities, "entity", "entities"), row.older())
		}
	}
	return t.Flush()
}

func (t *typed) older() string {
	if t.Older == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of an older revision", t.Older)
}

// countTypes returns the world's types, the declared ones in their order, then others in
// the order in which entities have them.
func countTypes(r daemon.Reading) []*typed {
	var rows []*typed
	known := make(map[string]*typed)
	add := func(row *typed) {
		rows, known[row.Type] = append(rows, row), row
	}
	for _, t := range r.Types.All() {
		add(&typed{Type: t.Name, Revision: t.Revision, Fields: len(t.Current().Fields)})
	}
	for e := range r.Source.All() {
		row := known[e.Type()]
		if row == nil {
			row = &typed{Type: e.Type(), Unknown: true}
			add(row)
		}
		row.count(e)
	}
	return rows
}

func (t *typed) count(e *entity.Entity) {
	t.Entities++
	if !t.Unknown && e.Revision() < t.Revision {
		t.Older++
	}
}
