package about

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
)

func newVersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `version prints which worldfs this is: its version, the revision that it was
built from and whether that had changes that were not committed, the Go release
and the platform that it was built for, and the newest formats that it knows: of
worlds, of packs, and of the calls on the control socket.` + cli.ExitStatus(""),
		Example: "  worldfs version\n  worldfs version --json | jq -r .revision",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), ThisBuild())
			}
			return ThisBuild().print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func (b Build) print(w io.Writer) error {
	fmt.Fprintln(w, "worldfs", b.Version)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if b.Revision != "" {
		modified := ""
		if b.Modified {
			modified = ", with changes that were not committed"
		}
		fmt.Fprintf(t, "revision\t%s%s\n", b.Revision, modified)
	}
	if b.Time != nil {
		fmt.Fprintf(t, "of\t%s\n", b.Time.UTC().Format(time.DateTime+" UTC"))
	}
	fmt.Fprintf(t, "built by\t%s for %s\n", b.Go, b.Platform)
	fmt.Fprintf(t, "formats\tworld %d, pack %s, control socket %d\n", b.Formats.World, b.Formats.Pack, b.Formats.Protocol)
	return t.Flush()
}
