package main

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
)

// newHelpCommand is cobra's own, but for a topic that there is not being a wrong
// call.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND]",
		Short:             "Help about any command",
		Long:              `help prints what worldfs --help does, or COMMAND --help.` + cli.ExitStatus(""),
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // help needs no world
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, _, err := cmd.Root().Find(args)
			if err != nil {
				return err // no command has begun: the call is wrong
			}
			return about.Help()
		},
	}
}

// completeCommands offers the names of the commands that begin as typed.
func completeCommands(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, c := range cmd.Root().Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name()+"\t"+c.Short)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
