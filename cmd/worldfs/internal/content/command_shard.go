package content

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newShardCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "shard none|last-digit|tens|hundreds",
		Short: "Change where in entities/ the entities' files lie",
		Long: `shard puts the entities' files into shards, directories named for the last one,
two or three digits of their IDs, or with none back into entities/ itself:

    none        entities/6555.entity_text
    last-digit  entities/5/6555.entity_text
    tens        entities/55/6555.entity_text
    hundreds    entities/555/6555.entity_text

It sets shard in world.toml and moves the plain files. Those that git or svn
tracks are renamed there too, so that their history goes on; commit them
together with world.toml. Killed halfway, the next command finishes it. The
world must not be mounted.` + cli.ExitStatus(""),
		Example:   "  worldfs shard last-digit",
		Args:      cli.Takes(1, 1),
		ValidArgs: []string{"none", "last-digit", "tens", "hundreds"},
		RunE:      func(cmd *cobra.Command, args []string) error { return runShard(a, cmd, args[0]) },
	}
}

func runShard(a *cli.App, cmd *cobra.Command, name string) error {
	l, err := layout.Parse(name)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	dir, err := a.Find(cmd)
	if err != nil {
		return err
	}
	// Opened and closed, the world is in its old order, with nothing undone.
	if err := reopen(a, cmd, dir); err != nil {
		return err
	}
	if err := dir.SetShard(l); err != nil {
		return err
	}
	bar := a.Progress(cmd, "moving files", -1)
	defer bar.Stop()
	if err := reopen(a, cmd, dir); err != nil {
		return fmt.Errorf("world.toml says shard = %q now, and the next command moves the files: %w", l, err)
	}
	return nil
}

// reopen opens the world, which brings its files in order, and closes it. One
// that is mounted is refused.
func reopen(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir) error {
	client, err := daemon.Mounted(dir)
	if err != nil {
		return err
	}
	if client != nil {
		return fmt.Errorf("the world is mounted at %s: run worldfs unmount first, then worldfs shard and worldfs mount", client.Record.Mount)
	}
	world, err := daemon.Open(dir, a.Noter(cmd))
	if err != nil {
		return err
	}
	return world.Close()
}
