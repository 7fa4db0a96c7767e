package editing

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/settling"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
	"github.com/worldfs/worldfs/internal/worldtree/asking"
)

type rmOptions struct{ yes, json bool }

func newRmCommand(a *cli.App) *cobra.Command {
	var o rmOptions
	cmd := &cobra.Command{
		Use:   "rm ID…",
		Short: "Delete entities, and say what refers to them",
		Long: `rm deletes entities and names what still refers to them, and what is mounted on
them: those refs stay as they are, and lead nowhere until the entity is back.
So it does with a conflict that is marked in a text which goes.
worldfs undo ID brings one back.

More than one entity is deleted only when you say so: on a terminal rm asks,
elsewhere it needs --yes.` + cli.ExitStatus("it was changed meanwhile, or "+cli.StatusOfLoss),
		Example: "  worldfs rm 6555\n  worldfs rm 6001 6005 --yes\n  worldfs rm 6555 --json",
		Args:    cli.Takes(1, cli.AnyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := cli.ParseIDs(args)
			if err != nil {
				return err
			}
			return use(a, cmd, func(w *world) error { return o.run(cmd, w, ids, a.Noter(cmd)) })
		},
	}
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "delete more than one entity without asking")
	cmd.Flags().BoolVar(&o.json, "json", false, "print what was deleted, and the refs to it, as JSON")
	cli.AddAllowLoss(cmd)
	return cmd
}

// named is an entity as JSON names it.
type named struct {
	ID   entity.ID `json:"id"`
	Type string    `json:"type"`
	Name string    `json:"name,omitempty"`
}

func nameOf(e *entity.Entity) named { return named{e.ID, e.Type(), e.Name()} }

// referrer is an entity that refers to one that another command is about.
type referrer struct {
	named
	Field  string    `json:"field"` // and where in it
	To     entity.ID `json:"to"`
	Direct bool      `json:"direct"` // it is mounted on it, or follows it otherwise
}

// removed is what rm prints.
type removed struct {
	Deleted   []named    `json:"deleted"`
	Referrers []referrer `json:"referrers"`
}

func (o *rmOptions) run(cmd *cobra.Command, w *world, ids []entity.ID, note func(string)) error {
	gone := make(map[entity.ID]bool, len(ids))
	out := removed{Deleted: []named{}, Referrers: []referrer{}}
	var set entity.ChangeSet
	for _, id := range ids {
		e, err := w.get(id)
		if err != nil {
			return err
		}
		if !gone[id] {
			gone[id] = true
			set = append(set, entity.Change{Op: entity.OpDelete, ID: id, Old: e})
			out.Deleted = append(out.Deleted, nameOf(e))
		}
	}
	for _, r := range reference.To(w.Source, gone) {
		if gone[r.From.ID] {
			continue
		}
		out.Referrers = append(out.Referrers, referrer{nameOf(r.From), r.Path, r.To, r.Direct})
		fmt.Fprintln(cmd.ErrOrStderr(), refText(r))
	}
	decided, err := settling.By(w.dir, w.open, set)
	if err != nil {
		return err
	}
	settling.Tell(note, decided)
	if err := o.confirm(cmd, set); err != nil {
		return err
	}
	if err := w.apply(cmd, inOrder(set), callOf("rm", ids...)); err != nil {
		return err
	}
	if o.json {
		return cli.PrintJSON(cmd.OutOrStdout(), out)
	}
	for _, c := range set {
		fmt.Fprintf(cmd.OutOrStdout(), "deleted %s; worldfs undo %d brings it back\n", c.Old, c.ID)
	}
	return nil
}

func refText(r reference.Ref) string {
	how := "refers to"
	if r.Direct {
		how = "is mounted on"
	}
	return fmt.Sprintf("%s %s %d (field %s)", r.From, how, r.To, r.Path)
}

// confirm returns an error where more than one entity would go and the caller has not agreed.
func (o *rmOptions) confirm(cmd *cobra.Command, set entity.ChangeSet) error {
	if len(set) == 1 || o.yes {
		return nil
	}
	if !asking.IsTerminal(cmd.InOrStdin()) {
		return cli.Usagef("%d entities would be deleted: say --yes if that is meant", len(set))
	}
	for _, c := range set {
		fmt.Fprintln(cmd.ErrOrStderr(), c.Old)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Delete these %d entities? [y/N] ", len(set))
	answer, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return cli.Usagef("nothing was deleted")
}
