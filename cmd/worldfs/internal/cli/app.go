// Package cli is what the commands of worldfs share: the call and its exit status, the
// world that it is about, flags and arguments, and what is printed.
//
// A command says by its error how it ended, and prints none: [App.Run] does, and makes it
// the exit status, which is that of [Usagef] for a call that was wrong, of [Problemsf] for
// problems of the world's, and else that of what could not be done. Results go to the
// output of a command's cobra.Command. What is none is a remark ([App.Noter]), on standard
// error, and left out with --quiet.
//
// [App.Find] finds the world and [App.Use] opens it, through its daemon where it is mounted,
// else in this process; nothing stays open behind it. A mount whose daemon was killed is
// taken away before a command begins.
//
// The package knows no command. Each is in a group, a package beside this one whose only
// door is a function Commands; groups import this package and not one another, so that
// what two of them need is here, or in a package of its own such as mergecost.
package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/pull"
	"github.com/worldfs/worldfs/internal/worldtree/sparse"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// App is what all commands share.
type App struct {
	root    *cobra.Command
	chdir   string
	quiet   bool
	started bool // the call was right: its command has begun
	pulled  bool // finishPull was called
}

// New returns what the commands of a program share. Its root has the flags of all
// commands from then on, and each of them begins where it is to run.
func New(root *cobra.Command) *App {
	a := &App{root: root}
	root.PersistentFlags().StringVarP(&a.chdir, "directory", "C", "", "run as if started in `DIR`")
	root.PersistentFlags().String("role", "", "take IDs from the ranges of `ROLE`, as WORLDFS_ROLE does")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no remarks, only results and errors")
	root.PersistentPreRunE = a.begin
	root.SetFlagErrorFunc(wrongFlag)
	return a
}

// Run runs the program's command line and returns the exit status.
func (a *App) Run() int {
	a.root.InitDefaultCompletionCmd()
	if c, _, err := a.root.Find([]string{"completion"}); err == nil {
		Group(c)
	}
	cmd, err := a.root.ExecuteC()
	if err == nil {
		return daemon.ExitDone
	}
	var ended *Ended
	if errors.As(err, &ended) {
		return ended.Status
	}
	status := daemon.Exit(err)
	if !a.started {
		status = daemon.ExitUsage
	}
	fmt.Fprintf(a.root.ErrOrStderr(), "worldfs: %v\n", explained(err))
	if status == daemon.ExitUsage {
		fmt.Fprintf(a.root.ErrOrStderr(), "Run %s --help for how it is called.\n", cmd.CommandPath())
	}
	return status
}

// explained says, of a world that is not found, where version control has it and was told to
// leave it out.
func explained(err error) error {
	var none *worlddir.NotFoundError
	if errors.As(err, &none) {
		if left := sparse.Find(none.From); left != nil {
			return left
		}
	}
	return err
}

// begin runs before every command, once its call has been found right.
func (a *App) begin(cmd *cobra.Command, _ []string) error {
	if err := checkEmpty(cmd); err != nil {
		return err
	}
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
		return Usagef("-C: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- os.Chdir(dir) }()
	for {
		select {
		case err := <-done:
			if err != nil {
				return Usagef("-C: %v", err)
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
func (a *App) clearDead() error {
	here, err := getwd()
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

// Find returns the world directory that the command is about. Flags of the
// command that are settings count in it.
func (a *App) Find(cmd *cobra.Command) (*worlddir.Dir, error) {
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

// finishPull finishes a pull that was interrupted, where the world can be written to. That it cannot be keeps no command but a
// pull from being done. A command finishes one once, before it locks anything: later it would wait for itself.
func (a *App) finishPull(cmd *cobra.Command, dir *worlddir.Dir) (*worlddir.Dir, error) {
	if a.pulled || dir.CheckWritable() != nil {
		return dir, nil
	}
	a.pulled = true
	taken, err := pull.Finish(dir.Root, pull.Options{Note: a.Noter(cmd), Keep: daemon.Keep})
	if err != nil {
		a.Noter(cmd)(err.Error())
	}
	if taken == nil {
		return dir, nil
	}
	return worlddir.Open(dir.Root) // its settings may have come in
}

// findMounted returns the mounted world that the current directory is in,
// though world.toml may be gone; nil if there is none.
func findMounted() *worlddir.Dir {
	here, err := getwd()
	if err != nil {
		return nil
	}
	return daemon.FindMounted(here)
}

// Listen returns the daemon of the world that the command is about, or the process that keeps it
// in step: what the command is for is only there while there is one.
func (a *App) Listen(cmd *cobra.Command) (*daemon.Client, error) {
	dir, err := a.Find(cmd)
	if err != nil {
		return nil, err
	}
	client, err := daemon.Mounted(dir)
	if err == nil && client == nil {
		client, err = daemon.KeptBy(dir)
	}
	if err == nil && client == nil {
		err = fmt.Errorf("%w, nor kept in step; worldfs mount (or keep), and there is something to %s", daemon.ErrNoDaemon, cmd.Name())
	}
	return client, err
}

// Use finds the world, opens it, has it used and closes it. Where the daemon
// goes away in between, the world is opened and used once more.
func (a *App) Use(cmd *cobra.Command, do func(*worlddir.Dir, *daemon.World) error) error {
	dir, err := a.Find(cmd)
	if err != nil {
		return err
	}
	return a.UseDir(cmd, dir, func(w *daemon.World) error { return do(dir, w) })
}

// UseDir is Use of a world that was found.
func (a *App) UseDir(cmd *cobra.Command, dir *worlddir.Dir, do func(*daemon.World) error) error {
	once := func() error {
		world, err := a.openSteady(cmd, dir)
		if err != nil {
			return err
		}
		err = do(world)
		return errors.Join(err, a.closeSteady(cmd, dir, world))
	}
	err := withHeadroom(once)
	if errors.Is(err, daemon.ErrNoDaemon) {
		err = once()
	}
	return err
}

// Noter returns what says remarks.
func (a *App) Noter(cmd *cobra.Command) func(string) {
	return func(text string) {
		if !a.quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "worldfs: %s\n", text)
		}
	}
}

// IsQuiet reports whether the call wants no remarks.
func (a *App) IsQuiet() bool { return a.quiet }
