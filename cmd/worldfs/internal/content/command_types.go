package content

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/cheader"
)

type typesOptions struct {
	readOptions
	json   bool
	c      bool
	prefix string
}

func newTypesCommand(a *cli.App) *cobra.Command {
	var o typesOptions
	cmd := &cobra.Command{
		Use:   "types",
		Short: "List the types, and how many entities each has",
		Long: `types lists the types: name, current revision, number of fields that entities of
that revision have, number of entities, and how many of these are of an older
revision (worldfs fmt --upgrade brings them up). A type that entities have and
nothing declares here is listed, too.

With --c it prints them as a header of C instead: structs that lie in packs as
they are, for engines that read packs by worldfs.h, and functions for texts,
lists and what may be absent. Types that have entities of older revisions have
a struct for each of these, too. What it declares begins with --prefix.` + cli.ExitStatus(""),
		Example: "  worldfs types\n  worldfs types --json | jq 'select(.older > 0)'\n  worldfs types --c > world_types.h",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			return o.read(a, cmd, func(r daemon.Reading) error {
				if o.c {
					return o.printHeader(cmd, r)
				}
				return o.print(cmd, r)
			})
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object a line")
	cmd.Flags().BoolVar(&o.c, "c", false, "print a header of C")
	cmd.Flags().StringVar(&o.prefix, "prefix", "world_", "what names in the header begin with")
	o.addFlags(cmd)
	return cmd
}

var prefixes = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func (o *typesOptions) check(cmd *cobra.Command) error {
	switch {
	case o.c && o.json:
		return cli.Usagef("--c and --json: give one of them")
	case !o.c && cmd.Flags().Changed("prefix"):
		return cli.Usagef("--prefix is for names in the header that --c prints")
	case strings.HasPrefix(o.prefix, "wfs"):
		return cli.Usagef("--prefix %s: what begins with wfs is worldfs.h's own", o.prefix)
	case !prefixes.MatchString(o.prefix):
		return cli.Usagef("--prefix %q: names in C begin with letters, digits and _, the first a letter", o.prefix)
	}
	return nil
}

// printHeader prints the types as structs, at the revisions that entities have.
func (o *typesOptions) printHeader(cmd *cobra.Command, r daemon.Reading) error {
	revisions := make(map[string][]uint32)
	for e := range r.Source.All() {
		if known := revisions[e.Type()]; !slices.Contains(known, e.Revision()) {
			revisions[e.Type()] = append(known, e.Revision())
		}
	}
	for _, of := range revisions {
		slices.Sort(of)
	}
	_, err := cmd.OutOrStdout().Write(cheader.Write(r.Types, revisions, o.prefix))
	return err
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
