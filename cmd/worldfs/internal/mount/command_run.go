package mount

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
)

func newRunCommand(a *cli.App) *cobra.Command {
	var o mountOptions
	cmd := &cobra.Command{
		Use:   "run -- GAME [ARG…]",
		Short: "Start the game's editor on a world that is ready for it",
		Long: `run is the one command for a day in the game's editor, in a fresh clone as in an
old one. It

  offers  worldfs vcs install, where this clone lacks it: on a terminal it asks,
          and remembers a no; elsewhere it prints the command. It changes
          nothing of git's or svn's unasked
  mounts  the world, after it has taken up what a mount that crashed left. A
          mount that is there is used, and stays
  watches the files instead, where nothing can be mounted: it says why, and what
          is saved or edited comes in a moment later all the same
  packs   so that world.pack is up to date. What is wrong in the world, and what
          is in conflict, it names; the game starts all the same, with the last
          values that are known
  starts  GAME with its arguments, on this terminal and in this directory
  settles when GAME has ended: what it saved is taken in and published, what run
          has mounted is unmounted, and run says how much the session has
          changed, and what of a save was not taken in

Several runs of one world share the mount, and the last ends it, as the next
run does after one that was killed. What GAME leaves in the background of this
session is waited for; a daemon is not.

GAME finds in its environment WORLDFS_WORLD, the world's directory,
WORLDFS_PACK, the pack, WORLDFS_SOCKET, the control socket, and WORLDFS_CONTROL,
the file that says where that is. From GAME on all arguments are the game's.
SIGTERM and SIGHUP are passed on to it, and Ctrl-C is its own affair: run
settles afterwards. What run says goes to standard error.

Once GAME has started, the exit status is that of GAME, or 128 and the number of
the signal that ended it. 126 says that it cannot be run, 127 that it is not
found. Where GAME has ended with 0, run says how it went itself:` + cli.ExitStatus("what the game saved is not taken in, or most entities are gone"),
		Example:               "  worldfs run -- ./bin/game --editor\n  worldfs -C island run -- game -map bunker",
		DisableFlagsInUseLine: true,
		Args:                  takesGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := findGame(args)
			if err != nil {
				return err
			}
			dir, err := a.Find(cmd)
			if err != nil {
				return err
			}
			return (&session{app: a, cmd: cmd, dir: dir, options: o}).run(g)
		},
	}
	o.addShapeFlags(cmd)
	cmd.Flags().SetInterspersed(false)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return cli.Usagef("%v; the game's own come after its name: worldfs run -- GAME --flag", err)
	})
	return cmd
}

// takesGame checks that there is a game. Its arguments are its own, and may be empty.
func takesGame(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
		return cli.Usagef("run needs a game to start: it is called %s", cmd.UseLine())
	}
	return nil
}
