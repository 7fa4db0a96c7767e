package teamwork

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type vcsSyncOptions struct{ json, auto, note, moved bool }

// autoLockTimeout is vcsLockTimeout of a call that the daemon makes, and makes again.
const autoLockTimeout = time.Second

// vcsLockTimeout is how long a lock of git's or svn's is waited for.
const vcsLockTimeout = 5 * time.Second

func newVCSSyncCommand(a *cli.App) *cobra.Command {
	var o vcsSyncOptions
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Tell git or svn which entities were created and deleted",
		Long: `sync has git or svn know of the entities, and the types, that were created and
deleted since the last time: svn add and svn delete, git add -N and
git rm --cached, in one process each. It never commits. Names that git or svn is
told to ignore stay out, and files in conflict are left alone and named. Running
it again changes nothing more.

A deletion is on record until svn knows of it, and then stands although
svn update has brought the file back meanwhile. Where another process has git's
index or the svn working copy locked, sync waits for five seconds, then says
what to do; the next sync does what is left. In the middle of a merge or rebase
of git's it does nothing.

With vcs.auto = true in world.toml a mounted world does the same by itself, a
moment after things are quiet.` +
			cli.ExitStatus("files are in conflict, or "+cli.StatusOfLoss),
		Example: "  rm entities/6555.entity_text; worldfs vcs sync; svn commit\n  worldfs vcs sync --json",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cli.AddAllowLoss(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print what git or svn was told as JSON")
	cmd.Flags().BoolVar(&o.auto, "auto", false, "as the daemon calls it: a lock is waited for a moment only")
	cmd.Flags().BoolVar(&o.note, "note", false, "only ask svn about the deletions on record")
	cmd.Flags().BoolVar(&o.moved, "moved", false, "only tell svn where files are now that it was to add elsewhere")
	for _, name := range []string{"auto", "note", "moved"} {
		_ = cmd.Flags().MarkHidden(name) // it is there
	}
	return cmd
}

func (o *vcsSyncOptions) run(a *cli.App, cmd *cobra.Command) error {
	return a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		if o.note {
			return vcssync.Ask(vcssync.Options{Dir: dir, Note: w.NoteVCS})
		}
		if o.moved {
			return vcssync.Moved(vcssync.Options{Dir: dir, LockTimeout: autoLockTimeout})
		}
		results, err := o.sync(dir, w)
		if err != nil {
			return err
		}
		return o.report(cmd.OutOrStdout(), results)
	})
}

// tellMoved tells svn of a change of the layout that has come in, so that it can commit at once; the
// daemon would do so a moment later. A world.toml that is in conflict has changed nothing yet.
func tellMoved() error {
	dir, err := worlddir.Find(".")
	if err != nil {
		return nil
	}
	if _, svn := vcssync.Uses(dir.Root); !svn {
		return nil
	}
	return vcssync.Moved(vcssync.Options{Dir: dir, LockTimeout: vcsLockTimeout})
}

func (o *vcsSyncOptions) sync(dir *worlddir.Dir, w *daemon.World) ([]vcssync.Result, error) {
	if err := w.Sync(); err != nil { // which refuses a great loss
		return nil, err
	}
	hidden, err := hidesEntities(dir, w)
	if err != nil {
		return nil, err
	}
	options := vcssync.Options{
		Dir: dir, Note: w.NoteVCS, Hidden: hidden, LockTimeout: vcsLockTimeout,
		BroughtBack: func(id entity.ID, since time.Time) bool { return broughtBack(w, id, since) },
	}
	if o.auto {
		options.LockTimeout = autoLockTimeout
	}
	return vcssync.Sync(options)
}

// hidesEntities reports whether entities/ does not show the world's files: it is not
// mounted, and plain files are not wanted.
func hidesEntities(dir *worlddir.Dir, w *daemon.World) (bool, error) {
	if w.IsMounted() || vcssync.HasEntities(dir) {
		return false, nil
	}
	now, err := w.Read()
	if err != nil {
		return false, err
	}
	for range now.Source.All() {
		return true, nil
	}
	return false, nil
}

// broughtBack reports whether a command, and not a file that came, has made an entity
// anew since then.
func broughtBack(w *daemon.World, id entity.ID, since time.Time) bool {
	past, err := w.History(id)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(past, func(e events.Event) bool {
		return e.Event == events.Created && e.Time.After(since) && e.By != "edit" && e.By != "plain"
	})
}

func (o *vcsSyncOptions) report(out io.Writer, results []vcssync.Result) error {
	if o.json {
		if err := cli.PrintJSON(out, results); err != nil {
			return err
		}
	}
	var conflicts []string
	for _, r := range results {
		conflicts = append(conflicts, r.Conflicts...)
		if o.json {
			continue
		}
		if err := printVCSResult(out, r); err != nil {
			return err
		}
	}
	if len(conflicts) > 0 {
		return cli.Problemsf("in conflict, and left alone: %s; settle them (svn resolve), then run worldfs vcs sync again", nameSome(conflicts))
	}
	return nil
}

func printVCSResult(out io.Writer, r vcssync.Result) error {
	text := fmt.Sprintf("%s: nothing to tell", r.Tool)
	if !r.Empty() {
		text = fmt.Sprintf("%s knows now of %s created, %s deleted", r.Tool, cli.Count(len(r.Created)), cli.Count(len(r.Deleted)))
		if n := len(r.Returned); n > 0 {
			text += fmt.Sprintf(", %s there again", cli.Count(n))
		}
		text += fmt.Sprintf("; next: %s commit", r.Tool)
	}
	if len(r.Restored) > 0 {
		text += fmt.Sprintf("\nsvn had brought back, and they are deleted again: %s (svn revert takes that back)", nameSome(r.Restored))
	}
	if len(r.Kept) > 0 {
		text += fmt.Sprintf("\ndeleted here, and there again, changed by others or most of the world: %s; delete them anew if that is meant", nameSome(r.Kept))
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// nameSome returns names for a message, not more than people read.
func nameSome(names []string) string {
	const most = 5
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %s more", cli.Count(len(names)-most))
	}
	return text
}
