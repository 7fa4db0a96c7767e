package main

import "github.com/spf13/cobra"

// changesCommands returns the commands by which a world changes, and that say how it did.
func changesCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newSetCommand(a),
		newDiffCommand(a),
		newApplyCommand(a),
		newRevertCommand(a),
		newHistoryCommand(a),
		newUndoCommand(a),
		newRestoreCommand(a),
	}
}
