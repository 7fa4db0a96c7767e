package main

import "github.com/spf13/cobra"

// teamworkCommands returns the commands of working with others.
func teamworkCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newMergeCommand(a),
		newResolveCommand(a),
		newIncomingCommand(a),
		newPullCommand(a),
		newVCSCommand(a),
	}
}
