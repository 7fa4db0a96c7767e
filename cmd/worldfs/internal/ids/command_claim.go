package ids

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/rangefix"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangepublish"
)

func newClaimCommand(a *cli.App) *cobra.Command {
	var publish, asJSON bool
	cmd := &cobra.Command{
		Use:   "claim",
		Short: "Take a range of IDs",
		Long: `claim adds a line to id_ranges: the next 3,000 IDs above the end of every
range and above every ID in use, for this machine (all its lasting hardware
addresses, or a random key where it has none) or for your role. Commit the
file at once: until others have it, somebody else can take the same.

With --commit that is done for you, and nobody can get the same: git commits
id_ranges alone on top of what the branch follows, and pushes that; svn
commits it under svn's lock. Whoever comes second takes another range. Nothing
else that you have changed, committed or staged is published. Ranges of yours
that id_ranges has and nobody else knows of are published then, and no further
one is taken.` + cli.ExitStatus(""),
		Example: "  worldfs ids claim --commit\n  worldfs --role Baker ids claim",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			take := claim
			if publish {
				take = claimAndPublish
			}
			c, err := take(a, cmd)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), c)
			}
			for _, r := range c.Ranges {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), r); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&publish, "commit", false, "commit and publish id_ranges, and nothing else")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the range as JSON")
	return cmd
}

// claimed is what claim prints.
type claimed struct {
	Ranges    []rangefix.Range `json:"ranges"`
	Published bool             `json:"published"`
	Commit    string           `json:"commit,omitempty"`
}

func (c *claimed) add(r idrange.Range) { c.Ranges = append(c.Ranges, rangefix.Shown(r)) }

func claim(a *cli.App, cmd *cobra.Command) (c claimed, err error) {
	err = use(a, cmd, func(w *idalloc.World) error {
		r, err := w.Claim(cmd.Context())
		if err == nil {
			c.add(r)
		}
		return err
	})
	return c, err
}

func claimAndPublish(a *cli.App, cmd *cobra.Command) (c claimed, err error) {
	w, err := closed(a, cmd)
	if err != nil {
		return c, err
	}
	result, err := rangepublish.Range(cmd.Context(), w)
	c.Published, c.Commit = result.Commit != "", result.Commit
	for _, r := range result.Ranges {
		c.add(r)
	}
	for _, r := range result.Replaced {
		w.Note(fmt.Sprintf("somebody was faster with %s: it is theirs; what you have made in it keeps its IDs, as long as they have not used them (worldfs ids check)", r))
	}
	if result.Later != "" {
		w.Note(fmt.Sprintf("the range is published; it comes into this working copy with the next update, since %s", result.Later))
	}
	return c, err
}
