// Package editing has the commands that make, delete, renumber and edit single entities.
//
// What they change goes into the world as one change set, as apply's does: mounted, by the
// daemon. So history, undo, plain files and shards follow, and what was changed meanwhile
// is not written over.
package editing

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
)

// Commands returns the commands about single entities.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		newNewCommand(a),
		newRmCommand(a),
		newMvCommand(a),
		newEditCommand(a),
	}
}
