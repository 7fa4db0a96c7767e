package teamwork

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/mergecost"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// settleLost brings back what merges have cost, or has it be.
func settleLost(a *cli.App, cmd *cobra.Command, root string, restore bool, names []string) error {
	r, err := resolve.Open(root, resolve.Options{Note: a.Noter(cmd), Keep: daemon.Keep})
	if err != nil && !errors.Is(err, resolve.ErrNothing) {
		return err
	}
	var now *resolve.Lost
	if err == nil {
		now = r.Lost
	}
	var report cache.Report
	var settled entity.ChangeSet
	err = a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		lost, _, err := resolve.FindLost(dir, resolve.Search{Keep: daemon.Keep, Note: a.Noter(cmd), Again: true})
		if err != nil {
			return err
		}
		if now != nil {
			lost = append([]*resolve.Lost{now}, lost...)
		}
		if lost, err = mergecost.Still(w, lost); err != nil {
			return err
		}
		settled = takeNamed(lost, names)
		if restore && len(settled) > 0 {
			var text bytes.Buffer
			if err := changeset.Format(&text, lastLost(settled)); err != nil {
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
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s dismissed\n", cli.Counted(len(settled), "change", "changes"))
		return err
	}
	if now != nil {
		if err := r.Stage(idsOf(settled)); err != nil {
			return err
		}
	}
	if err := cli.PrintReport(cmd, false, report); err != nil {
		return err
	}
	return cli.NoEffect(cmd, report.NoEffect())
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

// lastLost returns the changes, the last lost first, without those that would put an earlier value
// in the place of a later one: two commits of a rebase can both lose their value of a field.
func lastLost(changes entity.ChangeSet) entity.ChangeSet {
	type matter struct {
		id    entity.ID
		field string
	}
	known := make(map[matter]bool)
	return slices.DeleteFunc(slices.Clone(changes), func(c entity.Change) bool {
		switch c.Op {
		case entity.OpAdd, entity.OpRemove, entity.OpEdit:
			return false // others are about other parts of the field
		}
		about := matter{c.ID, c.Field}
		defer func() { known[about] = true }()
		return known[about]
	})
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
