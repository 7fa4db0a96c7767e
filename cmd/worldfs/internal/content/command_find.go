package content

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

type findOptions struct {
	readOptions
	json bool
}

// match is where find found the text.
type match struct {
	listed
	Field string `json:"field"` // id, type, or the field's name
	Text  string `json:"text"`
}

func newFindCommand(a *cli.App) *cobra.Command {
	var o findOptions
	cmd := &cobra.Command{
		Use:   "find TEXT",
		Short: "Find entities by a text in them",
		Long: `find prints every place where TEXT occurs in an entity's ID, type or strings, in
lower or upper case: the entity, the field, and what stands there. That nothing
is found is no error.` + cli.ExitStatus(""),
		Example: "  worldfs find bunker\n  worldfs find --json 6555",
		Args:    cli.Takes(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object a line")
	o.addFlags(cmd)
	return cmd
}

func (o *findOptions) run(a *cli.App, cmd *cobra.Command, text string) error {
	if text == "" {
		return cli.Usagef("find needs a text that is not empty")
	}
	text = strings.ToLower(text)
	return o.read(a, cmd, func(r daemon.Reading) error {
		found := false
		for e := range r.Source.All() {
			for _, m := range matches(e, text) {
				found = true
				if err := o.print(cmd, e, m); err != nil {
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

func (o *findOptions) print(cmd *cobra.Command, e *entity.Entity, m match) error {
	if o.json {
		return cli.PrintJSON(cmd.OutOrStdout(), m)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s: %s\n", e, m.Field, oneLine(m.Text))
	return err
}

// matches returns where the lower-case text occurs in e.
func matches(e *entity.Entity, text string) (found []match) {
	look := func(field, in string) {
		if strings.Contains(strings.ToLower(in), text) {
			found = append(found, match{listed{ID: e.ID, Type: e.Type(), Name: e.Name()}, field, in})
		}
	}
	look("id", e.ID.String())
	look("type", e.Type())
	for i, f := range e.Layout.Fields {
		eachString(f.Name, &f.Shape, e.Values[i], look)
	}
	for _, raw := range e.Unknown {
		look(raw.Name, strings.TrimSpace(raw.Lines))
	}
	return found
}

// eachString calls do with every text in a value and the path to it.
func eachString(path string, s *entity.Shape, v entity.Value, do func(path, text string)) {
	switch v.Kind() {
	case entity.KindString:
		do(path, v.Text())
	case entity.KindEnum:
		if name, ok := s.NameOf(v.Int()); ok {
			do(path, name)
		}
	case entity.KindSet, entity.KindArray:
		for _, item := range v.Items() {
			eachString(path, s.Of, item, do)
		}
	case entity.KindStruct:
		for i, f := range s.Fields {
			eachString(path+"."+f.Name, &f.Shape, v.Items()[i], do)
		}
	}
}
