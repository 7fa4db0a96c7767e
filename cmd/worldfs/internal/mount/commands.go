// Package mount has the commands about the mount and the process that serves it: beginning
// and ending it, what that process runs, mount(8)'s helper, and what is asked of a world
// that is live: to be published, how it is, what happens in it.
package mount

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
)

// Commands returns the commands about the mount and the process that serves it.
func Commands(a *cli.App) []*cobra.Command {
	return append([]*cobra.Command{
		newMountCommand(a),
		newUnmountCommand(a),
		newRunCommand(a),
		newKeepCommand(a),
		newSyncCommand(a),
		newStatusCommand(a),
		newWatchCommand(a),
		newSelectCommand(a),
		newDaemonCommand(a),
	}, ofTheMount()...)
}
