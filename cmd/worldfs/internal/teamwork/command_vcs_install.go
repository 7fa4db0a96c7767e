package teamwork

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/asking"
	"github.com/worldfs/worldfs/internal/worldtree/gitsetup"
	"github.com/worldfs/worldfs/internal/worldtree/ownpart"
	"github.com/worldfs/worldfs/internal/worldtree/svnsetup"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type installOptions struct {
	config   string
	yes      bool
	shell    bool
	tortoise bool
}

func newVCSInstallCommand(a *cli.App) *cobra.Command {
	var o installOptions
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Have git or svn here merge, compare and check the world",
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

In an svn working copy it sets

  properties  svn:eol-style and svn:mime-type of the world's files, and
              svn:auto-props and svn:ignore of its directory, as far as they are
              missing: commit them, and everybody has them
  merging     diff3-cmd and merge-tool-cmd in your own ~/.subversion/config,
              which is for all your working copies: so it asks, or wants --yes.
              Files of worlds are merged by property, all others by diff3. A
              tool that is set there already stays. --shell leaves the config
              alone and prints a function svn for your shell

For TortoiseSVN, --tortoise prints its settings.

Run it in each clone, and again where worldfs has moved; worldfs vcs uninstall
takes it all away.` + cli.ExitStatus(""),
		Example: "  worldfs vcs install\n  worldfs vcs install --yes\n" +
			"  eval \"$(worldfs vcs install --shell)\"\n  worldfs vcs install --tortoise >tortoise.reg",
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.config, "config-dir", "", "with svn, `DIR` of the config, as for svn --config-dir")
	flags.BoolVar(&o.yes, "yes", false, "with svn, write into your own config without asking")
	flags.BoolVar(&o.shell, "shell", false, "with svn, print a function for your shell instead")
	flags.BoolVar(&o.tortoise, "tortoise", false, "print settings of TortoiseSVN for its registry, and change nothing")
	return cmd
}

func (o *installOptions) run(a *cli.App, cmd *cobra.Command) error {
	if o.tortoise {
		_, err := io.WriteString(cmd.OutOrStdout(), svnsetup.TortoiseSettings())
		return err
	}
	program, err := ownProgram()
	if err != nil {
		return err
	}
	git, svn, err := openSetups(o.config)
	if err != nil {
		return err
	}
	if svn == nil && (o.shell || o.yes || o.config != "") {
		return cli.Usagef("--shell, --yes and --config-dir are for svn, and the world lies in no svn working copy")
	}
	if git != nil {
		changes, err := git.Install(program)
		if err := reportSetup(cmd, cmd.OutOrStdout(), changes, err, installedAlready); err != nil {
			return err
		}
		o.tellUntracked(a, cmd, git)
	}
	if svn == nil {
		return nil
	}
	return o.installSVN(a, cmd, svn, program)
}

// tellUntracked says so where git has no entities: where the repository is younger than the
// world, their files are there from when the world is opened in it. That it cannot be is
// nothing against what was set up.
func (o *installOptions) tellUntracked(a *cli.App, cmd *cobra.Command, git *gitsetup.Setup) {
	var st daemon.Status
	err := a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) (err error) {
		st, err = w.Status()
		return err
	})
	if err != nil {
		a.Noter(cmd)(err.Error())
		return
	}
	if _, has, err := git.Tracked(); err == nil && !has && st.Entities > 0 {
		a.Noter(cmd)("git has no entities yet; next: git add -A, then git commit")
	}
}

const installedAlready = "set up already: nothing changed"

func (o *installOptions) installSVN(a *cli.App, cmd *cobra.Command, setup *svnsetup.Setup, program string) error {
	var c svnsetup.Changes
	err := setup.InstallProperties(&c)
	if err == nil && o.shell {
		if err = setup.InstallScripts(&c, program); err == nil {
			_, err = io.WriteString(cmd.OutOrStdout(), setup.ShellFunction())
		}
		return reportSetup(cmd, cmd.ErrOrStderr(), c, err, installedAlready)
	}
	var agreed bool
	if err == nil {
		agreed, err = o.agreed(cmd, setup, program, &c)
	}
	if err == nil && agreed {
		err = setup.InstallConfig(&c, program)
	}
	return reportSetup(cmd, cmd.OutOrStdout(), c, err, installedAlready)
}

// agreed reports whether the person's own config may be written: by a flag, by an answer,
// or since nothing in it would change.
func (o *installOptions) agreed(cmd *cobra.Command, setup *svnsetup.Setup, program string, c *svnsetup.Changes) (bool, error) {
	current, err := setup.IsCurrent(program)
	if o.yes || current || err != nil {
		return err == nil, err
	}
	plan, err := setup.Plan()
	if err != nil {
		return false, err
	}
	about := "this is your own config, for all your working copies:\n  " + strings.Join(plan, "\n  ")
	if asking.IsTerminal(cmd.InOrStdin()) {
		yes, err := asking.Confirm(cmd.InOrStdin(), cmd.OutOrStdout(), about+"\nwrite it?")
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if yes {
			return true, nil
		}
	}
	c.ByHand = append(c.ByHand, about+"\nIt is not written. worldfs vcs install --yes writes it; worldfs vcs install --shell prints a function for your shell instead")
	return false, nil
}

func newVCSUninstallCommand(a *cli.App) *cobra.Command {
	config := ""
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take away what vcs install set up",
		Long: `uninstall takes away what worldfs vcs install set up in this clone, and puts
back the hooks that were there before. Where other worlds lie in the same clone,
what they need stays.

With svn it takes away the properties that install has set and that are not
committed yet, and what it wrote into your config, unless worlds in other
working copies need it.` + cli.ExitStatus(""),
		Example: "  worldfs vcs uninstall",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			git, svn, err := openSetups(config)
			if err != nil {
				return err
			}
			const nothing = "not set up: nothing changed"
			if git != nil {
				changes, err := git.Uninstall()
				if err := reportSetup(cmd, cmd.OutOrStdout(), changes, err, nothing); err != nil {
					return err
				}
			}
			if svn == nil {
				return nil
			}
			changes, err := svn.Uninstall()
			return reportSetup(cmd, cmd.OutOrStdout(), changes, err, nothing)
		},
	}
	cmd.Flags().StringVar(&config, "config-dir", "", "with svn, `DIR` of the config")
	return cmd
}

// openSetups returns the setups of the version control that the world lies in: git's, svn's
// or, where both have it, both.
func openSetups(config string) (git *gitsetup.Setup, svn *svnsetup.Setup, err error) {
	root, err := worlddir.FindRoot(".")
	if err != nil {
		return nil, nil, err
	}
	if _, is := vcssync.Uses(root); is {
		if svn, err = svnsetup.Open(root, config, daemon.Keep); err != nil {
			return nil, nil, err
		}
	}
	git, err = gitsetup.Open(root)
	if err == nil && svn != nil {
		if tracked, _, err := git.Tracked(); err != nil || !tracked {
			return nil, svn, err
		}
	}
	if errors.Is(err, vcs.ErrNoRepository) && svn != nil {
		return nil, svn, nil
	}
	switch none := errors.Is(err, vcs.ErrNoRepository); {
	case none && worlddir.Known(root, entity.GUID{}).WorkingCopy(".hg") != "":
		err = fmt.Errorf("%s lies in an hg working copy, where there is nothing to set up: worldfs vcs add has hg leave out what is local", root)
	case none:
		err = fmt.Errorf("%s lies in no git repository and in no svn working copy: git init, git clone or svn checkout comes first", root)
	}
	return git, svn, err
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
func reportSetup(cmd *cobra.Command, out io.Writer, c ownpart.Changes, err error, nothing string) error {
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
