package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newHistoryCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "Say what happened to an entity",
		Long: `history lists what happened to an entity, the latest last: when, what did it
(edit, plain, import, apply, undo, merge, pack, fmt), and each field's value
before and after. Texts that did not parse and what lost a conflict are listed
too. world.toml says for how long and how much is kept: history_days and
history_size.` + exitStatus(""),
		Example:           "  worldfs history 6555\n  worldfs history 6555 --json | jq '.[-1].fields'",
		Args:              takes(1, 1),
		ValidArgsFunction: completeIDs,
		RunE: ofEntity(func(cmd *cobra.Command, id entity.ID) error {
			var happened []events.Event
			err := a.use(cmd, func(_ *worlddir.Dir, w *daemon.World) (err error) {
				happened, err = w.History(id)
				return err
			})
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(cmd.OutOrStdout(), happened)
			case len(happened) == 0:
				a.noter(cmd)(fmt.Sprintf("nothing is known of entity %d's past", id))
			}
			return printEvents(cmd.OutOrStdout(), happened)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON, as watch does, in an array")
	return cmd
}

func printEvents(w io.Writer, happened []events.Event) error {
	for _, e := range happened {
		if _, err := io.WriteString(w, eventText(e)); err != nil {
			return err
		}
	}
	return nil
}

// eventText returns an event as people read it: a line, and one more for each
// field.
func eventText(e events.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", e.Time.Local().Format(time.DateTime), e.Event)
	if e.By != "" {
		fmt.Fprintf(&b, " by %s", e.By)
	}
	if subject := eventSubject(e); subject != "" {
		fmt.Fprintf(&b, "  %s", subject)
	}
	if e.Note != "" {
		fmt.Fprintf(&b, "  (%s)", e.Note)
	}
	b.WriteByte('\n')
	for _, f := range e.Fields {
		fmt.Fprintf(&b, "    %s %s -> %s\n", f.Name, short(f.Old), short(f.New))
	}
	if e.Incomplete {
		b.WriteString("    its text was too large to keep\n")
	}
	return b.String()
}

func eventSubject(e events.Event) string {
	switch {
	case e.Type == "":
		return ""
	case e.Name == "":
		return fmt.Sprintf("%s %d", e.Type, e.ID)
	}
	return fmt.Sprintf("%s %d %q", e.Type, e.ID, e.Name)
}

// short returns a value's JSON as far as a line can bear it.
func short(value []byte) string {
	const most = 80
	if text := []rune(string(value)); len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(value)
}
