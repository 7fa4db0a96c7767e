package about

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/manual"
)

func newManCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `man writes the manual pages of all commands into DIR, a directory of manuals
such as manpath lists: man1/worldfs.1, man1/worldfs-show.1, and so on. They are
made of what --help prints.` + cli.ExitStatus(""),
		Example: "  worldfs man ~/.local/share/man\n  man worldfs-resolve",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			build := ThisBuild()
			pages := manual.Pages(cmd.Root(), manual.Source{Version: build.Version, Time: build.Time})
			for _, p := range pages {
				if err := p.WriteTo(args[0]); err != nil {
					return fmt.Errorf("write a manual page: %w", err)
				}
			}
			a.Noter(cmd)(fmt.Sprintf("%s are in %s", cli.Counted(len(pages), "manual page", "manual pages"), args[0]))
			return nil
		},
	}
}
