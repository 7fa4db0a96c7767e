package mount

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type mountOptions struct {
	foreground bool
	cover      string
	allowOther bool
}

func newMountCommand(a *cli.App) *cobra.Command {
	var o mountOptions
	cmd := &cobra.Command{
		Use:   "mount",
		Short: "Show the pack as files in entities/",
		Long: `mount shows the world's pack as one text file per entity in entities/, for any
program to read and write. It returns when the files can be used; a process in
the background serves them until worldfs unmount. Where the world is mounted
already, mount says so and is done.

Plain files that were in entities/ are taken in first, and are there again, up
to date, when the world is unmounted.

Only entities/ is a mount, unless the world lies in an svn working copy: svn
renames files from its .svn onto entities, so the mount has to cover the whole
working copy. Everything but entities/ is then what lies beneath. A shell that
was in the directory before sees what is beneath until it enters it anew (cd .).

Where most of the plain files are missing, nothing is mounted, unless
--allow-loss says that their entities are to be deleted.

git run inside entities/ finds its repository if
GIT_DISCOVERY_ACROSS_FILESYSTEM=1 is set; mount says so once in each clone.` + cli.ExitStatus(cli.StatusOfLoss),
		Example: "  worldfs mount\n  worldfs mount --cover ..\n  worldfs mount --foreground --log-level debug",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.foreground, "foreground", false, "serve in this process, with its log on stderr, until interrupted")
	o.addDaemonFlags(cmd)
	return cmd
}

// addDaemonFlags adds those that the process in the background gets, too.
func (o *mountOptions) addDaemonFlags(cmd *cobra.Command) {
	o.addShapeFlags(cmd)
	cmd.Flags().BoolVar(&o.allowOther, "allow-other", false, "let other users use the mount, as far as the files' modes go")
	cli.AddAllowLoss(cmd)
	cmd.Flags().String("log-level", "", "how much goes into the log: debug, info, warn or error")
}

// addShapeFlags adds those that say what the mount covers.
func (o *mountOptions) addShapeFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.cover, "cover", "", "cover `DIR`, which the world lies in, and not only entities/")
	cmd.Flags().String("shape", "", "entities or cover, whatever version control the world lies in")
}

// namesShape reports whether the call says what the mount is to cover.
func namesShape(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("cover") || cmd.Flags().Changed("shape")
}

func (o *mountOptions) run(a *cli.App, cmd *cobra.Command) error {
	dir, err := a.Find(cmd)
	if err != nil {
		return err
	}
	m, err := o.mounting(dir)
	if err != nil {
		return err
	}
	if o.foreground {
		noteShape(a, cmd, m)
		return o.serve(a, cmd, dir, m)
	}
	record, err := o.start(a, cmd, dir, m)
	var already *daemon.MountedError
	if errors.As(err, &already) && o.isSatisfied(cmd, m, already.Record) {
		if err := daemon.Disclaim(already.Record); err != nil { // it is this person's now, and no run's to end
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "mounted already at %s (process %d)\n", already.Mount, already.Pid)
		return err
	}
	if err != nil {
		return err
	}
	noteShape(a, cmd, m)
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "mounted at %s (process %d); worldfs unmount ends it\n", record.Mount, record.Pid)
	remarkOnGit(a, cmd, dir, m)
	return err
}

// start starts the process that serves the mount, and returns when its files can be used.
func (o *mountOptions) start(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir, m worlddir.Mounting) (daemon.Record, error) {
	bar := a.Progress(cmd, "mounting", -1)
	defer bar.Stop()
	return daemon.Start(dir, o.daemonArgs(dir, m, cli.AllowsLoss(cmd)), a.Noter(cmd))
}

// noteShape says what the mount covers, and why.
func noteShape(a *cli.App, cmd *cobra.Command, m worlddir.Mounting) {
	switch {
	case m.Shape == worlddir.ShapeCover:
		a.Noter(cmd)("the mount covers " + m.At + ", " + m.Why)
	case m.Why != "":
		a.Noter(cmd)("only entities/ is mounted, " + m.Why)
	}
}

// remarkOnGit says, once in each clone, what git needs in order to work inside the
// mount. That it was said could not be noted is no reason to fail: it is said again.
func remarkOnGit(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir, m worlddir.Mounting) {
	if a.IsQuiet() || !m.NeedsGitDiscovery() {
		return
	}
	if first, _ := dir.FirstTime("git-discovery"); first {
		a.Noter(cmd)("git, and editors that run it, work inside entities/ where this is set (see docs/git.md): export " + worlddir.GitDiscovery + "=1")
	}
}

// isSatisfied reports whether a mount that is there already is what the caller
// asked for. A caller that named no place is content with any; whether others may
// use it is not known of it.
func (o *mountOptions) isSatisfied(cmd *cobra.Command, m worlddir.Mounting, r daemon.Record) bool {
	return !o.allowOther && (!namesShape(cmd) || m.At == r.Mount)
}

// mounting returns where the world is to be mounted.
func (o *mountOptions) mounting(dir *worlddir.Dir) (worlddir.Mounting, error) {
	m, err := dir.Mounting(o.cover)
	if errors.Is(err, worlddir.ErrShape) {
		return m, cli.Usagef("%v", err)
	}
	return m, err
}

func (o *mountOptions) serve(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir, m worlddir.Mounting) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: dir.Settings.LogLevel}))
	return daemon.Run(dir, daemon.RunOptions{Mounting: m, AllowOther: o.allowOther, AllowLoss: cli.AllowsLoss(cmd), Log: log, Reader: readAheadCommand, Self: selfCommand, Ready: func() {
		fmt.Fprintf(cmd.OutOrStdout(), "mounted at %s; interrupt, or worldfs unmount, ends it\n", m.At)
		remarkOnGit(a, cmd, dir, m)
		if err := notifySystemd(); err != nil {
			log.Warn("tell systemd that the mount is ready", "error", err)
		}
	}})
}

func (o *mountOptions) daemonArgs(dir *worlddir.Dir, m worlddir.Mounting, allowLoss bool) []string {
	args := []string{"daemon", "-C", dir.Root, "--shape", m.Shape}
	if m.Shape == worlddir.ShapeCover {
		args = append(args, "--cover", m.At)
	}
	return append(args,
		fmt.Sprintf("--allow-other=%t", o.allowOther), fmt.Sprintf("--%s=%t", cli.AllowLossFlag, allowLoss), "--log-level", dir.Settings.LogLevel.String())
}
