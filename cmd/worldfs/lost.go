package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// findLost returns what merges have cost that the world lacks still, the operation that
// is not over first, nil for none. The world is opened only where there may be something.
func findLost(a *app, cmd *cobra.Command, now *resolve.Lost) (lost []*resolve.Lost, err error) {
	dir, err := a.find(cmd)
	if err != nil {
		return nil, err
	}
	lost = lostBefore(a, cmd, dir, 0)
	if now != nil {
		lost = append([]*resolve.Lost{now}, lost...)
	}
	if len(lost) == 0 {
		return nil, nil
	}
	return lost, a.use(cmd, func(_ *worlddir.Dir, w *daemon.World) error {
		lost, err = stillLost(w, lost)
		return err
	})
}

// lostBefore returns what merges that are over have cost. That it cannot be found out is
// told, and keeps nothing else from being done.
func lostBefore(a *app, cmd *cobra.Command, dir *worlddir.Dir, most int) []*resolve.Lost {
	lost, later, err := resolve.FindLost(dir, resolve.Search{Keep: daemon.Keep, Note: a.noter(cmd), Most: most})
	switch {
	case err != nil:
		a.noter(cmd)(fmt.Sprintf("what merges have cost cannot be found out: %v", err))
	case later > 0:
		a.noter(cmd)(fmt.Sprintf("what %s of the last 14 days have cost is not found out yet: worldfs resolve does", counted(later, "merge", "merges")))
	}
	return lost
}

func stillLost(w *daemon.World, lost []*resolve.Lost) ([]*resolve.Lost, error) {
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

// printLost lists what merges have cost, and says what to do about it.
func printLost(w io.Writer, lost []*resolve.Lost) error {
	if len(lost) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, l := range lost {
		fmt.Fprintf(&b, "%s:\n", l)
		color, width := terminal(w)
		if err := changeset.Table(&b, l.Changes[:min(len(l.Changes), mostLost)], color, width); err != nil {
			return err
		}
		if more := len(l.Changes) - mostLost; more > 0 {
			fmt.Fprintf(&b, "and %s more\n", count(more))
		}
	}
	b.WriteString("worldfs resolve --restore-lost [ID | TYPE] brings that back, --dismiss-lost has it be\n")
	_, err := w.Write(b.Bytes())
	return err
}

// lostEntry is what a merge has cost, for programs.
type lostEntry struct {
	By      resolve.Author `json:"by"`
	Kind    string         `json:"operation"`
	Commit  string         `json:"commit,omitempty"`
	Policy  bool           `json:"policy"`
	Changes string         `json:"changes"` // a change set that brings it back
}

func lostEntries(lost []*resolve.Lost) ([]lostEntry, error) {
	entries := []lostEntry{}
	for _, l := range lost {
		var text bytes.Buffer
		if err := changeset.Format(&text, l.Changes); err != nil {
			return nil, err
		}
		entries = append(entries, lostEntry{l.By, string(l.Kind), l.Commit, l.Policy, text.String()})
	}
	return entries, nil
}
