package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// findLost returns what merges have cost that the world lacks still, the operation that
// is not over first, nil for none. The world is opened only where there may be something.
func (a *app) findLost(cmd *cobra.Command, now *resolve.Lost) (lost []*resolve.Lost, err error) {
	dir, err := a.find(cmd)
	if err != nil {
		return nil, err
	}
	lost = a.lostBefore(cmd, dir, 0)
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
func (a *app) lostBefore(cmd *cobra.Command, dir *worlddir.Dir, most int) []*resolve.Lost {
	lost, later, err := resolve.FindLost(dir, daemon.Keep, a.noter(cmd), most)
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

// settleLost brings back what merges have cost, or has it be.
func settleLost(a *app, cmd *cobra.Command, root string, restore bool, names []string) error {
	r, err := resolve.Open(root, resolve.Options{Note: a.noter(cmd), Keep: daemon.Keep})
	if err != nil && !errors.Is(err, resolve.ErrNothing) {
		return err
	}
	var now *resolve.Lost
	if err == nil {
		now = r.Lost
	}
	var report cache.Report
	var settled entity.ChangeSet
	err = a.use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		lost, _, err := resolve.FindLost(dir, daemon.Keep, a.noter(cmd), 0)
		if err != nil {
			return err
		}
		if now != nil {
			lost = append(lost, now)
		}
		if lost, err = stillLost(w, lost); err != nil {
			return err
		}
		settled = takeNamed(lost, names)
		if restore && len(settled) > 0 {
			var text bytes.Buffer
			if err := changeset.Format(&text, settled); err != nil {
				return err
			}
			if report, err = w.Apply(&text, "what merges have cost", daemon.ApplyOptions{Policy: "mine"}); err != nil {
				return err
			}
		}
		return resolve.KeepLost(dir, slices.DeleteFunc(lost, func(l *resolve.Lost) bool { return l == now }), daemon.Keep)
	})
	switch {
	case err != nil:
		return err
	case len(settled) == 0:
		_, err = fmt.Fprintln(cmd.OutOrStdout(), "there is nothing that merges have cost")
		return err
	case !restore:
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s dismissed\n", counted(len(settled), "change", "changes"))
		return err
	}
	if now != nil {
		if err := r.Stage(idsOf(settled)); err != nil {
			return err
		}
	}
	return printReport(cmd, false, report)
}

// takeNamed takes the changes that are named out of what was lost, all for no names.
func takeNamed(lost []*resolve.Lost, names []string) (taken entity.ChangeSet) {
	for _, l := range lost {
		l.Changes = slices.DeleteFunc(l.Changes, func(c entity.Change) bool {
			named := len(names) == 0 || slices.Contains(names, strconv.FormatUint(uint64(c.ID), 10)) || slices.Contains(names, typeOf(c))
			if named {
				taken = append(taken, c)
			}
			return named
		})
	}
	return taken
}

// typeOf returns the type of the entity that a change is about.
func typeOf(c entity.Change) string {
	switch {
	case c.Of != nil:
		return c.Of.Type.Name
	case c.New != nil:
		return c.New.Type()
	}
	return c.Old.Type()
}

func idsOf(set entity.ChangeSet) (ids []entity.ID) {
	for _, c := range set {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
