// Package teamwork has the commands of working with others: merging worlds, finishing what
// git or svn has merged, taking in what others have published, and setting git and svn up.
package teamwork

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
)

// Commands returns the commands of working with others.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		newMergeCommand(a),
		newResolveCommand(a),
		newIncomingCommand(a),
		newPullCommand(a),
		newVCSCommand(a),
	}
}
