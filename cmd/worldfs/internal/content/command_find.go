package content

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/search"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

type findOptions struct {
	readOptions
	json bool
}

// match is where find found a text.
type match struct {
	listed
	Field    string    `json:"field"` // id, type, or the field's name
	Text     string    `json:"text"`
	RefersTo entity.ID `json:"refers_to,omitempty"` // what has the text, where the field is a ref to it
}

func newFindCommand(a *cli.App) *cobra.Command {
	var o findOptions
	cmd := &cobra.Command{
		Use:   "find TEXT...",
		Short: "Find entities by texts in them",
		Long: `find prints the entities that have each TEXT in them, in any order, in lower or
upper case: a line for each place, with the entity, the field, and what stands
there. A text may be in the ID, the type, a string, the name of an enum's value
or of a flag that is set.

Then come the entities that have a text only in what they refer to: where that
has it in its name, or as its ID. That nothing is found is no error.` + cli.ExitStatus(""),
		Example: "  worldfs find bunker\n  worldfs find lamp \"bunker door\"\n  worldfs find --json 6555",
		Args:    cli.Takes(1, search.MaxTexts),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object a line")
	o.addFlags(cmd)
	return cmd
}

func (o *findOptions) run(a *cli.App, cmd *cobra.Command, texts []string) error {
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			return cli.Usagef("find needs a text that is not empty")
		}
	}
	return o.read(a, cmd, func(r daemon.Reading) error {
		found := false
		for f := range search.New(texts...).In(r.Source) {
			found = true
			for _, p := range f.Places {
				if err := o.print(cmd, f.Entity, p); err != nil {
					return err
				}
			}
		}
		if !found && !o.json {
			a.Noter(cmd)("no entity has that in it")
		}
		return nil
	})
}

func (o *findOptions) print(cmd *cobra.Command, e *entity.Entity, p search.Place) error {
	if o.json {
		m := match{listed: listed{ID: e.ID, Type: e.Type(), Name: e.Name()}, Field: p.Field, Text: p.Text}
		if p.To != nil {
			m.RefersTo = p.To.ID
		}
		return cli.PrintJSON(cmd.OutOrStdout(), m)
	}
	text := oneLine(p.Text)
	if p.To != nil {
		text = "refers to " + text
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s: %s\n", e, p.Field, text)
	return err
}
