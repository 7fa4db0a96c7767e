package main

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/about"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/changes"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/complete"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/content"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/editing"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/ids"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/mount"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/teamwork"
)

const rootLong = `worldfs keeps a game's world as one binary file, the world pack, which the
engine loads, and as one text file per entity, which version control stores and
people edit. The two are one: mounted, the text files are the pack.

The world is found from the current directory upward, as git finds its
repository, or from the directory given with -C.`

// newRoot returns the program's command, with all others, and what they share.
func newRoot() (*cobra.Command, *cli.App) {
	root := &cobra.Command{
		Use:           "worldfs",
		Short:         "A game's world as one pack and as text files",
		Long:          rootLong + cli.ExitStatus("the world has problems, or conflicts are left (see each command)"),
		Example:       "  worldfs demo\n  cd island\n  worldfs mount\n  cat entities/6555.entity_text\n  worldfs unmount",
		Version:       about.ThisBuild().Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("worldfs {{.Version}}\n")
	a := cli.New(root)
	root.SetHelpCommand(newHelpCommand())
	root.AddCommand(about.Commands(a)...)
	root.AddCommand(content.Commands(a)...)
	root.AddCommand(changes.Commands(a)...)
	root.AddCommand(mount.Commands(a)...)
	root.AddCommand(teamwork.Commands(a)...)
	root.AddCommand(ids.Commands(a)...)
	root.AddCommand(editing.Commands(a)...)
	complete.All(root)
	return root, a
}
