package editing

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
	"github.com/worldfs/worldfs/merge"
)

func newMvCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "mv ID NEW-ID",
		Short: "Give an entity another ID",
		Long: `mv gives an entity another ID and rewrites all refs to it, in one change. The
new ID must be free. What happened to the entity before is in the history of its
old ID: worldfs history ID. Refs in fields that no type declares here are text,
and stay.` + cli.ExitStatus("what has to change was changed meanwhile, is broken, or has a conflict"),
		Example: "  worldfs mv 6555 7000\n  worldfs mv 6555 $(worldfs ids next)",
		Args:    cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := cli.ParseIDs(args)
			if err != nil {
				return err
			}
			if ids[0] == ids[1] {
				return cli.Usagef("%d is its ID already", ids[0])
			}
			return use(a, cmd, func(w *world) error { return move(cmd, w, ids[0], ids[1], asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was changed as JSON")
	return cmd
}

// moved is what mv prints.
type moved struct {
	named                // by its new ID
	From      entity.ID  `json:"from"`
	Path      string     `json:"path,omitempty"`
	Rewritten []referrer `json:"rewritten"`
}

func move(cmd *cobra.Command, w *world, from, to entity.ID, asJSON bool) error {
	e, err := w.get(from)
	if err != nil {
		return err
	}
	if other, ok := w.Source.Get(to); ok {
		return fmt.Errorf("the ID %d is in use: %s", to, other)
	}
	if w.has(to) {
		return fmt.Errorf("the ID %d is in use, by a text that never parsed", to)
	}
	set, refs, err := w.renumber(e, to)
	if err != nil {
		return err
	}
	if err := w.apply(cmd, set, callOf("mv", from, to)); err != nil {
		return err
	}
	now := *e
	now.ID = to
	out := moved{named: nameOf(&now), From: from, Rewritten: []referrer{}}
	if w.hasFiles() {
		out.Path = w.path(to)
	}
	for _, r := range refs {
		out.Rewritten = append(out.Rewritten, referrer{nameOf(r.From), r.Path, to, r.Direct})
	}
	if asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), out)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is now %d; %s rewritten\n", e, to, cli.Counted(len(refs), "ref", "refs"))
	return err
}

// renumber returns the changes that give an entity another ID, and the refs to it.
func (w *world) renumber(e *entity.Entity, to entity.ID) (set entity.ChangeSet, refs []reference.Ref, err error) {
	if err := w.whole(e); err != nil {
		return nil, nil, err
	}
	follow := func(id entity.ID) entity.ID {
		if id == e.ID {
			return to
		}
		return id
	}
	now := merge.WithRefs(e, follow).Clone()
	now.ID = to
	set = entity.ChangeSet{{Op: entity.OpDelete, ID: e.ID, Old: e}, {Op: entity.OpCreate, ID: to, New: now}}
	refs = reference.To(w.Source, map[entity.ID]bool{e.ID: true})
	var last *entity.Entity
	for _, r := range refs {
		if r.From == last || r.From.ID == e.ID {
			continue
		}
		last = r.From
		if err := w.whole(r.From); err != nil {
			return nil, nil, err
		}
		set = append(set, entity.DiffEntity(r.From, merge.WithRefs(r.From, follow))...)
	}
	return inOrder(set), refs, nil
}
