package mount

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/mergecost"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/gitsetup"
	"github.com/worldfs/worldfs/internal/worldtree/svnsetup"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newStatusCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say how the world is, and what is wrong or notable in it",
		Long: `status says whether the world is mounted and by which process, how large it is,
what is not published yet, and every finding, entity by entity. Those marked
with * would stop a ship build (see worldfs check). Last comes what merges of
the last 14 days have cost (see worldfs resolve).` + cli.ExitStatus(""),
		Example: "  worldfs status\n  worldfs status --json | jq .findings",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error { return runStatus(a, cmd, dir, w, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// status is what the command prints.
type status struct {
	daemon.Status
	Untold   bool              `json:"git_has_no_entities,omitempty"` // though the world has
	GitLacks []string          `json:"git_lacks,omitempty"`           // of what vcs install sets up
	SVNLacks []string          `json:"svn_lacks,omitempty"`
	Lost     []mergecost.Entry `json:"lost"` // what merges have cost
}

// readGit reads what this clone lacks of what vcs install sets up, in words, and whether it has
// the world without its entities: nothing where git does not have the world, or cannot be
// asked.
func (st *status) readGit(dir *worlddir.Dir) {
	if dir.WorkingCopy(".git") == "" {
		return
	}
	setup, err := gitsetup.Open(dir.Root)
	if err != nil {
		return
	}
	tracked, entities, err := setup.Tracked()
	if !tracked || err != nil {
		return
	}
	if lacks, err := setup.Lacks(); err == nil {
		st.GitLacks = lacks
	}
	st.Untold = dir.WantsPlain() && st.Entities > 0 && !entities
}

// svnLacks returns what this working copy of svn's lacks of what vcs install sets up.
func svnLacks(dir *worlddir.Dir) []string {
	if _, svn := vcssync.Uses(dir.Root); !svn {
		return nil
	}
	setup, err := svnsetup.Open(dir.Root, "", daemon.Keep)
	if err != nil {
		return nil
	}
	lacks, err := setup.Lacks()
	if err != nil {
		return nil
	}
	return lacks
}

// mostMerges is how many merges status looks at that were not looked at before: that
// takes up to half a second each.
const mostMerges = 10

func runStatus(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir, w *daemon.World, asJSON bool) error {
	st, err := status{SVNLacks: svnLacks(dir)}, error(nil)
	if st.Status, err = w.Status(); err != nil {
		return err
	}
	st.readGit(dir)
	lost, err := mergecost.Still(w, mergecost.Before(a, cmd, dir, mostMerges))
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if !asJSON {
		return errors.Join(printStatus(out, st), mergecost.Print(out, lost))
	}
	if st.Lost, err = mergecost.Entries(lost); err != nil {
		return err
	}
	return cli.PrintJSON(out, st)
}

func printStatus(w io.Writer, st status) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "world\t%s\n", st.Root)
	fmt.Fprintf(t, "holds\t%s of %s\n", cli.Counted(st.Entities, "entity", "entities"), cli.Counted(st.Types, "type", "types"))
	if st.Mounted {
		fmt.Fprintf(t, "mount\t%s (%s shape), by process %d, started %s\n", st.Mount, st.Shape, st.Pid, humanize.Time(st.Started))
	} else {
		fmt.Fprintf(t, "mount\tnot mounted\n")
	}
	fmt.Fprintf(t, "pack\t%s, hash %.12s\n", cli.BytesOf(st.PackSize), st.PackHash)
	fmt.Fprintf(t, "edits\t%s\n", cli.Counted(st.Edits, "entity not published yet", "entities not published yet"))
	if st.Failure != "" {
		fmt.Fprintf(t, "failure\t%s\n", st.Failure)
	}
	if st.Untold {
		fmt.Fprintf(t, "git\thas none of the entities: git add -A, then git commit\n")
	}
	if len(st.GitLacks) > 0 {
		fmt.Fprintf(t, "git\tthis clone lacks %s: worldfs vcs install\n", strings.Join(st.GitLacks, ", "))
	}
	if len(st.SVNLacks) > 0 {
		fmt.Fprintf(t, "svn\tthis working copy lacks %s: worldfs vcs install\n", strings.Join(st.SVNLacks, ", "))
	}
	if n := len(st.VCS.Deleted); n > 0 {
		fmt.Fprintf(t, "svn\t%s that it does not know of yet: worldfs vcs sync\n", cli.Counted(n, "deletion", "deletions"))
	}
	if st.VCS.Failure != "" {
		fmt.Fprintf(t, "vcs sync\t%s (%s)\n", st.VCS.Failure, humanize.Time(st.VCS.Since))
	}
	fmt.Fprintf(t, "findings\t%s, %s would stop a ship build\n", cli.Count(len(st.Findings)), cli.Count(len(cli.Blocking(st.Findings))))
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range foldFields(st.Findings) {
		mark := " "
		if f.Blocks {
			mark = "*"
		}
		if _, err := fmt.Fprintf(w, "%s %s\n", mark, f); err != nil {
			return err
		}
	}
	return nil
}

// foldFields makes one finding of those of a type about the same unknown field:
// fields that a team keeps for itself would fill the screen. JSON has them all.
func foldFields(findings []entity.Finding) (folded []entity.Finding) {
	type key struct{ typ, field string }
	number := make(map[key]int)
	for _, f := range findings {
		if f.Code == entity.CodeFieldUnknown {
			number[key{f.Type, f.Field}]++
		}
	}
	for _, f := range findings {
		k := key{f.Type, f.Field}
		n := number[k]
		switch {
		case f.Code != entity.CodeFieldUnknown || n == 1:
			folded = append(folded, f)
		case n > 1:
			f.Message = fmt.Sprintf("%s (and so in %s more of %s; --json lists all)", f.Message, cli.Count(n-1), f.Type)
			folded = append(folded, f)
			number[k] = 0 // the others are counted here
		}
	}
	return folded
}
