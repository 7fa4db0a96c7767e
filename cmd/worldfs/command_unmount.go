package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/daemon"
)

func newUnmountCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "unmount",
		Aliases: []string{"umount"},
		Short:   "End the mount",
		Long: `unmount ends the mount and returns when everything is durable, the pack is
whole and the plain files, where the world has them, are back. While a process
uses the mount it does nothing and says which one. A mount whose process was
killed is cleaned up.` + exitStatus(""),
		Example: "  worldfs unmount",
		Args:    takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runUnmount(a, cmd) },
	}
}

func runUnmount(a *app, cmd *cobra.Command) error {
	dir, err := a.find(cmd)
	if err != nil {
		return err
	}
	bar := a.progress(cmd, "unmounting", -1)
	was, err := daemon.Unmount(dir)
	bar.Stop()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s; %s is whole\n", was, dir.PackPath())
	return err
}
