package content

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

type lsOptions struct {
	readOptions
	where   string
	typ     string
	near    nearness
	columns []string
	sort    []string
	reverse bool
	json    bool
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
first: with its position and its distance, in the world's units.

--columns says what to show: fields, parts of them (position.z, targets[0]),
what is behind a ref (targets[0].radius), and of every entity id, type, name,
revision, position, parent (what it follows) and with --near distance. Where an
entity has nothing of that name the column is empty, and null in JSON. --sort
orders by columns: numbers by what they are, names as people count, what has
nothing last; a - before one turns it round. On a terminal lines are cut to its
width.` + cli.ExitStatus(""),
		Example: `  worldfs ls --type Door
  worldfs ls --where 'type == "Door" && position.z > 100'
  worldfs ls --where 'field("map.size") != nil' --json
  worldfs ls --near 6555 --within 20
  worldfs ls --near 46,108,9 --type Lamp
  worldfs ls --type Lamp --columns id,name,radius,position.z --sort -radius`,
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().StringVar(&o.where, "where", "", "only entities for which `EXPR` is true")
	cmd.Flags().StringVar(&o.typ, "type", "", "only entities of type `T`")
	cmd.Flags().StringVar(&o.near.of, "near", "", "by the distance from `ID|X,Y,Z`")
	cmd.Flags().Float64Var(&o.near.within, "within", 0, "with --near: no farther away than `R`")
	cmd.Flags().StringSliceVar(&o.columns, "columns", nil, "show these `COLUMNS`, with commas between them")
	cmd.Flags().StringSliceVar(&o.sort, "sort", nil, "order by these `COLUMNS`, by ID where they are the same")
	cmd.Flags().BoolVar(&o.reverse, "reverse", false, "turn the order round")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object a line")
	o.addFlags(cmd)
	return cmd
}

func (o *lsOptions) run(a *cli.App, cmd *cobra.Command) error {
	where, err := cli.CompileWhere(o.where)
	if err != nil {
		return err
	}
	order, err := o.parseColumns()
	if err != nil {
		return err
	}
	return o.read(a, cmd, func(r daemon.Reading) error {
		c := columns{world: r.Source, near: o.near.of != ""}
		if err := o.check(a.Noter(cmd), where, c, order, r.Types); err != nil {
			return err
		}
		if err := o.near.find(r.Source, cmd.Flags().Changed("within")); err != nil {
			return err
		}
		where.In(r.Source)
		l := listing{columns: c, paths: o.columns, order: order, reverse: o.reverse, json: o.json, out: cmd.OutOrStdout()}
		if err := o.choose(where, r.Source, l.add); err != nil {
			return err
		}
		where.Report(a.Noter(cmd))
		return l.print()
	})
}

// parseColumns reads --columns and --sort.
func (o *lsOptions) parseColumns() (order []ordering, err error) {
	for i, path := range o.columns {
		o.columns[i] = strings.TrimSpace(path)
		switch {
		case o.columns[i] == "":
			return nil, cli.Usagef("--columns: a name is empty")
		case slices.Contains(o.columns[:i], o.columns[i]):
			return nil, cli.Usagef("--columns: %s is given twice", o.columns[i])
		}
	}
	for _, path := range o.sort {
		path, descending := strings.CutPrefix(strings.TrimSpace(path), "-")
		if path == "" {
			return nil, cli.Usagef("--sort: a name is empty")
		}
		order = append(order, ordering{path, descending})
	}
	return order, nil
}

// check checks the names in the call.
func (o *lsOptions) check(note func(string), where *cli.Selection, c columns, order []ordering, types *entity.Types) error {
	names := cli.NewVocabulary(types).In(c.world)
	selected := types
	if o.typ != "" {
		if err := names.Select("--type", o.typ); err != nil {
			return err
		}
		selected = &entity.Types{}
		if t := types.Get(o.typ); t != nil {
			selected.Put(t)
		} else {
			selected.Put(entity.UnknownType(o.typ))
		}
	}
	for _, path := range o.columns {
		if err := c.check("--columns", path, selected, types); err != nil {
			return err
		}
	}
	for _, by := range order {
		if err := c.check("--sort", by.path, selected, types); err != nil {
			return err
		}
	}
	return names.CheckWhere(note, where)
}

// choose calls do with the entities that are listed, in the order of their IDs.
func (o *lsOptions) choose(where *cli.Selection, world entity.Source, do func(row) error) error {
	for e := range world.All() {
		if o.typ != "" && e.Type() != o.typ {
			continue
		}
		ok, err := where.Has(e)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if r, near := o.near.measure(e); near {
			if err := do(r); err != nil {
				return err
			}
		}
	}
	return nil
}
