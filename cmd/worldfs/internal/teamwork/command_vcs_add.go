package teamwork

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newVCSAddCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "add",
		Short: "Add a world to git or svn for its first commit",
		Long: `add adds a world to the git repository or the svn working copy that it lies in:
world.toml, id_ranges, types/, entities/ and the rules by which local files are
ignored (.gitignore, svn:ignore), in a few processes. svn add of the directory
would take .worldfs and world.pack along; where that has happened, add says how
to get them out. For hg it writes .hgignore, and hg add takes the rest. It never
commits.` + cli.ExitStatus("files that are this machine's alone are under version control already"),
		Example: "  git init; worldfs vcs add; git commit -m \"The world\"\n" +
			"  svn checkout URL .; worldfs vcs add; svn commit -m \"The world\"",
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return runVCSAdd(a, cmd) },
	}
}

func runVCSAdd(a *cli.App, cmd *cobra.Command) error {
	dir, err := a.Find(cmd)
	if err != nil {
		return err
	}
	err = vcssync.CheckLocal(dir.Root)
	var tracked *vcssync.LocalTrackedError
	switch {
	case errors.As(err, &tracked):
		return cli.Problemsf("%v", err)
	case errors.Is(err, vcssync.ErrNoVCS) && dir.WorkingCopy(".hg") == "":
		return fmt.Errorf("%w: git init, or svn checkout --force URL %s, first", err, dir.Root)
	case errors.Is(err, vcssync.ErrNoVCS):
		return addToHg(a, cmd)
	case err != nil:
		return err
	}
	return a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		results, err := addToVCS(a, cmd, dir, w)
		if err != nil {
			return err
		}
		for _, r := range results {
			text := fmt.Sprintf("%s has it all", r.Tool)
			if n := len(r.Created); n > 0 {
				text = fmt.Sprintf("%s: %s added; next: %s commit", r.Tool, cli.Counted(n, "file", "files"), r.Tool)
			}
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), text); err != nil {
				return err
			}
		}
		return nil
	})
}

func addToVCS(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir, w *daemon.World) ([]vcssync.Result, error) {
	if err := showEntities(dir, w); err != nil {
		return nil, err
	}
	options := vcssync.Options{Dir: dir, Note: w.NoteVCS, LockTimeout: vcsLockTimeout}
	return vcssync.Add(options, func() error { return worlddir.Ignore(dir.Root, a.Noter(cmd)) })
}

// addToHg readies a world for hg add, which needs no other help.
func addToHg(a *cli.App, cmd *cobra.Command) error {
	return a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		if err := showEntities(dir, w); err != nil {
			return err
		}
		if err := worlddir.Ignore(dir.Root, a.Noter(cmd)); err != nil {
			return err
		}
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "hg: .hgignore leaves out what is this machine's alone; next: hg add, then hg commit")
		return err
	})
}

// showEntities has the files of all entities be there.
func showEntities(dir *worlddir.Dir, w *daemon.World) error {
	if err := w.Sync(); err != nil {
		return err
	}
	hidden, err := hidesEntities(dir, w)
	if err != nil || !hidden {
		return err
	}
	if !dir.WantsPlain() {
		return errors.New("entities/ has no files while the world is not mounted (plain = false in world.toml): worldfs mount first")
	}
	_, err = w.Unpack("")
	return err
}
