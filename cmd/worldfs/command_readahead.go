package main

import (
	"fmt"
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
		Long:   "read-ahead reads the entities in the mount at DIR, so that the kernel knows\nthem, until they take BYTES of its memory. The daemon starts it." + exitStatus(""),
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			limit, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil {
				return usagef("BYTES: %v", err)
			}
			n, err := fsnode.ReadAhead(args[0], limit)
			fmt.Fprintln(cmd.OutOrStdout(), n)
			return err
		},
	}
}
