package mount

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/fsnode"
)

// selfCommand is this program, for a process that the daemon starts.
var selfCommand = []string{"/proc/self/exe"}

// readAheadCommand has the daemon run this program again to read its mount: a
// process that uses what it serves itself can come to wait for itself.
var readAheadCommand = append(selfCommand[:1:1], "read-ahead")

// ofTheMount returns the commands that only a mount needs.
func ofTheMount() []*cobra.Command { return []*cobra.Command{newReadAheadCommand()} }

func newReadAheadCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "read-ahead",
		Short:  "Have the kernel know a mount's files (the daemon starts this)",
		Long:   "read-ahead lists and reads the entities in a mount, as standard input asks, so\nthat the kernel knows them. The daemon starts it." + cli.ExitStatus(""),
		Hidden: true,
		Args:   cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return fsnode.ReadAhead(cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
