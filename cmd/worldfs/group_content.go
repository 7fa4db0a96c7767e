package main

import "github.com/spf13/cobra"

// contentCommands returns the commands about what is in a world.
func contentCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newInitCommand(a),
		newDemoCommand(a),
		newImportCommand(a),
		newExportCommand(a),
		newPackCommand(a),
		newUnpackCommand(a),
		newShardCommand(a),
		newLsCommand(a),
		newFindCommand(a),
		newShowCommand(a),
		newCheckCommand(a),
		newFmtCommand(a),
	}
}
