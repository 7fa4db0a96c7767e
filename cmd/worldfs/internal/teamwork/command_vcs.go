package teamwork

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
)

func newVCSCommand(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "vcs COMMAND",
		Short: "Set up git or svn for this world",
		Long: `vcs has the commands that bring version control and the world together; see the
help of each.` + cli.ExitStatus(""),
		Example: "  worldfs vcs install\n  worldfs vcs sync",

		DisableFlagsInUseLine: true, // each of its commands has its own
	})
	cmd.AddCommand(
		newVCSAddCommand(a), newVCSSyncCommand(a),
		newVCSInstallCommand(a), newVCSUninstallCommand(a),
		newMergeDriverCommand(), newTextconvCommand(), newHookCommand(a),
		newDiff3Command(), newMergeToolCommand(), newDiffToolCommand(),
	)
	return cmd
}
