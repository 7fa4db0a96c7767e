package content

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/worldtree/sparse"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type initOptions struct {
	plain   bool
	ignores bool
}

func newInitCommand(a *cli.App) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a world directory",
		Long: `init makes DIR, or the current directory, a world directory: world.toml with
the world's new ID, types/, id_ranges, entities/, and the rules by which git and
svn leave local files alone. Files that are there already are kept.` + cli.ExitStatus(""),
		Example: "  worldfs init\n  worldfs init levels/island\n  worldfs init --plain=false island",
		Args:    cli.Takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, append(args, ".")[0])
		},
	}
	cmd.Flags().BoolVar(&o.plain, "plain", false,
		"whether entities/ holds plain files while the world is not mounted (left out: where it lies in a working copy)")
	cmd.Flags().BoolVar(&o.ignores, "ignores", false,
		"only set .gitignore and svn:ignore anew, in a world that there is")
	return cmd
}

func (o *initOptions) run(a *cli.App, cmd *cobra.Command, root string) error {
	if o.ignores {
		dir, err := worlddir.Open(root)
		if err != nil {
			return err
		}
		return worlddir.Ignore(dir.Root, a.Noter(cmd))
	}
	if left := sparse.Find(root); left != nil && left.Known && left.IsAt(root) {
		return left // a new one would have another ID
	}
	options := worlddir.InitOptions{Note: a.Noter(cmd)}
	if cmd.Flags().Changed("plain") {
		options.Plain = &o.plain
	}
	dir, err := worlddir.Init(root, options)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), "made a world in", dir.Root)
	return err
}
