// Package about has the commands about the program itself: which build it is, and its
// manual pages.
package about

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
)

// Commands returns the commands about the program.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newVersionCommand(), newManCommand(a)}
}
