package content

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

type lsOptions struct {
	readOptions
	where string
	typ   string
	json  bool
}

// listed is an entity as ls --json and find --json print it.
type listed struct {
	ID   entity.ID `json:"id"`
	Type string    `json:"type"`
	Name string    `json:"name,omitempty"`
}

func newLsCommand(a *cli.App) *cobra.Command {
	var o lsOptions
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List entities",
		Long: `ls lists entities in the order of their IDs: ID, type, name. --where takes an
expression over an entity's fields, and id, type and revision; field("any name")
reads a field whose name is no identifier, parent.radius one of the entity that
the ref parent is to.` + cli.ExitStatus(""),
		Example: `  worldfs ls --type Door
  worldfs ls --where 'type == "Door" && position.z > 100'
  worldfs ls --where 'field("map.size") != nil' --json`,
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().StringVar(&o.where, "where", "", "only entities for which `EXPR` is true")
	cmd.Flags().StringVar(&o.typ, "type", "", "only entities of type `T`")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object a line")
	o.addFlags(cmd)
	return cmd
}

func (o *lsOptions) run(a *cli.App, cmd *cobra.Command) error {
	where, err := cli.CompileWhere(o.where)
	if err != nil {
		return err
	}
	return o.read(a, cmd, func(r daemon.Reading) error {
		if err := o.check(a.Noter(cmd), where, r.Types, r.Source); err != nil {
			return err
		}
		where.In(r.Source)
		t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		for e := range r.Source.All() {
			if o.typ != "" && e.Type() != o.typ {
				continue
			}
			ok, err := where.Has(e)
			if err != nil {
				return err
			}
			if ok {
				o.print(cmd, t, e)
			}
		}
		where.Report(a.Noter(cmd))
		return t.Flush()
	})
}

// check checks the names in the call.
func (o *lsOptions) check(note func(string), where *cli.Selection, types *entity.Types, world entity.Source) error {
	names := cli.NewVocabulary(types).In(world)
	if o.typ != "" {
		if err := names.Select("--type", o.typ); err != nil {
			return err
		}
	}
	return names.CheckWhere(note, where)
}

func (o *lsOptions) print(cmd *cobra.Command, t *tabwriter.Writer, e *entity.Entity) {
	if o.json {
		_ = cli.PrintJSON(cmd.OutOrStdout(), listed{e.ID, e.Type(), e.Name()})
		return
	}
	fmt.Fprintln(t, strings.TrimRight(fmt.Sprintf("%d\t%s\t%s", e.ID, e.Type(), oneLine(e.Name())), "\t"))
}

// oneLine keeps a name from breaking the columns.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
