package main

import "github.com/spf13/cobra"

func newVCSCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vcs",
		Short: "Set up git or svn for this world",
		Long: `vcs has the commands that bring version control and the world together; see the
help of each.` + exitStatus(""),
		Example: "  worldfs vcs install\n  worldfs vcs sync",
		Args:    takes(1, anyNumber),
		RunE:    func(cmd *cobra.Command, args []string) error { return usagef("there is no vcs %s", args[0]) },
	}
	cmd.AddCommand(
		newVCSAddCommand(a), newVCSSyncCommand(a),
		newVCSInstallCommand(a), newVCSUninstallCommand(a),
		newMergeDriverCommand(), newTextconvCommand(), newHookCommand(a),
		newDiff3Command(), newMergeToolCommand(), newDiffToolCommand(),
	)
	return cmd
}
