package content

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type unpackOptions struct{ to string }

func newUnpackCommand(a *cli.App) *cobra.Command {
	var o unpackOptions
	cmd := &cobra.Command{
		Use:   "unpack [--to DIR]",
		Short: "Write the pack's entities as plain files",
		Long: `unpack writes every entity as NNN.entity_text into DIR, which is made, or into
the world's entities/. Other files there are left alone. From then on, pack and
plain files in entities/ are kept in step.` + cli.ExitStatus(""),
		Example: "  worldfs unpack\n  worldfs unpack --to /tmp/texts",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().StringVar(&o.to, "to", "", "the `DIR` to write to")
	return cmd
}

func (o *unpackOptions) run(a *cli.App, cmd *cobra.Command) error {
	return a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		to, err := o.directory(dir)
		if err != nil {
			return err
		}
		bar := a.Progress(cmd, "unpacking", -1)
		defer bar.Stop()
		written, err := w.Unpack(to)
		if err != nil {
			return err
		}
		bar.Stop()
		if to == "" {
			to = dir.EntitiesPath()
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s written\n", to, cli.Counted(written, "file", "files"))
		return err
	})
}

// directory returns the directory to write to, "" for the world's entities/.
func (o *unpackOptions) directory(dir *worlddir.Dir) (string, error) {
	if o.to == "" {
		return "", nil
	}
	if err := cli.CheckOwn("--to", o.to); err != nil {
		return "", err
	}
	to, err := filepath.Abs(o.to)
	if err != nil {
		return "", fmt.Errorf("--to: %w", err)
	}
	if root, rest, err := worlddir.PartOf(to); err != nil || root == dir.Root && rest == worlddir.EntitiesName {
		return "", err
	}
	return to, nil
}
