package mount

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// printStatus prints the state of a world. in is where in entities/ files lie.
func printStatus(w io.Writer, st status, in layout.Layout, style cli.FindingsStyle) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "world\t%s\n", st.Root)
	fmt.Fprintf(t, "holds\t%s of %s\n", cli.Counted(st.Entities, "entity", "entities"), cli.Counted(st.Types, "type", "types"))
	if st.Mounted {
		fmt.Fprintf(t, "mount\t%s (%s shape), by process %d, started %s\n", st.Mount, st.Shape, st.Pid, humanize.Time(st.Started))
	} else {
		fmt.Fprintf(t, "mount\tnot mounted\n")
	}
	fmt.Fprintf(t, "pack\t%s, hash %.12s\n", cli.BytesOf(st.PackSize), st.PackHash)
	fmt.Fprintf(t, "edits\t%s\n", cli.Counted(st.Edits, "entity not published yet", "entities not published yet"))
	if st.Failure != "" {
		fmt.Fprintf(t, "failure\t%s\n", st.Failure)
	}
	fmt.Fprintf(t, "findings\t%s, %s would stop a ship build\n", cli.Count(len(st.Findings)), cli.Count(len(cli.Blocking(st.Findings))))
	if err := t.Flush(); err != nil {
		return err
	}
	style.Marked = true
	return cli.WriteFindings(w, in, foldFields(st.Findings), style)
}

// foldFields makes one finding of those of a type about the same unknown field:
// fields that a team keeps for itself would fill the screen. JSON has them all.
func foldFields(findings []entity.Finding) (folded []entity.Finding) {
	type key struct{ typ, field string }
	number := make(map[key]int)
	for _, f := range findings {
		if f.Code == entity.CodeFieldUnknown {
			number[key{f.Type, f.Field}]++
		}
	}
	for _, f := range findings {
		k := key{f.Type, f.Field}
		n := number[k]
		switch {
		case f.Code != entity.CodeFieldUnknown || n == 1:
			folded = append(folded, f)
		case n > 1:
			f.Message = fmt.Sprintf("%s (and so in %s more of %s; --json lists all)", f.Message, cli.Count(n-1), f.Type)
			folded = append(folded, f)
			number[k] = 0 // the others are counted here
		}
	}
	return folded
}
