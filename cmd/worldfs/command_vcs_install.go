package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/internal/worldtree/gitsetup"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newVCSInstallCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "install",
		Short: "Have this clone's git merge, compare and check the world",
		Long: `install sets this clone of a git repository up for the world:

  merging  git merges entities, types, world.toml and id_ranges by property, in
           whatever operation; what it cannot see, worldfs resolve settles
  diffs    git diff shows values without their bits, and which entity a change
           is in; git diff --no-textconv shows the files as they are
  commits  the hook pre-commit refuses a commit that brings in findings that
           stop a ship build, or deletes most entities, or is made while edits
           of a mount that crashed are missing; git commit --no-verify makes it
  after    the hooks post-merge and post-rewrite run worldfs resolve once a
           merge or a rebase is through, and print the next command

Nothing in the tree changes: it is in the clone's config, its info/attributes
and its hooks, which linked working trees share. Hooks that are there go on to
run.
Run it in each clone, and again where worldfs has moved; worldfs vcs uninstall
takes it all away.` + exitStatus(""),
		Example: "  worldfs vcs install",
		Args:    takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			setup, err := openGitSetup(cmd, "install")
			if setup == nil || err != nil {
				return err
			}
			program, err := ownProgram()
			if err != nil {
				return err
			}
			changes, err := setup.Install(program)
			return a.reportSetup(cmd, changes, err, "set up already: nothing changed")
		},
	}
}

func newVCSUninstallCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Take away what vcs install set up",
		Long: `uninstall takes away what worldfs vcs install set up in this clone, and puts
back the hooks that were there before. Where other worlds lie in the same clone,
what they need stays.` + exitStatus(""),
		Example: "  worldfs vcs uninstall",
		Args:    takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			setup, err := openGitSetup(cmd, "take away")
			if setup == nil || err != nil {
				return err
			}
			changes, err := setup.Uninstall()
			return a.reportSetup(cmd, changes, err, "not set up: nothing changed")
		},
	}
}

// openGitSetup returns the setup of the clone that the world lies in, nil where it is svn's.
func openGitSetup(cmd *cobra.Command, what string) (*gitsetup.Setup, error) {
	root, err := worlddir.FindRoot(".")
	if err != nil {
		return nil, err
	}
	setup, err := gitsetup.Open(root)
	if !errors.Is(err, vcs.ErrNoRepository) {
		return setup, err
	}
	if (&worlddir.Dir{Root: root}).WorkingCopy(".svn") != "" {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "with svn there is nothing to %s: plain svn commands work, mounted or not (svn add, svn commit, svn update)\n", what)
		return nil, err
	}
	return nil, fmt.Errorf("%s lies in no git repository: git init or git clone comes first", root)
}

// ownProgram returns the path by which this program is run again: as it is found by
// name, which an upgrade keeps, else where it is.
func ownProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("worldfs")
	if err != nil || !filepath.IsAbs(found) {
		return self, nil
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(found)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return found, nil
	}
	return self, nil
}

// reportSetup says what was done, also before an error, and what is left to the person.
func (a *app) reportSetup(cmd *cobra.Command, c gitsetup.Changes, err error, nothing string) error {
	out := cmd.OutOrStdout()
	for _, line := range c.Done {
		fmt.Fprintln(out, line)
	}
	if len(c.Done)+len(c.ByHand) == 0 && err == nil {
		fmt.Fprintln(out, nothing)
	}
	for _, text := range c.ByHand {
		fmt.Fprintf(cmd.ErrOrStderr(), "worldfs: %s\n", text)
	}
	return err
}
