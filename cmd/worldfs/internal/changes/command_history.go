package changes

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/changelog"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type historyOptions struct {
	filter changelog.Filter
	since  string
	json   bool
}

// lastSets is how many change sets history lists unless it is told.
const lastSets = 20

func newHistoryCommand(a *cli.App) *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "history [ID]",
		Short: "Say what happened to the world, or to an entity",
		Long: `history lists the world's change sets, the latest last: number, when, how it
came and from whom (edit with vim, git checkout, set, apply, import, pack saved
by another program, plain, …), and how many entities it created, changed and
deleted. What came at once is one set: what a program wrote before it paused,
what a command did.

With an ID it lists what happened to that entity: when, what did it, and each
field's value before and after. Texts that did not parse and what lost a
conflict are listed too; of a text that did not parse, and that something else
took the place of, its lines. world.toml says for how long and how much is kept:
history_days and history_size.` + cli.ExitStatus(""),
		Example: "  worldfs history\n  worldfs history --own --since 2h\n  worldfs history --by git --changes\n" +
			"  worldfs history 6555\n  worldfs history 6555 --json | jq '.[-1].fields'",
		Args: cli.Takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return o.ofWorld(a, cmd)
			}
			for _, name := range []string{"own", "by", "who", "since", "last", "changes"} {
				if cmd.Flags().Changed(name) {
					return cli.Usagef("--%s is of the world's history, without an ID", name)
				}
			}
			return cli.OfEntity(func(cmd *cobra.Command, id entity.ID) error { return o.ofEntity(a, cmd, id) })(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print it as JSON, in an array; of an entity as watch does")
	cmd.Flags().BoolVar(&o.filter.Own, "own", false, "only what undo would take back: edits and commands made here")
	cmd.Flags().StringVar(&o.filter.By, "by", "", "only what came by `HOW`: edit, git, \"git checkout\", set, import, …")
	cmd.Flags().StringVar(&o.filter.Who, "who", "", "only what came from the `USER`")
	cmd.Flags().StringVar(&o.since, "since", "", "only what happened since `TIME`: 10m or 2d ago, 14:30, 2006-01-02, …")
	cmd.Flags().IntVar(&o.filter.Last, "last", lastSets, "only the last `N`, 0 for all")
	cmd.Flags().BoolVar(&o.filter.Changes, "changes", false, "also what happened to each entity")
	return cmd
}

func (o *historyOptions) ofWorld(a *cli.App, cmd *cobra.Command) (err error) {
	if cmd.Flags().Changed("since") {
		if o.filter.Since, err = parseTime("--since", o.since, time.Now()); err != nil {
			return err
		}
	}
	if o.filter.Last < 0 {
		return cli.Usagef("--last: %d is less than 0", o.filter.Last)
	}
	var sets []changelog.Summary
	err = a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) (err error) {
		sets, err = w.Changes(o.filter)
		return err
	})
	switch {
	case err != nil:
		return err
	case o.json:
		return cli.PrintJSON(cmd.OutOrStdout(), sets)
	case len(sets) == 0:
		a.Noter(cmd)("nothing has happened to the world that is kept, or nothing of that sort")
	}
	for _, s := range sets {
		if _, err := io.WriteString(cmd.OutOrStdout(), setLine(s)); err != nil {
			return err
		}
		for _, e := range s.Changes {
			if _, err := io.WriteString(cmd.OutOrStdout(), changeText(e)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *historyOptions) ofEntity(a *cli.App, cmd *cobra.Command, id entity.ID) error {
	var happened []events.Event
	err := a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) (err error) {
		if happened, err = w.History(id); err != nil || len(happened) > 0 || o.json {
			return err
		}
		if _, err = w.Text(id); err != nil {
			return fmt.Errorf("%w, and nothing is known of its past", err)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case o.json:
		return cli.PrintJSON(cmd.OutOrStdout(), happened)
	case len(happened) == 0:
		a.Noter(cmd)(fmt.Sprintf("nothing has happened to entity %d that is kept", id))
	}
	return printEvents(cmd.OutOrStdout(), happened)
}

func printEvents(w io.Writer, happened []events.Event) error {
	for _, e := range happened {
		if _, err := io.WriteString(w, cli.EventText(e)+cli.LostText(e)); err != nil {
			return err
		}
	}
	return nil
}
