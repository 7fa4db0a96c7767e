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
	near  nearness
	json  bool
}

// listed is an entity as ls --json and find --json print it.
type listed struct {
	ID   entity.ID `json:"id"`
	Type string    `json:"type"`
	Name string    `json:"name,omitempty"`

	// With --near.
	Position *[3]float64 `json:"position,omitempty"`
	Distance *float64    `json:"distance,omitempty"`
}

func newLsCommand(a *cli.App) *cobra.Command {
	var o lsOptions
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List entities",
		Long: `ls lists entities in the order of their IDs: ID, type, name. --where takes an
expression over an entity's fields, and id, type and revision; field("any name")
reads a field whose name is no identifier, parent.radius one of the entity that
the ref parent is to (worldfs help expressions).

With --near it lists what has a position, the nearest to an entity or to a place
first: with its position and its distance, in the world's units.` + cli.ExitStatus(""),
		Example: `  worldfs ls --type Door
  worldfs ls --where 'type == "Door" && position.z > 100'
  worldfs ls --where 'field("map.size") != nil' --json
  worldfs ls --near 6555 --within 20
  worldfs ls --near 46,108,9 --type Lamp`,
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().StringVar(&o.where, "where", "", "only entities for which `EXPR` is true")
	cmd.Flags().StringVar(&o.typ, "type", "", "only entities of type `T`")
	cmd.Flags().StringVar(&o.near.of, "near", "", "by the distance from `ID|X,Y,Z`")
	cmd.Flags().Float64Var(&o.near.within, "within", 0, "with --near: no farther away than `R`")
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
		if err := o.near.find(r.Source, cmd.Flags().Changed("within")); err != nil {
			return err
		}
		where.In(r.Source)
		t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		var around []found
		for e := range r.Source.All() {
			if o.typ != "" && e.Type() != o.typ {
				continue
			}
			ok, err := where.Has(e)
			if err != nil {
				return err
			}
			switch {
			case ok && o.near.of != "":
				around = o.near.add(around, e)
			case ok:
				o.print(cmd, t, e)
			}
		}
		nearestFirst(around)
		for _, f := range around {
			o.printFound(cmd, t, f)
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
		_ = cli.PrintJSON(cmd.OutOrStdout(), listed{ID: e.ID, Type: e.Type(), Name: e.Name()})
		return
	}
	fmt.Fprintln(t, strings.TrimRight(fmt.Sprintf("%d\t%s\t%s", e.ID, e.Type(), oneLine(e.Name())), "\t"))
}

func (o *lsOptions) printFound(cmd *cobra.Command, t *tabwriter.Writer, f found) {
	e := f.entity
	if o.json {
		_ = cli.PrintJSON(cmd.OutOrStdout(), listed{e.ID, e.Type(), e.Name(), &f.place, &f.distance})
		return
	}
	fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s away\n", e.ID, e.Type(), oneLine(e.Name()), placeText(f.place), short(f.distance))
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
