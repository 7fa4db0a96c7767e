package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/pull"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// app is what all commands share.
type app struct {
	root    *cobra.Command
	chdir   string
	quiet   bool
	started bool // the call was right: its command has begun
}

// newApp returns what the commands of a program share. Its root has the flags of all
// commands from then on, and each of them begins where it is to run.
func newApp(root *cobra.Command) *app {
	a := &app{root: root}
	root.PersistentFlags().StringVarP(&a.chdir, "directory", "C", "", "run as if started in `DIR`")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no remarks, only results and errors")
	root.PersistentPreRunE = a.begin
	return a
}

// run runs the program's command line and returns the exit status.
func (a *app) run() int {
	cmd, err := a.root.ExecuteC()
	if err == nil {
		return daemon.ExitDone
	}
	status := daemon.Exit(err)
	if !a.started {
		status = daemon.ExitUsage
	}
	fmt.Fprintf(a.root.ErrOrStderr(), "worldfs: %v\n", err)
	if status == daemon.ExitUsage {
		fmt.Fprintf(a.root.ErrOrStderr(), "Run %s --help for how it is called.\n", cmd.CommandPath())
	}
	return status
}

// begin runs before every command, once its call has been found right.
func (a *app) begin(*cobra.Command, []string) error {
	a.started = true
	if err := a.clearDead(); err != nil {
		return err
	}
	if a.chdir == "" {
		return nil
	}
	return changeDirectory(a.chdir)
}

// changeDirectory goes to a directory. It may be in a mount whose daemon was stopped since
// it was looked at: that one is named, instead of waited for.
func changeDirectory(dir string) error {
	at, err := filepath.Abs(dir)
	if err != nil {
		return usagef("-C: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- os.Chdir(dir) }()
	for {
		select {
		case err := <-done:
			if err != nil {
				return usagef("-C: %v", err)
			}
			return nil
		case <-time.After(time.Second):
			if _, err := daemon.ClearDead(at); err != nil {
				return err
			}
		}
	}
}

// clearDead takes a mount away whose daemon was killed, if it covers where the
// command is run: nothing could be found through it, nor the world beneath.
func (a *app) clearDead() error {
	here, err := unix.Getwd() // not os.Getwd, which looks at the directory
	if err != nil {
		return nil // a directory that is gone covers nothing
	}
	daemon.Guard(here)
	cleared, err := daemon.ClearDead(here)
	if err == nil && cleared {
		err = os.Chdir(here) // what we stand in is the dead mount
	}
	if err != nil || a.chdir == "" {
		return err
	}
	to := a.chdir
	if !filepath.IsAbs(to) {
		to = filepath.Join(here, to)
	}
	to = filepath.Clean(to)
	daemon.Guard(to)
	_, err = daemon.ClearDead(to)
	return err
}

// find returns the world directory that the command is about. Flags of the
// command that are settings count in it.
func (a *app) find(cmd *cobra.Command) (*worlddir.Dir, error) {
	dir, err := worlddir.Find(".")
	if errors.Is(err, worlddir.ErrNotFound) {
		if dir := findMounted(); dir != nil {
			return dir, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if dir, err = a.finishPull(cmd, dir); err != nil {
		return nil, err
	}
	return dir, dir.Configure(cmd.Flags())
}

// finishPull finishes a pull that was interrupted. That it cannot be keeps no command but a
// pull from being done.
func (a *app) finishPull(cmd *cobra.Command, dir *worlddir.Dir) (*worlddir.Dir, error) {
	taken, err := pull.Finish(dir.Root, pull.Options{Note: a.noter(cmd), Keep: daemon.Keep})
	if err != nil {
		a.noter(cmd)(err.Error())
	}
	if taken == nil {
		return dir, nil
	}
	return worlddir.Open(dir.Root) // its settings may have come in
}

// findMounted returns the mounted world that the current directory is in,
// though world.toml may be gone; nil if there is none.
func findMounted() *worlddir.Dir {
	here, err := unix.Getwd()
	if err != nil {
		return nil
	}
	return daemon.FindMounted(here)
}

// use finds the world, opens it, has it used and closes it. Where the daemon
// goes away in between, the world is opened and used once more.
func (a *app) use(cmd *cobra.Command, do func(*worlddir.Dir, *daemon.World) error) error {
	dir, err := a.find(cmd)
	if err != nil {
		return err
	}
	once := func() error {
		world, err := daemon.OpenAllowing(dir, a.noter(cmd), allowsLoss(cmd))
		if err != nil {
			return err
		}
		err = do(dir, world)
		return errors.Join(err, world.Close())
	}
	err = withHeadroom(once)
	if errors.Is(err, daemon.ErrNoDaemon) {
		err = once()
	}
	return err
}

// noter returns what says remarks.
func (a *app) noter(cmd *cobra.Command) func(string) {
	return func(text string) {
		if !a.quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "worldfs: %s\n", text)
		}
	}
}

// isQuiet reports whether the call wants no remarks.
func (a *app) isQuiet() bool { return a.quiet }
