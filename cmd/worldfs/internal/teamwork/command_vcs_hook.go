package teamwork

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/mergecost"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/commitcheck"
	"github.com/worldfs/worldfs/internal/worldtree/gitsetup"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/resolvelock"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newHookCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:    "hook NAME [ARG]…",
		Short:  "What git's hooks run",
		Hidden: true,
		Long: `hook is what git runs, by worldfs vcs install, as a hook: pre-commit, post-merge
or post-rewrite, with git's arguments.` + cli.ExitStatus("the commit is refused"),
		Args: cli.Takes(1, cli.AnyNumber),
		RunE: func(cmd *cobra.Command, args []string) error { return runHook(a, cmd, args[0], args[1:]) },
	}
}

// runHook runs a hook for each world of the clone. What goes wrong stops no commit.
func runHook(a *cli.App, cmd *cobra.Command, name string, args []string) error {
	hook := map[string]func(*cli.App, *cobra.Command, string, []string) (bool, error){
		"pre-commit": preCommit, "post-merge": postMerge, "post-rewrite": postRewrite,
	}[name]
	if hook == nil {
		return nil
	}
	roots, err := gitsetup.Worlds(".")
	if err != nil {
		a.Noter(cmd)(fmt.Sprintf("hook %s: %v", name, err))
		return nil
	}
	refused := false
	for _, root := range roots {
		if info, err := os.Stat(filepath.Join(root, "world.toml")); err != nil || !info.Mode().IsRegular() {
			if name != "pre-commit" { // which is about what the commit has
				continue
			}
		}
		refuses, err := hook(a, cmd, root, args)
		if err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "worldfs: hook %s: %v; git goes on\n", name, err)
		}
		refused = refused || refuses
	}
	if refused {
		return cli.Problemsf("the commit is refused; git commit --no-verify makes it all the same")
	}
	return nil
}

// preCommit says what speaks against a commit, and reports whether it is refused.
func preCommit(a *cli.App, cmd *cobra.Command, root string, _ []string) (refused bool, err error) {
	index := os.Getenv("GIT_INDEX_FILE")
	if index != "" {
		if index, err = filepath.Abs(index); err != nil {
			return false, err
		}
	}
	v, err := commitcheck.Check(root, index)
	if err != nil {
		return false, err
	}
	if err := printVerdict(cmd.ErrOrStderr(), shardsOf(root), v); err != nil {
		return v.Refuses(), err
	}
	lost, err := resolve.LostByCommit(root, index)
	if lost != nil {
		err = mergecost.Print(cmd.ErrOrStderr(), []*resolve.Lost{lost})
	}
	return v.Refuses(), err
}

// maxBrought is how many findings are listed.
const maxBrought = 20

// shardsOf returns where in entities/ the files of the world at root lie, as far as it says.
func shardsOf(root string) layout.Layout {
	dir, err := worlddir.Open(root)
	if err != nil {
		return layout.None
	}
	return dir.Settings.Shard
}

func printVerdict(w io.Writer, in layout.Layout, v commitcheck.Verdict) error {
	if v.Crashed {
		fmt.Fprintln(w, "worldfs: the mount of this world has crashed, and edits that were made in it are not in entities/: "+
			"run worldfs status, which brings them back, and add what git status names")
	}
	if v.Pulling {
		fmt.Fprintln(w, "worldfs: a pull was interrupted: run worldfs status, which finishes it, and add what git status names")
	}
	if v.Gone > 0 {
		fmt.Fprintf(w, "worldfs: this commit deletes %s of the %s: git restore --staged --worktree . brings them back\n",
			cli.Count(v.Gone), cli.Counted(v.Had, "entity", "entities"))
	}
	if err := printBrought(w, in, v.Brought); err != nil {
		return err
	}
	if v.Before > 0 {
		fmt.Fprintf(w, "worldfs: %s that would stop a ship build %s there before this commit: worldfs check lists all\n",
			cli.Counted(v.Before, "finding", "findings"), map[bool]string{true: "was", false: "were"}[v.Before == 1])
	}
	return nil
}

// printBrought prints findings as worldfs check does, with what mends them.
func printBrought(w io.Writer, in layout.Layout, brought []entity.Finding) error {
	if len(brought) == 0 {
		return nil
	}
	fmt.Fprintf(w, "worldfs: this commit brings in %s to mend first:\n", cli.Counted(len(brought), "finding", "findings"))
	if err := cli.PrintFindings(w, in, brought[:min(len(brought), maxBrought)], false); err != nil {
		return err
	}
	if n := len(brought) - maxBrought; n > 0 {
		fmt.Fprintf(w, "and %s more\n", cli.Count(n))
	}
	return nil
}

// postMerge finishes a merge that git has gone through with. One that only noted what is
// to be committed, a squash, says so by its argument.
func postMerge(a *cli.App, cmd *cobra.Command, root string, args []string) (bool, error) {
	rebasing, err := vcs.Git{Dir: root}.IsRebasing()
	if err != nil || rebasing {
		return false, err
	}
	if len(args) > 0 && args[0] == "1" {
		op, err := vcs.Git{Dir: root}.Operation()
		if op == nil || op.Done {
			return false, err
		}
		return false, finish(a, cmd, root, op)
	}
	return false, finishLast(a, cmd, root)
}

// postRewrite finishes a rebase that git has gone through with.
func postRewrite(a *cli.App, cmd *cobra.Command, root string, args []string) (bool, error) {
	if len(args) == 0 || args[0] != "rebase" {
		return false, nil
	}
	return false, errors.Join(finishLast(a, cmd, root), printLostLast(a, cmd, root))
}

// printLostLast says what the rebase has cost that is just over: git asks pre-commit about
// none of its commits.
func printLostLast(a *cli.App, cmd *cobra.Command, root string) error {
	head, err := vcs.Git{Dir: root}.Resolve("HEAD")
	if err != nil {
		return err
	}
	dir, err := worlddir.Open(root)
	if err != nil {
		return err
	}
	lost := slices.DeleteFunc(mergecost.Before(a, cmd, dir, 1), func(l *resolve.Lost) bool { return l.Commit != head })
	return mergecost.Print(cmd.ErrOrStderr(), lost)
}

func finishLast(a *cli.App, cmd *cobra.Command, root string) error {
	op, err := resolve.Finished(root)
	if op == nil || err != nil {
		return err
	}
	return finish(a, cmd, root, op)
}

// finish does what worldfs resolve does, and says so where it changed anything.
func finish(a *cli.App, cmd *cobra.Command, root string, op *vcs.Operation) error {
	unlock, err := resolvelock.Lock(root, a.Noter(cmd))
	if err != nil {
		return err
	}
	defer unlock()
	r, err := resolve.Open(root, resolve.Options{Operation: op, Note: a.Noter(cmd), Keep: daemon.Keep})
	if err != nil {
		return err
	}
	done, err := r.Apply()
	if err != nil {
		return err
	}
	if done == (resolve.Done{}) && len(r.Left) == 0 && len(r.Unread) == 0 {
		return nil
	}
	summary := r.Summary(done)
	if _, err := summary.WriteTo(cmd.ErrOrStderr()); err != nil {
		return err
	}
	if len(summary.Left) > 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "next: worldfs resolve --take mine|shared|base [ID], or edit the files and run worldfs resolve")
	}
	return nil
}
