package changes

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/settling"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type setOptions struct {
	where  string
	dryRun bool
}

func newSetCommand(a *cli.App) *cobra.Command {
	var o setOptions
	cmd := &cobra.Command{
		Use:   "set --where EXPR FIELD=EXPR…",
		Short: "Change fields of many entities at once",
		Long: `set gives fields of the entities of which --where holds the values of
expressions. An expression sees the world as it was before: the entity's fields,
and by its refs those of others (parent.radius). FIELD may be a part of a field:
position.z, targets[0], lights[2].watts. If one value cannot be calculated or
does not fit, nothing is changed. What changes is printed as a change set:
worldfs revert undoes it. With --dry-run nothing is changed. A value or a key
that no two may have, a ref to nothing or in a circle, and an expression that is
wrong are set, and told. A conflict about FIELD that is marked in the entity's
text is decided by that, which is told with both sides' values.

What is mounted on an entity that is moved comes along, in the same change set.
The pose of what is mounted follows from its offset: set does not change it, and
says which field to change instead.` + cli.ExitStatus("conflicts are left, or the pose of what is mounted was to be changed"),
		Example: "  worldfs set --where 'type == \"Lamp\" && radius > 3' 'radius = radius * 1.2' --dry-run\n" +
			"  worldfs set --where 'id == 6555' 'position.z = position.z + 0.5' > raised.changes\n" +
			"  worldfs revert raised.changes",
		Args: cli.Takes(1, cli.AnyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	cmd.Flags().StringVar(&o.where, "where", "", "change the entities of which `EXPR` holds (true for all)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "only print what would change")
	return cmd
}

func (o *setOptions) run(a *cli.App, cmd *cobra.Command, args []string) error {
	// Not cobra's required flag: that is refused after the command has begun, as what could not be done.
	if strings.TrimSpace(o.where) == "" {
		return cli.Usagef("say with --where which entities are to change: --where 'id == 6555', or --where true for all")
	}
	assignments, err := cli.ParseAssignments(args)
	if err != nil {
		return err
	}
	where, err := cli.CompileWhere(o.where)
	if err != nil {
		return err
	}
	var making *cli.Assigning
	var all followed
	var wrong []entity.Finding
	var decided []leftconflict.Conflict
	err = a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		r, err := w.Read()
		if err != nil {
			return err
		}
		names := cli.NewVocabulary(r.Types).In(r.Source)
		if err := names.CheckWhere(a.Noter(cmd), where); err != nil {
			return err
		}
		for _, as := range assignments {
			if err := names.CheckAssignment(a.Noter(cmd), as); err != nil {
				return err
			}
		}
		making = cli.NewAssigning(r.Source, assignments)
		set, err := making.Changes(where)
		if err != nil {
			return err
		}
		all = following(r.Source, set)
		wrong = goesWrong(r.Source, all.set)
		decided, err = settling.By(dir, w, all.set)
		return err
	})
	if err != nil {
		return err
	}
	where.Report(a.Noter(cmd))
	making.Report(a.Noter(cmd))
	var text bytes.Buffer
	if err := changeset.Format(&text, all.set); err != nil {
		return err
	}
	if len(all.set)+len(all.noEffect) == 0 {
		a.Noter(cmd)("nothing is to be changed: --where holds of no entity, or all are so already")
	}
	if _, err := cmd.OutOrStdout().Write(text.Bytes()); err != nil {
		return err
	}
	if all.carried > 0 {
		a.Noter(cmd)(cli.CameAlong(all.carried))
	}
	tellWrong(a.Noter(cmd), wrong)
	settling.Tell(a.Noter(cmd), decided)
	if !o.dryRun && len(all.set) > 0 {
		quiet := *cmd
		quiet.SetOut(cmd.ErrOrStderr()) // standard output is the change set
		// It makes no entities, so that no type of theirs need be refused: that some daemons of earlier builds cannot.
		if err := applyChanges(a, &quiet, &text, "worldfs set "+strings.Join(args, ", "), daemon.ApplyOptions{UnknownTypes: true, By: cache.BySet}, false); err != nil {
			return err
		}
	}
	return cli.NoEffect(cmd, all.noEffect)
}
