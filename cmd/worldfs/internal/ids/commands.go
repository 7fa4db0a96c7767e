// Package ids has the commands about entities' IDs: whose they are, and the next free ones.
package ids

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Commands returns the commands about IDs.
func Commands(a *cli.App) []*cobra.Command {
	cmd := newIDsCommand(a)
	cmd.AddCommand(newClaimCommand(a), newNextCommand(a), newCheckCommand(a))
	return []*cobra.Command{cmd}
}

// use opens the world and has its IDs used.
func use(a *cli.App, cmd *cobra.Command, do func(*idalloc.World) error) error {
	return a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		reading, err := w.Read()
		if err != nil {
			return err
		}
		return do(cli.IDsOf(dir, w, reading.Source, a.Noter(cmd)))
	})
}

// closed returns the world's IDs without the world: nothing is open, so that version
// control's hooks can use it.
func closed(a *cli.App, cmd *cobra.Command) (*idalloc.World, error) {
	var kept *idalloc.World
	err := use(a, cmd, func(w *idalloc.World) error {
		var ids entity.World
		for id := range w.IDs() {
			ids.Put(&entity.Entity{ID: id})
		}
		kept = idalloc.New(w.Dir, &ids, w.Note)
		return nil
	})
	return kept, err
}
