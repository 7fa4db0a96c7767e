package content

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

type packOptions struct {
	output string
	ship   bool
}

func newPackCommand(a *cli.App) *cobra.Command {
	var o packOptions
	cmd := &cobra.Command{
		Use:   "pack [-o FILE] [--ship]",
		Short: "Make the pack from the plain files in entities/",
		Long: `pack brings world.pack up to date, from the plain files in entities/ or, while
the world is mounted, from what was edited there. Only what changed is read. It
needs no mount: this is how a build machine makes the pack from a checkout.

With --ship it makes a ship build instead: entities upgraded to their types'
current revisions, without what is for the editor only. It refuses while
anything in the world is wrong, and says what.

Where most entities are gone since the last pack, neither is made, unless
--allow-loss says that they are to be deleted (see worldfs sync). A fresh clone
has no last pack.` + cli.ExitStatus("findings stop the ship build, or "+cli.StatusOfLoss),
		Example: "  worldfs pack\n  worldfs pack -o build/world.pack\n  worldfs pack --ship -o build/world.pack",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "write `FILE` too, relative to -C where that is given (with --ship: instead of ship.pack in the world)")
	cmd.Flags().BoolVar(&o.ship, "ship", false, "make a ship build")
	cli.AddAllowLoss(cmd)
	return cmd
}

func (o *packOptions) run(a *cli.App, cmd *cobra.Command) error {
	if o.output != "" {
		if err := cli.CheckOutput(o.output); err != nil {
			return err
		}
	}
	return a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		bar := a.Progress(cmd, "packing", -1)
		defer bar.Stop()
		do := o.packTo
		if o.ship {
			do = o.shipTo
		}
		path, head, err := do(cmd, dir, w)
		if err != nil {
			return err
		}
		bar.Stop()
		return printPack(cmd, path, head)
	})
}

func (o *packOptions) packTo(_ *cobra.Command, dir *worlddir.Dir, w *daemon.World) (string, packfile.Head, error) {
	err := w.Sync()
	if (disk.IsNoRoom(err) || errors.Is(err, worlddir.ErrReadOnly)) && o.output != "" {
		return o.packUnpublished(w)
	}
	if err != nil {
		return "", packfile.Head{}, err
	}
	if o.output == "" {
		head, err := packfile.ReadHead(dir.PackPath())
		return dir.PackPath(), head, err
	}
	pack, err := cache.ReadPublished(dir)
	if err != nil {
		return "", packfile.Head{}, err
	}
	return o.output, pack.Head(), writePack(o.output, pack.Bytes())
}

// packUnpublished makes the pack of a world that has no room for it itself, or is
// read-only.
func (o *packOptions) packUnpublished(w *daemon.World) (string, packfile.Head, error) {
	r, err := w.Read()
	if err != nil {
		return "", packfile.Head{}, err
	}
	data, err := packfile.Encode(r.World, r.Types, r.Source)
	if err != nil {
		return "", packfile.Head{}, err
	}
	pack, err := packfile.Parse(data)
	if err != nil {
		return "", packfile.Head{}, err
	}
	return o.output, pack.Head(), writePack(o.output, data)
}

func (o *packOptions) shipTo(cmd *cobra.Command, dir *worlddir.Dir, w *daemon.World) (string, packfile.Head, error) {
	data, findings, err := w.Ship()
	if blocks := cli.Blocking(findings); err != nil && len(blocks) > 0 {
		for _, f := range blocks {
			fmt.Fprintln(cmd.ErrOrStderr(), f)
		}
		return "", packfile.Head{}, cli.Problemsf("no ship build: %s in the way", cli.Counted(len(blocks), "finding is", "findings are"))
	}
	if err != nil {
		return "", packfile.Head{}, err
	}
	pack, err := packfile.Parse(data)
	if err != nil {
		return "", packfile.Head{}, err
	}
	path := o.output
	if path == "" {
		path = filepath.Join(dir.Root, worlddir.ShipPackName)
	}
	return path, pack.Head(), writePack(path, data)
}

func writePack(path string, data []byte) error {
	return (&disk.Disk{}).WriteAtomic("pack", path, data, 0o644)
}

func printPack(cmd *cobra.Command, path string, head packfile.Head) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s\n", path,
		cli.Counted(head.Entities, "entity", "entities"), cli.BytesOf(int(head.Size)))
	return err
}
