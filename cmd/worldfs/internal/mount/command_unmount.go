package mount

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

func newUnmountCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "unmount",
		Aliases: []string{"umount"},
		Short:   "End the mount",
		Long: `unmount ends the mount and returns when everything is durable, the pack is
whole and the plain files, where the world has them, are back. While a process
has a file of the mount open or mapped it does nothing and says which one. A
mount whose process was killed is cleaned up. It says what came in from beneath
the mount, where a program that had been there before has saved meanwhile.

Where most entities are gone since the last pack it does nothing either, unless
--allow-loss says that they are to be deleted (see worldfs sync).

A shell whose working directory is in the mount, as yours may be, does not keep
it from being unmounted. It still sees the files, but can change nothing
(EROFS) until it enters the directory anew (cd .).` + cli.ExitStatus(cli.StatusOfLoss),
		Example: "  worldfs unmount",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runUnmount(a, cmd) },
	}
	cli.AddAllowLoss(cmd)
	return cmd
}

func runUnmount(a *cli.App, cmd *cobra.Command) error {
	dir, err := a.Find(cmd)
	if err != nil {
		return err
	}
	bar := a.Progress(cmd, "unmounting", -1)
	was, how, err := daemon.Unmount(dir, cli.AllowsLoss(cmd))
	bar.Stop()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s; %s is whole\n%s%s", was, dir.PackPath(), sayBeneath(dir, how.Beneath), leaving(how.Standing))
	return err
}

// leaving says what those have to do that stand in what was the mount; the caller's
// shell last.
func leaving(standing []mounts.Holder) string {
	var others, ours strings.Builder
	for _, h := range standing {
		if h.Ours {
			ours.Reset()
			fmt.Fprintf(&ours, "you stand in %s as it was, which is read-only now: cd .\n", h.Path)
		} else {
			fmt.Fprintf(&others, "%s, which is read-only for it now, until it does: cd .\n", h)
		}
	}
	return others.String() + ours.String()
}
