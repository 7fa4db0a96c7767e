// Package rangefix has commands settle whose IDs are whose, and say what became of it, for
// people and for programs.
package rangefix

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangecheck"
)

// Done is what was settled, as JSON has it.
type Done struct {
	Settled []Settled `json:"settled"`
	Added   []Range   `json:"added"`
}

// Range is a range as commands print it.
type Range struct {
	From    uint64   `json:"from"`
	To      uint64   `json:"to"`
	Keys    []string `json:"keys"`
	Comment string   `json:"comment,omitempty"`
}

// Settled is a range that has given way.
type Settled struct {
	Keeps  Range   `json:"keeps"`
	Was    Range   `json:"was"`
	Is     []Range `json:"is"`
	Inside int     `json:"entities"` // with IDs of the overlap
}

// Fix settles ranges that two have, and adds lines for entities that are in no range.
func Fix(ctx context.Context, w *idalloc.World) (Done, error) {
	d := Done{Settled: []Settled{}, Added: []Range{}}
	settled, err := rangecheck.Settle(ctx, w)
	if err != nil {
		return d, err
	}
	for _, s := range settled {
		d.Settled = append(d.Settled, Settled{Shown(s.Keeps), Shown(s.Was), allShown(s.Is), s.Inside})
	}
	added, err := rangecheck.Cover(w)
	d.Added = allShown(added)
	return d, err
}

// Shown returns a range as commands print it.
func Shown(r idrange.Range) Range { return Range{r.From, r.To, r.Keys, r.Comment} }

func allShown(ranges []idrange.Range) []Range {
	all := []Range{}
	for _, r := range ranges {
		all = append(all, Shown(r))
	}
	return all
}

// String returns the range as id_ranges has it.
func (r Range) String() string {
	return idrange.Range{From: r.From, To: r.To, Keys: r.Keys, Comment: r.Comment}.String()
}

// Print says what was settled, and what is to be done about it.
func (d Done) Print(w io.Writer) error {
	var out strings.Builder
	for _, s := range d.Settled {
		fmt.Fprintln(&out, s)
	}
	for _, r := range d.Added {
		fmt.Fprintf(&out, "%s is a range now\n", r)
	}
	if len(d.Settled)+len(d.Added) > 0 {
		fmt.Fprintln(&out, "commit id_ranges now")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// String says what became of the range.
func (s Settled) String() string {
	is := make([]string, len(s.Is))
	for i, r := range s.Is {
		is[i] = fmt.Sprintf("%d to %d", r.From, r.To)
	}
	text := fmt.Sprintf("%s keeps its IDs; %s is %s now", s.Keeps, s.Was, strings.Join(is, " and "))
	if s.Inside > 0 {
		text += fmt.Sprintf("; %s in the overlap keep their IDs", cli.Counted(s.Inside, "entity", "entities"))
	}
	return text
}
