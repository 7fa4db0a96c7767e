package mount

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/events"
)

type watchOptions struct {
	from string
	json bool
}

func newWatchCommand(a *cli.App) *cobra.Command {
	var o watchOptions
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Say what happens to a world, as it happens",
		Long: `watch prints a line of JSON for every entity that is created, changed or
deleted, and for every text that breaks or is mended, in a world that is mounted
or that worldfs keep has in step, until that ends or watch is interrupted. Each
line has a position; --from goes on behind it, also after the world was mounted
anew. A line "resync" says that more happened than is told. docs/watch.md
describes the lines.` + cli.ExitStatus(""),
		Example: "  worldfs watch\n  worldfs watch --from 1795336961330360 | jq -c '{id, fields}'",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().StringVar(&o.from, "from", "", "begin behind `POSITION`, 0 for all that is known; without it, now")
	cmd.Flags().BoolVar(&o.json, "json", true, "print JSON; --json=false prints lines for people, as history does")
	return cmd
}

func (o *watchOptions) run(a *cli.App, cmd *cobra.Command) error {
	if _, err := strconv.ParseUint(o.from, 10, 64); o.from != "" && err != nil {
		return cli.Usagef("--from: %q is not a position, as the lines of watch have one", o.from)
	}
	client, err := a.Listen(cmd)
	if err != nil {
		return err
	}
	if err := os.Chdir("/"); err != nil { // a working directory in a mount keeps it busy
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err = client.Watch(ctx, o.from, func(line []byte) error { return o.print(cmd, line) })
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (o *watchOptions) print(cmd *cobra.Command, line []byte) error {
	if o.json {
		_, err := cmd.OutOrStdout().Write(line)
		return err
	}
	var e events.Event
	if err := json.Unmarshal(line, &e); err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), cli.EventText(e))
	return err
}
