package changes

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/worldtree/revision"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

type diffOptions struct {
	filterFlags
	table bool
	json  bool
	image string
	exit  bool
}

func newDiffCommand(a *cli.App) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff [A [B]]",
		Short: "Print what changed here, or what makes one world of another",
		Long: `diff prints what changed here since the last commit (git:HEAD or svn:BASE; under
no version control since the pack was published last); with A what makes of A
the world that is here, with A and B what makes B of A. It is a change set: a
readable text that can be mailed, concatenated, cut down, applied (worldfs
apply) and undone (worldfs revert). With --table it is a table for people, with
what moved how far; with --map a drawing of what was moved, created and deleted,
seen from above; with --json a line for each entity, with the keys of watch.

` + cli.WorldNames + `Where there is no such file, main, HEAD~3 or 5f3c2a1 is a revision of git's,
and 1234 one of svn's. A...B is from where both came from to B, and svn:PREV
the world before the last commit that changed it. A directory of plain files
without types has those of the other world.
` + cli.ExitStatus("with --exit-code: the worlds differ"),
		Example: "  worldfs diff --table\n  worldfs diff HEAD~1\n  worldfs diff main...my-branch --json\n" +
			"  worldfs diff old.pack new.pack --not-type Grass_Cluster > mine.changes",
		Args: cli.Takes(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.table, "table", false, "print a table for people")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object for each entity, a line each")
	cmd.Flags().StringVar(&o.image, "map", "", "draw the changes, seen from above, into `FILE.svg`")
	cmd.Flags().BoolVar(&o.exit, "exit-code", false, "exit with 1 if the worlds differ")
	return cmd
}

func (o *diffOptions) run(a *cli.App, cmd *cobra.Command, names []string) error {
	filters, err := o.filters()
	if err != nil {
		return err
	}
	if o.image != "" {
		if err := cli.CheckOutput(o.image); err != nil {
			return err
		}
	}
	if o.json && o.table {
		return cli.Usagef("--json and --table are two forms: give one")
	}
	old, now, called, err := o.open(a, cmd, names)
	if err != nil {
		return err
	}
	if err := o.check(a.Noter(cmd), filters, cli.NewVocabulary(old.Types, now.Types).In(old.Source, now.Source)); err != nil {
		return err
	}
	cli.ReportUnread(cmd, called.From, old)
	cli.ReportUnread(cmd, called.To, now)
	from := old.AsIn(now.Source)
	set := changeset.Select(entity.Diff(from, now.AsIn(from)), from, filters...)
	if err := o.print(cmd, set, from); err != nil {
		return err
	}
	if o.image != "" {
		if err := cli.DrawMap(o.image, set, from); err != nil {
			return err
		}
	}
	if s, ok := from.(interface{ Err() error }); ok && s.Err() != nil {
		return s.Err()
	}
	if o.exit && len(set) > 0 {
		return cli.Problemsf("%s", cli.Counted(len(set), "change", "changes"))
	}
	return nil
}

// open opens the two worlds, and returns what they are called.
func (o *diffOptions) open(a *cli.App, cmd *cobra.Command, names []string) (old, now *worldform.World, called revision.Names, err error) {
	options := worldform.Options{Note: a.Noter(cmd)}
	namer := revision.Namer{Dir: options.WorldDir(), Note: options.Note}
	if len(names) < 2 {
		dir, err := a.Find(cmd)
		if err != nil {
			return nil, nil, called, err
		}
		if namer.Dir = dir.Root; len(names) == 0 {
			return namer.OpenSinceLast(dir, options)
		}
	}
	if called, err = namer.Pair(names...); err != nil {
		return nil, nil, called, err
	}
	err = cli.WithMemoryOf([]string{called.From, called.To}, func() (err error) {
		old, now, err = worldform.OpenPair(called.From, called.To, options)
		return err
	})
	return old, now, called, err
}

// print prints the change set: as a table, as JSON, as a text, or where a map is asked
// for and nothing else, not at all.
func (o *diffOptions) print(cmd *cobra.Command, set entity.ChangeSet, from entity.Source) error {
	out := cmd.OutOrStdout()
	if o.json {
		return changeset.Objects(out, set, from)
	}
	if o.table {
		color, width := cli.Terminal(out)
		return changeset.Table(out, set, color, width)
	}
	if o.image != "" {
		return nil
	}
	return changeset.Format(out, set)
}
