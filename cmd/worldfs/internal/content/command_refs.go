package content

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

type refsOptions struct {
	readOptions
	json bool
}

func newRefsCommand(a *cli.App) *cobra.Command {
	var o refsOptions
	cmd := &cobra.Command{
		Use:   "refs ID",
		Short: "Say what an entity refers to, and what refers to it",
		Long: `refs lists what an entity refers to, and what refers to it: a line each, with
the field in which the ref stands. Of an entity that is not there it lists what
refers to it still.` + cli.ExitStatus(""),
		Example: "  worldfs refs 6555\n  worldfs refs 6555 --json | jq '.from[].id'",
		Args:    cli.Takes(1, 1),
		RunE: cli.OfEntity(func(cmd *cobra.Command, id entity.ID) error {
			return o.read(a, cmd, func(r daemon.Reading) error { return o.print(cmd, r.Source, id) })
		}),
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print them as JSON")
	o.addFlags(cmd)
	return cmd
}

// linked is the entity at the other end of a ref, as JSON has it.
type linked struct {
	ID      entity.ID `json:"id"`
	Type    string    `json:"type,omitempty"`
	Name    string    `json:"name,omitempty"`
	Field   string    `json:"field"`             // in which the ref stands, and where in it
	Direct  bool      `json:"direct"`            // what has the ref follows the other
	Missing bool      `json:"missing,omitempty"` // there is no such entity
}

// links are the refs of an entity, as JSON has them.
type links struct {
	ID   entity.ID `json:"id"`
	Type string    `json:"type,omitempty"`
	Name string    `json:"name,omitempty"`
	To   []linked  `json:"to"`
	From []linked  `json:"from"`
}

func (o *refsOptions) print(cmd *cobra.Command, world entity.Source, id entity.ID) error {
	l := links{ID: id, To: []linked{}, From: []linked{}}
	e, there := world.Get(id)
	if there {
		l.Type, l.Name = e.Type(), e.Name()
		for _, r := range reference.Of(e) {
			l.To = append(l.To, linkTo(world, r))
		}
	}
	for _, r := range reference.To(world, map[entity.ID]bool{id: true}) {
		l.From = append(l.From, linked{ID: r.From.ID, Type: r.From.Type(), Name: r.From.Name(), Field: r.Path, Direct: r.Direct})
	}
	if !there && len(l.From) == 0 {
		return fmt.Errorf("there is no entity %d, and nothing refers to it", id)
	}
	if o.json {
		return cli.PrintJSON(cmd.OutOrStdout(), l)
	}
	if !there {
		fmt.Fprintf(cmd.ErrOrStderr(), "there is no entity %d; these refer to it still\n", id)
	}
	t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, r := range l.To {
		r.print(t, "to")
	}
	for _, r := range l.From {
		r.print(t, "from")
	}
	return t.Flush()
}

// linkTo is a ref as its own entity has it.
func linkTo(world entity.Source, r reference.Ref) linked {
	l := linked{ID: r.To, Field: r.Path, Direct: r.Direct}
	if to, there := world.Get(r.To); there {
		l.Type, l.Name = to.Type(), to.Name()
	} else {
		l.Missing = true
	}
	return l
}

func (l linked) print(t *tabwriter.Writer, way string) {
	what := l.Type
	if l.Missing {
		what = "(there is none)"
	}
	follows := ""
	if l.Direct {
		follows = ", direct"
	}
	fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s%s\n", way, l.ID, what, oneLine(l.Name), l.Field, follows)
}
