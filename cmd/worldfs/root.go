package main

import "github.com/spf13/cobra"

const rootLong = `worldfs keeps a game's world as one binary file, the world pack, which the
engine loads, and as one text file per entity, which version control stores and
people edit. The two are one: mounted, the text files are the pack.

The world is found from the current directory upward, as git finds its
repository, or from the directory given with -C.`

// newRoot returns the program's command, with all others, and what they share.
func newRoot() (*cobra.Command, *app) {
	root := &cobra.Command{
		Use:           "worldfs",
		Short:         "A game's world as one pack and as text files",
		Long:          rootLong + exitStatus("the world has problems, or conflicts are left (see each command)"),
		Example:       "  worldfs demo\n  cd island\n  worldfs mount\n  cat entities/6555.entity_text\n  worldfs unmount",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("worldfs {{.Version}}\n")
	a := newApp(root)
	root.SetHelpCommand(newHelpCommand())
	root.AddCommand(newVersionCommand())
	root.AddCommand(contentCommands(a)...)
	root.AddCommand(changesCommands(a)...)
	root.AddCommand(mountCommands(a)...)
	root.AddCommand(teamworkCommands(a)...)
	return root, a
}
