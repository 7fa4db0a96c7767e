package mount

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

type selectOptions struct {
	none, watch, json bool
}

func newSelectCommand(a *cli.App) *cobra.Command {
	var o selectOptions
	cmd := &cobra.Command{
		Use:   "select [ID…]",
		Short: "Select entities in the game's editor, or say what is selected there",
		Long: `select has a game's editor and the tools beside it show each other entities: the
editor that follows the selection of a mounted world (docs/control.md) goes to
what is selected here, and select without an ID prints what was selected there,
an entity a line. --watch prints a line of JSON for what is selected now, and
for each selection after that, until the world is unmounted or it is stopped.

A selection is nothing that is saved: it is gone with the mount, or with the
worldfs keep that has the world in step where nothing is mounted.` + cli.ExitStatus(""),
		Example: "  worldfs select 6555\n  worldfs select | head -1\n  worldfs select --watch | jq -c '.entities[].id'",
		Args:    cli.Takes(0, cli.AnyNumber),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	cmd.Flags().BoolVar(&o.none, "none", false, "select no entity")
	cmd.Flags().BoolVar(&o.watch, "watch", false, "print each selection as it is made")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the selection as JSON")
	return cmd
}

func (o *selectOptions) run(a *cli.App, cmd *cobra.Command, args []string) error {
	ids, err := cli.ParseIDs(args)
	if err != nil {
		return err
	}
	if len(ids) > 0 && (o.none || o.watch) || o.none && o.watch {
		return cli.Usagef("select takes IDs, --none or --watch")
	}
	client, err := a.Listen(cmd)
	if err != nil {
		return err
	}
	if o.watch {
		return watchSelection(cmd, client)
	}
	call := daemon.SelectCall{IDs: ids, By: "worldfs select"}
	switch {
	case o.none:
		call.IDs = []entity.ID{}
	case len(ids) == 0:
		call = daemon.SelectCall{}
	}
	s, err := client.Select(call)
	if err != nil {
		return err
	}
	return o.print(cmd.OutOrStdout(), s)
}

func (o *selectOptions) print(w io.Writer, s daemon.Selected) error {
	if o.json {
		return cli.PrintJSON(w, s)
	}
	for _, e := range s.Entities {
		line := fmt.Sprintf("%s %d", e.Type, e.ID)
		if e.Name != "" {
			line += fmt.Sprintf(" %q", e.Name)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

func watchSelection(cmd *cobra.Command, client *daemon.Client) error {
	if err := os.Chdir("/"); err != nil { // a working directory in a mount keeps it busy
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := client.Selections(ctx, func(line []byte) error {
		_, err := cmd.OutOrStdout().Write(line)
		return err
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
