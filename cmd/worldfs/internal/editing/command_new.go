package editing

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/spelling"
)

// maxNew is how many entities one call makes at most.
const maxNew = 100_000

type newOptions struct {
	from, at, offset string
	number           int
	json             bool
}

func newNewCommand(a *cli.App) *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:   "new TYPE",
		Short: "Make entities, or copies of one",
		Long: `new makes entities and prints the paths of their files, or their IDs where they
have none (plain = false, not mounted). IDs come from your own range, which
worldfs ids shows.

Values are the type's defaults, or with --from those of another entity of the
type. The k-th copy stands k times --offset from the original; what is mounted
keeps its parent, and --offset is along the parent's axes. With --at the first
stands there and each further one --offset from the one before.
A value that no two entities may share becomes a new one: a string gets a number
at its end, a whole number the next above the highest, a guid is made anew. Of
other kinds it is the default. A ref of the original to itself leads from a copy
to the copy.` + cli.ExitStatus(""),
		Example: "  worldfs new Lamp --at 46,108,9\n  worldfs new Lamp --from 6005 -n 10 --offset 5,0,0\n  worldfs edit $(worldfs new Note | tr -dc 0-9)",
		Args:    cli.Takes(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	cmd.Flags().StringVar(&o.from, "from", "", "copy entity `ID`")
	cmd.Flags().IntVarP(&o.number, "number", "n", 1, "how many")
	cmd.Flags().StringVar(&o.offset, "offset", "", "from one to the next, `X,Y,Z`")
	cmd.Flags().StringVar(&o.at, "at", "", "where the first stands, `X,Y,Z`")
	cmd.Flags().BoolVar(&o.json, "json", false, "print what was made as JSON")
	return cmd
}

// made is an entity as new prints it.
type made struct {
	named
	Path string `json:"path,omitempty"`
}

func (o *newOptions) run(a *cli.App, cmd *cobra.Command, typ string) error {
	if o.number < 1 || o.number > maxNew {
		return cli.Usagef("-n: %d is not from 1 to %s", o.number, cli.Count(maxNew))
	}
	at, err := place("--at", o.at)
	if err != nil {
		return err
	}
	offset, err := place("--offset", o.offset)
	if err != nil {
		return err
	}
	return use(a, cmd, func(w *world) error {
		e, err := o.model(w, typ)
		if err != nil {
			return err
		}
		c := &copying{world: w.Source, of: e, copies: o.from != "", at: at, offset: offset}
		if err := c.check(); err != nil {
			return err
		}
		if err := w.writable(); err != nil {
			return err
		}
		ids, err := cli.IDsOf(w.dir, w.open, w.Source, a.Noter(cmd)).Next(cmd.Context(), o.number)
		if err != nil {
			return err
		}
		var set entity.ChangeSet
		for k, id := range ids {
			set = append(set, entity.Change{Op: entity.OpCreate, ID: id, New: c.number(k, id)})
		}
		if err := w.apply(cmd, inOrder(set), "worldfs new "+typ); err != nil {
			return err
		}
		return o.print(cmd, w, set)
	})
}

// writable returns an error where nothing can be made, before an ID is used for it.
func (w *world) writable() error {
	if newer := w.dir.CheckFormat(); newer != nil {
		return newer
	}
	return nil
}

// model returns the entity that those made are like.
func (o *newOptions) model(w *world, typ string) (*entity.Entity, error) {
	t := w.Types.Get(typ)
	if t == nil || t.Unknown {
		return nil, cli.Usagef("no type is called %s%s", typ, spelling.DidYouMean(typ, w.Types.Names()))
	}
	if o.from == "" {
		e := entity.New(0, t.Current())
		e.Canonicalize()
		return e, nil
	}
	id, err := entity.ParseID(o.from)
	if err != nil {
		return nil, cli.Usagef("--from: %v", err)
	}
	e, err := w.get(id)
	if err != nil {
		return nil, err
	}
	if e.Type() != typ {
		return nil, cli.Usagef("--from: %s is no %s", e, typ)
	}
	return e, nil
}

func (o *newOptions) print(cmd *cobra.Command, w *world, set entity.ChangeSet) error {
	out := []made{}
	for _, c := range set {
		m := made{named: nameOf(c.New)}
		if w.hasFiles() {
			m.Path = w.path(c.ID)
		}
		out = append(out, m)
	}
	if o.json {
		return cli.PrintJSON(cmd.OutOrStdout(), map[string]any{"made": out})
	}
	for _, m := range out {
		line := m.Path
		if line == "" {
			line = m.ID.String()
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), line); err != nil {
			return err
		}
	}
	return nil
}

// place reads X,Y,Z; nil for "".
func place(flag, text string) (*[3]float32, error) {
	if text == "" {
		return nil, nil
	}
	parts := strings.Split(text, ",")
	var p [3]float32
	if len(parts) != len(p) {
		return nil, cli.Usagef("%s: %q is not X,Y,Z", flag, text)
	}
	for i, part := range parts {
		f, err := strconv.ParseFloat(strings.TrimSpace(part), 32)
		if err != nil || f-f != 0 { // infinite, or no number
			return nil, cli.Usagef("%s: %q is no number", flag, part)
		}
		p[i] = float32(f)
	}
	return &p, nil
}
