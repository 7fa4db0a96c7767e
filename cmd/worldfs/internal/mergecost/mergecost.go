// Package mergecost has commands say what merges have cost: edits of one side that were in
// no conflict, or lost by a policy, and that the world lacks still. Package resolve finds
// them; this one leaves out what the world has again by now, and prints the rest for people
// and for programs.
package mergecost

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Find returns what merges have cost that the world lacks still, the operation that
// is not over first, nil for none. The world is opened only where there may be something.
func Find(a *cli.App, cmd *cobra.Command, now *resolve.Lost) (lost []*resolve.Lost, err error) {
	dir, err := a.Find(cmd)
	if err != nil {
		return nil, err
	}
	lost = Before(a, cmd, dir, 0)
	if now != nil {
		lost = append([]*resolve.Lost{now}, lost...)
	}
	if len(lost) == 0 {
		return nil, nil
	}
	return lost, a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) error {
		lost, err = Still(w, lost)
		return err
	})
}

// Before returns what merges that are over have cost. That it cannot be found out is
// told, and keeps nothing else from being done.
func Before(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir, most int) []*resolve.Lost {
	lost, later, err := resolve.FindLost(dir, resolve.Search{Keep: keep, Note: a.Noter(cmd), Most: most})
	switch {
	case err != nil:
		a.Noter(cmd)(fmt.Sprintf("what merges have cost cannot be found out: %v", err))
	case later > 0:
		a.Noter(cmd)(fmt.Sprintf("what %s of the last 14 days have cost is not found out yet: worldfs resolve does", cli.Counted(later, "merge", "merges")))
	}
	return lost
}

// keep is daemon.Keep that drops what a world which is read-only cannot keep: the next
// command finds it out once more.
func keep(dir *worlddir.Dir, name string, data []byte) error {
	err := daemon.Keep(dir, name, data)
	if err != nil && dir.CheckWritable() != nil {
		return nil
	}
	return err
}

// Still returns what the world lacks still of what was lost.
func Still(w *daemon.World, lost []*resolve.Lost) ([]*resolve.Lost, error) {
	if len(lost) == 0 {
		return nil, nil
	}
	world, err := w.Read()
	if err != nil {
		return nil, err
	}
	return resolve.Still(lost, world.Source), nil
}

// mostLost is how many changes of a merge are listed.
const mostLost = 20

// Print lists what merges have cost, and says what to do about it.
func Print(w io.Writer, lost []*resolve.Lost) error {
	if len(lost) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, l := range lost {
		fmt.Fprintf(&b, "%s:\n", l)
		color, width := cli.Terminal(w)
		if err := changeset.Table(&b, l.Changes[:min(len(l.Changes), mostLost)], color, width); err != nil {
			return err
		}
		if more := len(l.Changes) - mostLost; more > 0 {
			fmt.Fprintf(&b, "and %s more\n", cli.Count(more))
		}
	}
	b.WriteString("worldfs resolve --restore-lost [ID | TYPE] brings that back, --dismiss-lost has it be\n")
	_, err := w.Write(b.Bytes())
	return err
}

// Entry is what a merge has cost, for programs.
type Entry struct {
	By      leftconflict.Author `json:"by"`
	Kind    string              `json:"operation"`
	Commit  string              `json:"commit,omitempty"`
	Policy  bool                `json:"policy"`
	Changes string              `json:"changes"` // a change set that brings it back
}

// Entries returns what merges have cost, for programs; it is not nil.
func Entries(lost []*resolve.Lost) ([]Entry, error) {
	entries := []Entry{}
	for _, l := range lost {
		var text bytes.Buffer
		if err := changeset.Format(&text, l.Changes); err != nil {
			return nil, err
		}
		entries = append(entries, Entry{l.By, string(l.Kind), l.Commit, l.Policy, text.String()})
	}
	return entries, nil
}
