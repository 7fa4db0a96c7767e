package content

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/textcodec"
)

type showOptions struct {
	readOptions
	shipMapOptions
	json bool
}

func newShowCommand(a *cli.App) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show ID [--ship-map MAP [--build BUILD]]",
		Short: "Print an entity",
		Long: `show prints an entity's text, byte for byte as its file has it, or with --json
its line of the interchange form.

With --ship-map ID is one that a game knows, of a ship build, and show prints
which entity that is, where it was, and of which revision the build was made; it
needs no world. --build says of which build the game is, by what the game says
of itself or by its pack: the map of another build is refused, since its IDs may
mean other entities (docs/ship.md).` + cli.ExitStatus(""),
		Example: "  worldfs show 6555\n  worldfs show 6555 --json --from old.pack\n" +
			"  worldfs show --ship-map ship.pack.map --build 3f2a91c0 17",
		Args: cli.Takes(1, 1),
		RunE: cli.OfEntity(func(cmd *cobra.Command, id entity.ID) error {
			return o.run(a, cmd, id)
		}),
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print its line of the interchange form")
	o.readOptions.addFlags(cmd)
	o.shipMapOptions.addFlags(cmd)
	return cmd
}

func (o *showOptions) run(a *cli.App, cmd *cobra.Command, id entity.ID) error {
	if o.shipMap != "" || o.build != "" {
		return o.runShipped(cmd, id, o.json, o.from)
	}
	if o.from == "" && !o.json {
		return a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) error {
			text, err := w.Text(id)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		})
	}
	return o.read(a, cmd, func(r daemon.Reading) error {
		e, ok := r.Source.Get(id)
		if !ok {
			return fmt.Errorf("there is no entity %d", id)
		}
		text := textcodec.Append(nil, e)
		if o.json {
			text = append(interchange.AppendEntity([]byte(`{"entity":`), e), "}\n"...)
		}
		_, err := cmd.OutOrStdout().Write(text)
		return err
	})
}
