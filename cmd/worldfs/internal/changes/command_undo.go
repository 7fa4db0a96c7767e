package changes

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type undoOptions struct {
	at   string
	json bool
}

func newUndoCommand(a *cli.App) *cobra.Command {
	var o undoOptions
	cmd := &cobra.Command{
		Use:   "undo ID",
		Short: "Take back what happened to an entity",
		Long: `undo takes back what happened last to an entity (see worldfs history): a change,
its creation, its deletion, or a text that does not parse. With --at it brings
the entity back as it was at a time. It is an edit like any other: only the
properties change that were changed then, and undo once more does it again. What
was changed since, on the same property, stands, and is said.` + cli.ExitStatus("what was changed since stands"),
		Example:           "  worldfs undo 6555\n  worldfs undo 6555 --at 14:30\n  worldfs undo 6555 --at 10m",
		Args:              cli.Takes(1, 1),
		ValidArgsFunction: cli.CompleteIDs,
		RunE: cli.OfEntity(func(cmd *cobra.Command, id entity.ID) error {
			at, err := o.time()
			if err != nil {
				return err
			}
			var undone events.Undone
			err = a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) (err error) {
				undone, err = w.Undo(id, at)
				return err
			})
			if err != nil {
				return err
			}
			return o.print(cmd, undone)
		}),
	}
	cmd.Flags().StringVar(&o.at, "at", "", "bring it back as it was at `TIME`: 10m or 2d ago, 14:30, 2006-01-02, \"2006-01-02 15:04\", or RFC 3339")
	cmd.Flags().BoolVar(&o.json, "json", false, "print what was undone as JSON")
	return cmd
}

// time returns the time of --at; without it, none.
func (o *undoOptions) time() (time.Time, error) {
	if o.at == "" {
		return time.Time{}, nil
	}
	return parseTime(o.at, time.Now())
}

func (o *undoOptions) print(cmd *cobra.Command, u events.Undone) error {
	if o.json {
		if err := cli.PrintJSON(cmd.OutOrStdout(), u); err != nil {
			return err
		}
	} else {
		text := "undone: " + cli.EventText(u.Undone)
		if u.Report.Created+u.Report.Changed+u.Report.Deleted == 0 {
			text = "nothing changed: that is undone already\n"
			if len(u.Report.Conflicts) > 0 {
				text = "nothing was undone: what was changed since is kept\n"
			}
		}
		if _, err := io.WriteString(cmd.OutOrStdout(), text); err != nil {
			return err
		}
	}
	for _, c := range u.Report.Conflicts {
		fmt.Fprintln(cmd.ErrOrStderr(), c.Words)
	}
	if n := len(u.Report.Conflicts); n > 0 {
		return cli.Problemsf("%s since, and stands: undo the later change first, or worldfs undo ID --at TIME (worldfs history ID lists them)", cli.Counted(n, "property was changed", "properties were changed"))
	}
	return nil
}

// parseTime reads a time as people give it: how long ago, a time of the last 24
// hours, or a date with or without a time of day.
func parseTime(text string, now time.Time) (time.Time, error) {
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
	return time.Time{}, cli.Usagef("--at: %q is not a time such as 10m, 2d, 14:30, 2006-01-02, \"2006-01-02 15:04\" or 2006-01-02T15:04:05Z", text)
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
