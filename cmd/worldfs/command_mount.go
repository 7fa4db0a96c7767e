package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/daemon"
	"github.com/worldfs/worldfs/worlddir"
)

type mountOptions struct {
	foreground bool
	allowOther bool
}

func newMountCommand(a *app) *cobra.Command {
	var o mountOptions
	cmd := &cobra.Command{
		Use:   "mount",
		Short: "Show the pack as files in entities/",
		Long: `mount shows the world's pack as one text file per entity in entities/, for any
program to read and write. It returns when the files can be used; a process in
the background serves them until worldfs unmount.

Plain files that were in entities/ are taken in first, and are there again, up
to date, when the world is unmounted.` + exitStatus(""),
		Example: "  worldfs mount\n  worldfs mount --foreground --log-level debug",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.foreground, "foreground", false, "serve in this process, with its log on stderr, until interrupted")
	o.addDaemonFlags(cmd)
	return cmd
}

// addDaemonFlags adds those that the process in the background gets, too.
func (o *mountOptions) addDaemonFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.allowOther, "allow-other", false, "let other users use the mount, as far as the files' modes go")
	cmd.Flags().String("log-level", "", "how much goes into the log: debug, info, warn or error")
}

func (o *mountOptions) run(a *app, cmd *cobra.Command) error {
	dir, err := a.find(cmd)
	if err != nil {
		return err
	}
	if o.foreground {
		return o.serve(cmd, dir)
	}
	bar := a.progress(cmd, "mounting", -1)
	record, err := daemon.Start(dir, o.daemonArgs(dir))
	bar.Stop()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "mounted at %s (process %d); worldfs unmount ends it\n", record.Mount, record.Pid)
	return err
}

func (o *mountOptions) serve(cmd *cobra.Command, dir *worlddir.Dir) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: dir.Settings.LogLevel}))
	return daemon.Run(dir, daemon.RunOptions{AllowOther: o.allowOther, Log: log, Ready: func() {
		fmt.Fprintf(cmd.OutOrStdout(), "mounted at %s; interrupt, or worldfs unmount, ends it\n", dir.EntitiesPath())
	}})
}

func (o *mountOptions) daemonArgs(dir *worlddir.Dir) []string {
	return []string{"daemon", "-C", dir.Root,
		fmt.Sprintf("--allow-other=%t", o.allowOther), "--log-level", dir.Settings.LogLevel.String()}
}
