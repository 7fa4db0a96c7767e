package content

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/revision"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/typeloss"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/packfile"
)

type typesCheckOptions struct {
	against string
	json    bool
}

func newTypesCheckCommand(a *cli.App) *cobra.Command {
	var o typesCheckOptions
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Find what a change of types would lose",
		Long: `check compares the types here with those that were committed last (git:HEAD or
svn:BASE; under no version control, with the last pack of other types), and
reads each entity's text under both. It tells what would be lost, with the
entities, their values and what to do: values that cannot be read any more, are
read as others, are not saved, or are kept as lines that no tool reads. It also
tells of what a ship build would refuse and did not before.

--against names other types to compare with: a revision of git or svn, a world,
a directory of types files, or a single .toml file, of which the one type is
compared. Nothing is changed: a type that loses values can be taken back, and
its entities are what they were.` + cli.ExitStatus("values would be lost, or a ship build would refuse entities"),
		Example: "  worldfs types check\n  worldfs types check --against origin/main\n" +
			"  worldfs types check --against old/Door.toml --json | jq '.cases[].id'",
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().StringVar(&o.against, "against", "",
		"compare with those of `REV|WORLD|DIR|FILE` instead")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object for each change that loses, a line each")
	return cmd
}

// How many of the entities that lose are told of each change.
const (
	mostShown  = 10
	mostInJSON = 1000
)

func (o *typesCheckOptions) run(a *cli.App, cmd *cobra.Command) error {
	dir, err := a.Find(cmd)
	if err != nil {
		return err
	}
	note := a.Noter(cmd)
	options := worldform.Options{Dir: dir.Root, Exact: true, Note: note}
	world, err := worldform.Open(dir.Root, options)
	if err != nil {
		return err
	}
	after, err := declared(dir, world, note)
	if err != nil {
		return err
	}
	options.Types = after
	before, err := o.before(a, cmd, dir, options)
	if err != nil || before == nil {
		return err
	}
	most := mostShown
	if o.json {
		most = mostInJSON
	}
	losses := typeloss.Check(before, after, typeloss.World{Source: world.Source, Texts: world.Texts}, most)
	return o.print(a, cmd, losses)
}

// declared returns the types that types/ declares now. What cannot be read there counts as
// it does for the world: the last good declarations do.
func declared(dir *worlddir.Dir, world *worldform.World, note func(string)) (*entity.Types, error) {
	types, problems, err := typefile.ReadDir(dir.TypesPath())
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		note(p.Error())
	}
	if len(problems) == 0 && types.Len() > 0 {
		return types, nil
	}
	after := world.Types.Clone()
	for _, t := range types.All() {
		after.Put(t)
	}
	return after, nil
}

// before returns the types to compare with, nil if there are none.
func (o *typesCheckOptions) before(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir, options worldform.Options) (*entity.Types, error) {
	note := a.Noter(cmd)
	namer := revision.Namer{Dir: dir.Root, Note: note}
	if o.against != "" {
		name, err := namer.Name(o.against)
		if err != nil {
			return nil, fmt.Errorf("--against: %w", err)
		}
		types, findings, err := worldform.OpenTypes(name, options)
		if err != nil {
			return nil, fmt.Errorf("--against: %w", err)
		}
		noteFindings(note, findings)
		return types, nil
	}
	committed := options
	committed.Types = nil
	types, name, findings, err := namer.CommittedTypes(committed)
	if err != nil || name != "" {
		noteFindings(note, findings)
		return types, err
	}
	return packedBefore(a, cmd, options.Types)
}

// packedBefore returns the types of the last pack whose types are others: while a world is
// mounted a pack with the new ones comes soon after they are written.
func packedBefore(a *cli.App, cmd *cobra.Command, now *entity.Types) (types *entity.Types, err error) {
	note := a.Noter(cmd)
	err = a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		kept, err := w.Kept()
		if err != nil {
			return err
		}
		paths := []string{dir.PackPath()}
		for _, k := range kept {
			paths = append(paths, filepath.Join(dir.PacksPath(), k.Hash))
		}
		for _, path := range paths {
			pack, err := packfile.ReadFile(path)
			if err != nil || typeloss.SameTypes(pack.Types(), now) {
				continue // there may be none yet, or it may have just gone
			}
			note("nothing of the world is committed: compared with " + path)
			types = pack.Types()
			return nil
		}
		note("nothing of the world is committed, and no pack has other types: there is nothing to compare with")
		return nil
	})
	return types, err
}

func (o *typesCheckOptions) print(a *cli.App, cmd *cobra.Command, losses []typeloss.Loss) error {
	for _, l := range losses {
		if o.json {
			if err := cli.PrintJSON(cmd.OutOrStdout(), l); err != nil {
				return err
			}
		} else if err := printLoss(cmd.OutOrStdout(), l); err != nil {
			return err
		}
	}
	if len(losses) == 0 {
		a.Noter(cmd)("no value of any entity would be lost")
		return nil
	}
	return cli.Problemsf("%s", summary(losses))
}

// summary says how many changes lose values, and how many have entities refused.
func summary(losses []typeloss.Loss) string {
	lose := 0
	for _, l := range losses {
		if l.Effect.IsLoss() {
			lose++
		}
	}
	var parts []string
	if lose > 0 {
		parts = append(parts, cli.Counted(lose, "change of types loses", "changes of types lose")+" values")
	}
	if refused := len(losses) - lose; refused > 0 {
		parts = append(parts, cli.Counted(refused, "change of types stops", "changes of types stop")+" a ship build")
	}
	return strings.Join(parts, ", ")
}

func printLoss(out io.Writer, l typeloss.Loss) error {
	where := l.Type
	if l.Field != "" {
		where += ", field " + l.Field
	}
	fmt.Fprintf(out, "%s: %s\n  %s: %s\n", where, l.What, cli.Counted(l.Entities, "entity", "entities"), effects[l.Effect])
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range l.Cases {
		fmt.Fprintln(t, strings.TrimRight("    "+strings.Join(caseRow(c), "\t"), "\t "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := l.Entities - len(l.Cases); more > 0 {
		fmt.Fprintf(out, "    and %s more\n", cli.Count(more))
	}
	_, err := fmt.Fprintf(out, "  %s\n", l.Mend)
	return err
}

// effects says what becomes of the values.
var effects = map[typeloss.Effect]string{
	typeloss.Unreadable: "the text could not be read, and the last good values would stand",
	typeloss.Dropped:    "the value would not be read, and fmt would take it out",
	typeloss.Changed:    "another value would be read",
	typeloss.Kept:       "the value would be kept as lines that no game and no tool reads",
	typeloss.Refused:    "no value is lost, but a ship build refuses the entity",
}

// caseRow returns an entity that loses as a row: who it is, what it has, what becomes of it.
func caseRow(c typeloss.Case) []string {
	who := c.ID.String()
	if c.Name != "" {
		who += fmt.Sprintf(" %q", c.Name)
	}
	row := []string{who, c.Value}
	if c.Then != "" {
		row = append(row, "→ "+c.Then)
	}
	return row
}
