package main

import "github.com/spf13/cobra"

func newVCSCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "vcs",
		Short:   "Set up git or svn for this world",
		Long:    "vcs has git or svn and a world know of each other: see its commands." + exitStatus(""),
		Example: "  worldfs vcs add\n  worldfs vcs sync",
		Args:    takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newVCSAddCommand(a), newVCSSyncCommand(a))
	return cmd
}
