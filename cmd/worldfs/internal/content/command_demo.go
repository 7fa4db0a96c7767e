package content

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type demoOptions struct {
	entities int
	seed     uint64
}

func newDemoCommand(a *cli.App) *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Make a small island world to try things on",
		Long: `demo makes DIR, or ./island, a world directory with a small island in it: its
types, ID ranges and pack. The same seed and number of entities give the same
island.` + cli.ExitStatus(""),
		Example: "  worldfs demo\n  worldfs demo --entities 300000 /tmp/large",
		Args:    cli.Takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, append(args, "island")[0])
		},
	}
	cmd.Flags().IntVar(&o.entities, "entities", island.DefaultEntities, "how many entities")
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "what the island is made from")
	return cmd
}

func (o *demoOptions) run(a *cli.App, cmd *cobra.Command, root string) error {
	if o.entities < 0 || o.entities > maxDemo {
		return cli.Usagef("--entities is a number from 0 to %s, not %d", cli.Count(maxDemo), o.entities)
	}
	dir, err := worlddir.Init(root, worlddir.InitOptions{Note: a.Noter(cmd)})
	if err != nil {
		return err
	}
	bar := a.Progress(cmd, "making an island", -1)
	defer bar.Stop()
	world := island.Generate(o.entities, o.seed)
	if err := (&disk.Disk{}).WriteAtomicUmasked("ID ranges", dir.RangesPath(), 0o666, []byte(island.RangesText(o.entities))); err != nil {
		return fmt.Errorf("write ID ranges: %w", err)
	}
	if err := daemon.Fill(dir, world); err != nil {
		return err
	}
	bar.Stop()
	fmt.Fprintf(cmd.OutOrStdout(), "%s: an island of %s of %s\n", root, cli.Counted(world.Len(), "entity", "entities"),
		cli.Counted(world.Types.Len(), "type", "types"))
	if !a.IsQuiet() {
		fmt.Fprintf(cmd.OutOrStdout(), demoText, root)
		if !dir.WantsPlain() {
			fmt.Fprint(cmd.OutOrStdout(), demoGitText)
		}
	}
	return nil
}

// maxDemo keeps the IDs of an island within the ranges that it declares.
const maxDemo = 1_000_000

const demoText = `
Try:
    cd %s
    worldfs mount
    ls entities | head
    worldfs find bunker
    worldfs unmount
`

// demoGitText is for where there is no working copy around: there entities/ is empty while
// the world is not mounted, until a command of worldfs opens it in one.
const demoGitText = `
To have it in git:
    git init
    worldfs vcs install
    git add -A
    git commit
`
