package mount

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newKeepCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "keep",
		Short: "Keep pack and plain files in step where nothing is mounted",
		Long: `keep is for machines that cannot mount, Windows among them, and for people who
would rather not. Until it is interrupted, what the game's editor saves into
world.pack comes into the files in entities/, and what is edited there, or
brought by git or svn, comes into the pack, a moment later each.

Both sides' edits of one entity are merged by property, as with a mount. The
game may have the pack open: its save is never overwritten, and one that was cut
off gives way to the last good pack. keep says what came in, and what of it is
wrong. What the system does not tell of is looked for every few seconds.

One keep is at work in a world. While the world is mounted its daemon does all
this, and keep waits; worldfs run does it for as long as its game runs. Games
and tools ask of the world through the control socket, as through a daemon's
(worldfs watch, worldfs select). Ctrl-C publishes what is left and ends keep.` + cli.ExitStatus(cli.StatusOfLoss),
		Example: "  worldfs keep\n  worldfs -C island keep",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return keep(a, cmd) },
	}
}

// keep keeps a world in step until it is interrupted.
func keep(a *cli.App, cmd *cobra.Command) error {
	dir, err := a.Find(cmd)
	if err != nil {
		return err
	}
	if client, err := daemon.Mounted(dir); err != nil {
		return err
	} else if client != nil {
		a.Noter(cmd)("the world is mounted: its daemon keeps pack and files in step")
		return nil
	}
	unlock, err := dir.LockKeeper()
	if locked := (*worlddir.LockedError)(nil); errors.As(err, &locked) {
		return fmt.Errorf("another worldfs keep is at work in this world, or worldfs run without a mount: process %d", locked.Pid)
	}
	if err != nil {
		return err
	}
	defer unlock()
	if err := os.Chdir("/"); err != nil { // a working directory in a mount keeps it busy
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	k := newKeeper(a, cmd, dir)
	defer k.close()
	if err := k.kept.Listen(); err != nil {
		a.Noter(cmd)(fmt.Sprintf("games and tools cannot ask of the world while it is kept so: %v", err))
	}
	said := keptNotes{note: a.Noter(cmd), cmd: cmd}
	said.inStep = "pack and files of " + dir.Root + " are in step, and are kept so; Ctrl-C ends it"
	if !dir.WantsPlain() {
		said.inStep = "saves of the pack of " + dir.Root + " are taken in; entities/ has no files to edit, which plain = true in world.toml changes; Ctrl-C ends it"
	}
	k.onStep = said.say
	k.step(ctx)
	k.keep(ctx)
	stop() // another signal ends this process at once
	said.ending, k.ending = true, true
	k.step(context.Background())
	return said.err
}

// keptNotes says what steps of a keeper have come to, each thing once.
type keptNotes struct {
	note func(string)
	cmd  *cobra.Command

	inStep  string // what is to be said once pack and files are in step; "": it was
	mounted bool
	told    []entity.Finding
	err     error // of the last step
	ending  bool  // the error of the next step is this process's
}

func (n *keptNotes) say(did kept) {
	if did.waits && did.err == nil {
		return
	}
	if did.mounted != n.mounted {
		n.mounted = did.mounted
		if did.mounted {
			n.note("the world is mounted: its daemon keeps it in step until it is unmounted")
		} else {
			n.note("the world is not mounted any more, and is kept in step from here")
		}
	}
	if did.mended {
		n.note("a save was cut off: the last good pack is back in its place, and the save is put aside")
	}
	if len(did.changed) > 0 {
		n.note("published: " + changeset.Summary(did.changed))
	}
	if did.looked {
		n.sayFindings(did.dir.Settings.Shard, did.findings, did.err)
	}
	if did.err != nil && !n.ending && (n.err == nil || n.err.Error() != did.err.Error()) {
		fmt.Fprintf(n.cmd.ErrOrStderr(), "worldfs: %v\n", did.err)
	}
	n.err = did.err
	n.sayInStep(did)
}

// sayInStep says that all is well, at first and once an error is over.
func (n *keptNotes) sayInStep(did kept) {
	switch {
	case did.err != nil && n.inStep == "":
		n.inStep = "pack and files are in step again"
	case did.err == nil && n.inStep != "" && !did.mounted:
		n.note(n.inStep)
		n.inStep = ""
	}
}

// sayFindings prints those that there were not before. What is said of a save that is under
// way may change before it is judged, and what the error of the step says is not said twice.
func (n *keptNotes) sayFindings(l layout.Layout, findings []entity.Finding, problem error) {
	fresh := slices.DeleteFunc(concerning(findings, n.told), func(f entity.Finding) bool {
		return isUnderWay(f) || problem != nil && strings.Contains(problem.Error(), f.Message)
	})
	if len(fresh) > 0 {
		_ = cli.PrintFindings(n.cmd.ErrOrStderr(), l, fresh[:min(len(fresh), maxShown)], false) // a terminal that is gone reads nothing
	}
	if more := len(fresh) - maxShown; more > 0 {
		fmt.Fprintf(n.cmd.ErrOrStderr(), "worldfs: and %s more: worldfs status\n", cli.Count(more))
	}
	n.told = findings
}
