package changes

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newHistoryCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "Say what happened to an entity",
		Long: `history lists what happened to an entity, the latest last: when, what did it
(edit, plain, import, apply, undo, merge, pack, fmt), and each field's value
before and after. Texts that did not parse and what lost a conflict are listed
too. world.toml says for how long and how much is kept: history_days and
history_size.` + cli.ExitStatus(""),
		Example:           "  worldfs history 6555\n  worldfs history 6555 --json | jq '.[-1].fields'",
		Args:              cli.Takes(1, 1),
		ValidArgsFunction: cli.CompleteIDs,
		RunE: cli.OfEntity(func(cmd *cobra.Command, id entity.ID) error {
			var happened []events.Event
			err := a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) (err error) {
				if happened, err = w.History(id); err != nil || len(happened) > 0 || asJSON {
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
			case asJSON:
				return cli.PrintJSON(cmd.OutOrStdout(), happened)
			case len(happened) == 0:
				a.Noter(cmd)(fmt.Sprintf("nothing has happened to entity %d that is kept", id))
			}
			return printEvents(cmd.OutOrStdout(), happened)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON, as watch does, in an array")
	return cmd
}

func printEvents(w io.Writer, happened []events.Event) error {
	for _, e := range happened {
		if _, err := io.WriteString(w, cli.EventText(e)); err != nil {
			return err
		}
	}
	return nil
}
