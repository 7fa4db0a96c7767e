package ids

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
)

func newIDsCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ids",
		Short: "Whose IDs are whose, and the next free ones",
		Long: `ids lists the ranges of id_ranges: from which ID up to but not which, whose they
are, how many of their IDs entities have, and how many are left. Yours are those that name this
machine, or your role (--role, WORLDFS_ROLE, or role in worldfs/config.toml in
your directory of configuration).

New entities get IDs from your own ranges, so that no two people make different
things of one ID. worldfs new takes them by itself, and a range where there is
none; programs ask worldfs ids next.` + cli.ExitStatus(""),
		Example: "  worldfs ids\n  worldfs ids next -n 10\n  worldfs ids claim --commit",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return use(a, cmd, func(w *idalloc.World) error {
				l, err := list(w)
				if err != nil {
					return err
				}
				if asJSON {
					return cli.PrintJSON(cmd.OutOrStdout(), l)
				}
				if l.Wrong != "" {
					w.Note(l.Wrong)
				}
				return l.print(cmd.OutOrStdout())
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the ranges as JSON")
	return cmd
}

// listed is a range as ids prints it.
type listed struct {
	From       uint64   `json:"from"`
	To         uint64   `json:"to"`
	Keys       []string `json:"keys"`
	Disposable bool     `json:"disposable,omitempty"`
	Comment    string   `json:"comment,omitempty"`
	Line       int      `json:"line"`
	Mine       bool     `json:"mine"`
	InUse      int      `json:"in_use"`
	Overlaps   []int    `json:"overlaps,omitempty"` // the lines of ranges with IDs of this one
}

// listing is what ids prints.
type listing struct {
	Keys    []string `json:"keys"` // whose ranges are ours
	Ranges  []listed `json:"ranges"`
	Outside int      `json:"outside"`         // entities in no range
	Wrong   string   `json:"wrong,omitempty"` // why the file is not in force
}

func list(w *idalloc.World) (*listing, error) {
	file, err := rangefile.Read(w.Dir)
	if err != nil {
		return nil, err
	}
	l := &listing{Keys: w.Keys(), Ranges: []listed{}}
	if l.Keys == nil {
		l.Keys = []string{}
	}
	if file.Wrong != nil {
		l.Wrong = file.Wrong.Error() + "; the last ranges that could be read stay in force"
	}
	ids := slices.Collect(w.IDs())
	inside := 0
	for _, r := range file.Ranges {
		inside += count(ids, r)
		l.Ranges = append(l.Ranges, listed{
			From: r.From, To: r.To, Keys: r.Keys, Disposable: r.Disposable, Comment: r.Comment, Line: r.Line,
			Mine: r.IsOf(l.Keys), InUse: count(ids, r),
		})
	}
	for _, o := range idrange.Overlaps(file.Ranges) {
		l.overlap(o.First.Line, o.Second.Line)
		l.overlap(o.Second.Line, o.First.Line)
	}
	l.Outside = len(idrange.Outside(file.Ranges, ids))
	return l, nil
}

func (l *listing) overlap(line, with int) {
	for i := range l.Ranges {
		if l.Ranges[i].Line == line {
			l.Ranges[i].Overlaps = append(l.Ranges[i].Overlaps, with)
		}
	}
}

// count returns how many of the IDs, which are in order, are in a range.
func count(ids []entity.ID, r idrange.Range) int {
	at := func(id uint64) int {
		i, _ := slices.BinarySearchFunc(ids, id, func(a entity.ID, b uint64) int {
			switch {
			case uint64(a) < b:
				return -1
			case uint64(a) > b:
				return 1
			}
			return 0
		})
		return i
	}
	return at(r.To) - at(r.From)
}

func (l *listing) print(out io.Writer) error {
	if len(l.Ranges) == 0 {
		_, err := fmt.Fprintln(out, "no ranges")
		return err
	}
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "from\tto\tin use\tleft\t  whose")
	for _, r := range l.Ranges {
		fmt.Fprintf(tab, "%d\t%d\t%s\t%s\t  %s\n", r.From, r.To, cli.Count(r.InUse), cli.Count(int(r.To-r.From)-r.InUse), r.whose())
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	if l.Outside > 0 {
		fmt.Fprintf(out, "%s in no range (worldfs ids check)\n", cli.Counted(l.Outside, "entity is", "entities are"))
	}
	return nil
}

// whose says to people whose a range is.
func (r *listed) whose() string {
	text := strings.Join(r.Keys, " ")
	if r.Comment != "" && r.Comment != text {
		text += " #" + r.Comment
	}
	if r.Mine {
		text += ", yours"
	}
	if r.Disposable {
		text += ", disposable"
	}
	for _, line := range r.Overlaps {
		text += fmt.Sprintf(", overlaps line %d", line)
	}
	return text
}
