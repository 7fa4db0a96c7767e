package main

import (
	"bytes"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/changeset"
	"github.com/worldfs/worldfs/daemon"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/worlddir"
)

type setOptions struct {
	where  string
	dryRun bool
}

func newSetCommand(a *app) *cobra.Command {
	var o setOptions
	cmd := &cobra.Command{
		Use:   "set --where EXPR FIELD=EXPR…",
		Short: "Change fields of many entities at once",
		Long: `set gives fields of the entities of which --where holds the values of
expressions. An expression sees the entity's fields as they were. What changes
is printed as a change set: worldfs revert undoes it. With --dry-run nothing is
changed.` + exitStatus("conflicts are left"),
		Example: "  worldfs set --where 'type == \"Lamp\" && radius > 3' 'radius = radius * 1.2' --dry-run\n" +
			"  worldfs set --where 'id == 6555' 'position.z = position.z + 0.5' > raised.changes\n" +
			"  worldfs revert raised.changes",
		Args: takes(1, anyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	cmd.Flags().StringVar(&o.where, "where", "", "change the entities of which `EXPR` holds (true for all)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "only print what would change")
	return cmd
}

// assignment is FIELD=EXPR.
type assignment struct {
	path  string
	value *entity.Expression
}

func parseAssignments(args []string) (out []assignment, err error) {
	for _, arg := range args {
		path, source, ok := strings.Cut(arg, "=")
		if !ok || strings.TrimSpace(path) == "" || strings.HasPrefix(source, "=") {
			return nil, usagef("%q is not FIELD=EXPR, as in 'radius = radius * 1.2'", arg)
		}
		x, err := entity.CompileExpression(strings.TrimSpace(source))
		if err != nil {
			return nil, usagef("%v", err)
		}
		out = append(out, assignment{strings.TrimSpace(path), x})
	}
	return out, nil
}

func (o *setOptions) run(a *app, cmd *cobra.Command, args []string) error {
	// Not cobra's required flag: that is refused after begin, as what could not be done.
	if !cmd.Flags().Changed("where") {
		return usagef("say with --where which entities are to change: --where 'id == 6555', or --where true for all")
	}
	assignments, err := parseAssignments(args)
	if err != nil {
		return err
	}
	where, err := entity.CompileExpression(o.where)
	if err != nil {
		return usagef("--where: %v", err)
	}
	var set entity.ChangeSet
	err = a.use(cmd, func(_ *worlddir.Dir, w daemon.World) error {
		r, err := w.Read()
		if err != nil {
			return err
		}
		noteUndeclared(a.noter(cmd), where, r.Types)
		for _, as := range assignments {
			noteUndeclared(a.noter(cmd), as.value, r.Types)
		}
		set, err = assigned(r.Source, where, assignments)
		return err
	})
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := changeset.Format(&text, set); err != nil {
		return err
	}
	if len(set) == 0 {
		a.noter(cmd)("nothing is to be changed: --where holds of no entity, or all are so already")
	}
	if _, err := cmd.OutOrStdout().Write(text.Bytes()); err != nil || o.dryRun || len(set) == 0 {
		return err
	}
	quiet := *cmd
	quiet.SetOut(cmd.ErrOrStderr()) // standard output is the change set
	// It makes no entities, so that no type of theirs need be refused: that some daemons of earlier builds cannot.
	return applyChanges(a, &quiet, &text, "the change set", daemon.ApplyOptions{UnknownTypes: true}, false)
}

// assigned returns the changes that assignments make to the entities of which
// where holds. If one fails, all do.
func assigned(src entity.Source, where *entity.Expression, assignments []assignment) (entity.ChangeSet, error) {
	var set entity.ChangeSet
	var problems []error
	for e := range src.All() {
		if !where.Is(e) {
			continue
		}
		n := e
		for _, as := range assignments {
			x, err := as.value.Evaluate(e)
			if err == nil {
				n, err = n.Assign(as.path, x)
			}
			if err != nil {
				problems = append(problems, err)
				n = e
				break
			}
		}
		set = append(set, entity.DiffEntity(e, n)...)
		if len(problems) == 10 {
			break
		}
	}
	return set, errors.Join(problems...)
}
