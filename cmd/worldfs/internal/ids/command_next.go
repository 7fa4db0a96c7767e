package ids

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
)

func newNextCommand(a *cli.App) *cobra.Command {
	var n int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "next",
		Short: "Hand out IDs for new entities",
		Long: `next prints IDs for new entities, one a line: for engines and scripts, which make
the entities themselves. An ID is handed out once, whatever becomes of it: no
other process on this machine gets it, in any clone of the world, and it does
not come back when its entity is deleted.

IDs come from your own ranges (worldfs ids), from disposable ones last. Where
you have no range, or all are full, next takes a further one; commit id_ranges
then, at once.` + cli.ExitStatus(""),
		Example: "  id=$(worldfs ids next)\n  worldfs ids next -n 100 --json\n  worldfs --role Clusters ids next -n 5000",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n < 1 || n > idalloc.MaxNext {
				return cli.Usagef("-n: %d is not from 1 to %s", n, cli.Count(idalloc.MaxNext))
			}
			var ids []entity.ID
			err := use(a, cmd, func(w *idalloc.World) (err error) {
				ids, err = w.Next(cmd.Context(), n)
				return err
			})
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), map[string]any{"ids": ids})
			}
			for _, id := range ids {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), id); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().IntVarP(&n, "number", "n", 1, "how many")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the IDs as JSON")
	return cmd
}
