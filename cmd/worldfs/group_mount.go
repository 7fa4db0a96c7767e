package main

import "github.com/spf13/cobra"

// mountCommands returns the commands about the mount and the process that serves it.
func mountCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newMountCommand(a),
		newUnmountCommand(a),
		newSyncCommand(a),
		newStatusCommand(a),
		newWatchCommand(a),
		newDaemonCommand(a),
		newReadAheadCommand(),
	}
}
