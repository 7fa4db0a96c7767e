package changes

import (
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/changelog"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type undoOptions struct {
	at    string
	since string
	takeBack
}

func newUndoCommand(a *cli.App) *cobra.Command {
	var o undoOptions
	cmd := &cobra.Command{
		Use:   "undo [ID…]",
		Short: "Take back your last change, or the last one of an entity",
		Long: `undo takes back the last change set of your own: what an editor, or a command
such as set or apply, changed at once. Once more it takes back the one before,
and redo goes forwards. What git, svn or hg, an import or a clone has brought
is not your own, and stays. With an ID it takes back what you did last to that
entity; --any also what others did, and what happened before worldfs knew whose
it was. --since takes back all that you did since a time, --set one change set
by its number (see worldfs history). --at brings an entity back as it was at a
time, whoever has changed it.

An entity that was created goes again, and one that was deleted comes back,
only where its ID is named. What somebody has changed since, on the same
property, stands, and is said. undo says what it does; on a terminal it asks
first, elsewhere more than one entity needs --yes.` + cli.ExitStatus("something was changed since, must be named, or is a derived pose"),
		Example: "  worldfs undo\n  worldfs undo --dry-run\n  worldfs undo 6555\n  worldfs undo --since 10m --yes\n" +
			"  worldfs undo 6555 --at 14:30\n  worldfs undo 6555 --any",
		Args: cli.Takes(0, cli.AnyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := cli.ParseIDs(args)
			if err != nil {
				return err
			}
			return o.run(a, cmd, ids)
		},
	}
	cmd.Flags().StringVar(&o.at, "at", "", "bring it back as it was at `TIME`: 10m or 2d ago, 14:30, 2006-01-02, \"2006-01-02 15:04\", or RFC 3339")
	cmd.Flags().StringVar(&o.since, "since", "", "take back all that you did since `TIME`")
	cmd.Flags().Uint64Var(&o.request.Set, "set", 0, "take back the change set of `NUMBER`")
	cmd.Flags().BoolVar(&o.request.Any, "any", false, "also what is not your own, and what is so old that this is not known")
	o.addFlags(cmd)
	return cmd
}

func newRedoCommand(a *cli.App) *cobra.Command {
	o := takeBack{request: changelog.Request{Redo: true}}
	cmd := &cobra.Command{
		Use:   "redo [ID…]",
		Short: "Make again what undo has taken back",
		Long: `redo makes again what undo took back last, and once more what it took back
before that. As soon as you change something else there is nothing to redo any
more. An entity that would go by it must be named.` + cli.ExitStatus("something was changed since, must be named, or is a derived pose"),
		Example: "  worldfs redo\n  worldfs redo 6555\n  worldfs redo --dry-run",
		Args:    cli.Takes(0, cli.AnyNumber),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.request.IDs, err = cli.ParseIDs(args); err != nil {
				return err
			}
			return o.do(a, cmd)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *undoOptions) run(a *cli.App, cmd *cobra.Command, ids []entity.ID) (err error) {
	if cmd.Flags().Changed("at") {
		if len(ids) != 1 || cmd.Flags().Changed("since") || o.request.Set != 0 {
			return cli.Usagef("--at is about one entity, and nothing else: worldfs undo 6555 --at 14:30")
		}
		return o.goBack(a, cmd, ids[0])
	}
	if cmd.Flags().Changed("since") {
		if o.request.Since, err = parseTime("--since", o.since, time.Now()); err != nil {
			return err
		}
	}
	o.request.IDs = ids
	return o.do(a, cmd)
}

// goBack brings an entity back as it was at a time.
func (o *undoOptions) goBack(a *cli.App, cmd *cobra.Command, id entity.ID) error {
	at, err := parseTime("--at", o.at, time.Now())
	if err != nil {
		return err
	}
	if o.request.DryRun {
		return cli.Usagef("--at has no --dry-run: worldfs history %d lists what has happened to it since", id)
	}
	var undone events.Undone
	err = a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) (err error) {
		undone, err = w.Undo(id, at)
		return err
	})
	if err != nil {
		return err
	}
	return o.printUndone(cmd, undone)
}

func (o *undoOptions) printUndone(cmd *cobra.Command, u events.Undone) error {
	if o.json {
		if err := cli.PrintJSON(cmd.OutOrStdout(), u); err != nil {
			return err
		}
	} else {
		text := "undone: " + cli.EventText(u.Undone)
		if u.Report.Created+u.Report.Changed+u.Report.Deleted == 0 {
			text = nothingDone(u.Report)
		}
		if _, err := io.WriteString(cmd.OutOrStdout(), text); err != nil {
			return err
		}
	}
	return stands(cmd, u.Report, 0)
}

// parseTime reads a time as people give it: how long ago, a time of the last 24
// hours, or a date with or without a time of day.
func parseTime(flag, text string, now time.Time) (time.Time, error) {
	if d, err := parseAgo(text); err == nil {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	for _, layout := range []string{"15:04", time.TimeOnly} {
		t, err := time.ParseInLocation(layout, text, now.Location())
		if err != nil {
			continue
		}
		year, month, day := now.Date()
		t = time.Date(year, month, day, t.Hour(), t.Minute(), t.Second(), 0, now.Location())
		if t.After(now) {
			t = t.AddDate(0, 0, -1)
		}
		return t, nil
	}
	return time.Time{}, cli.Usagef("%s: %q is not a time such as 10m, 2d, 14:30, 2006-01-02, \"2006-01-02 15:04\" or 2006-01-02T15:04:05Z", flag, text)
}

// parseAgo reads how long ago something was: what Go reads, and days.
func parseAgo(text string) (time.Duration, error) {
	text = strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(text, "ago")), " ")
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		return 0, strconv.ErrRange
	}
	return d, err
}
