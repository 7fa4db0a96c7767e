package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/fsnode"
)

// readAheadCommand has the daemon run this program again to read its mount: a
// process that uses what it serves itself can come to wait for itself.
var readAheadCommand = []string{"/proc/self/exe", "read-ahead"}

func newReadAheadCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "read-ahead DIR BYTES",
		Short:  "Have the kernel know a mount's files (the daemon starts this)",
		Long:   "read-ahead lists and reads the entities in the mount at DIR, as standard input\nasks, so that the kernel knows them. They may take BYTES of its memory. The\ndaemon starts it." + exitStatus(""),
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			limit, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil {
				return usagef("BYTES: %v", err)
			}
			return fsnode.ReadAhead(args[0], limit, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
