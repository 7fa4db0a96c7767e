package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type resolveOptions struct {
	take   string
	fields []string
	where  string
	json   bool
}

func newResolveCommand(a *app) *cobra.Command {
	var o resolveOptions
	cmd := &cobra.Command{
		Use:   "resolve [--take SIDE [ID | TYPE]…]",
		Short: "Merge as a world what git has merged file by file",
		Long: `resolve finishes what git has begun, or has just done: a merge, rebase,
cherry-pick, revert or stash pop. It reads both sides and what they have in
common from git, merges them property by property, and has the files and git's
index follow. What you have edited since stands. It never commits; the last line
says which command goes on. Running it again changes nothing more.

What both sides set to two values is left to you, and listed with both: yours,
the person's own edit in every operation, and the shared one. --take mine,
shared or base settles what is named: entities by ID, all of a type, those of
which --where holds, or everything; with --field, only those fields. Or edit the
file, take the markers out, and run resolve again. Where a type says yields, a
program's bulk change gives way to a person's; what gave way is listed.` + exitStatus("conflicts are left, or a file does not parse"),
		Example: "  git merge feature; worldfs resolve\n" +
			"  worldfs resolve --take mine 6555 --field position\n" +
			"  worldfs resolve --take shared Lamp\n" +
			"  worldfs resolve --take shared",
		Args: takes(0, anyNumber),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.take, "take", "", "settle conflicts for a `SIDE`: mine, shared or base")
	flags.StringSliceVar(&o.fields, "field", nil, "with --take, only conflicts about these `FIELDS`")
	flags.StringVar(&o.where, "where", "", "with --take, only conflicts about entities of which `EXPR` holds")
	flags.BoolVar(&o.json, "json", false, "print what was done and what is left as JSON")
	return cmd
}

func (o *resolveOptions) run(a *app, cmd *cobra.Command, args []string) error {
	if o.take == "" && (len(args) > 0 || len(o.fields) > 0 || o.where != "") {
		return usagef("say with --take whose values stand: mine, shared or base")
	}
	root, err := worlddir.FindRoot(".")
	if err != nil {
		return err
	}
	options := resolve.Options{Note: a.noter(cmd)}
	r, err := resolve.Open(root, options)
	if errors.Is(err, resolve.ErrNothing) {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), err)
		return err
	}
	if err != nil {
		return err
	}
	if o.take != "" {
		if options.Choices, err = o.choices(r, args); err != nil {
			return err
		}
		if r, err = resolve.Open(root, options); err != nil {
			return err
		}
	}
	done, err := r.Apply()
	if err != nil {
		return err
	}
	return o.report(cmd, r, done)
}

// choices returns what the flags and arguments choose.
func (o *resolveOptions) choices(r *resolve.Resolution, args []string) ([]resolve.Choice, error) {
	side, err := resolve.ParseSide(o.take)
	if err != nil {
		return nil, usagef("--take: %v", err)
	}
	where, err := compileWhere(o.where)
	if err != nil {
		return nil, err
	}
	choices, err := r.Choices(side, resolve.Selection{Names: args, Fields: o.fields, Where: where.has})
	if err != nil {
		return nil, err
	}
	if len(choices) == 0 {
		return nil, usagef("no conflict is left about %s", strings.Join(append(args, o.fields...), ", "))
	}
	return choices, nil
}

func (o *resolveOptions) report(cmd *cobra.Command, r *resolve.Resolution, done resolve.Done) error {
	out := cmd.OutOrStdout()
	summary := r.Summary(done)
	if o.json {
		if err := printJSON(out, summary); err != nil {
			return err
		}
	} else if _, err := summary.WriteTo(out); err != nil {
		return err
	}
	switch n := len(summary.Left); {
	case n > 0:
		return problemsf("%s left: worldfs resolve --take mine|shared|base [ID], or edit the files and run worldfs resolve again", counted(n, "conflict is", "conflicts are"))
	case len(summary.Unread) > 0:
		return problemsf("%s not parse and left as they are; mend them and run worldfs resolve again", counted(len(summary.Unread), "file does", "files do"))
	}
	return nil
}
