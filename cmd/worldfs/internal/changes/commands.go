// Package changes has the commands that change a world by people's hands and say what was
// changed: fields of many entities, change sets, and what was before.
package changes

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
)

// Commands returns the commands by which a world changes, and that say how it did.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		newSetCommand(a),
		newDiffCommand(a),
		newApplyCommand(a),
		newRevertCommand(a),
		newHistoryCommand(a),
		newUndoCommand(a),
		newRedoCommand(a),
		newRestoreCommand(a),
	}
}
