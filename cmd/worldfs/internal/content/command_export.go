package content

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

type exportOptions struct {
	readOptions
	output string
}

func newExportCommand(a *cli.App) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [-o FILE]",
		Short: "Write the whole world in the interchange form",
		Long: `export writes all types and entities as JSON lines. One world has one export,
byte for byte.` + cli.ExitStatus(""),
		Example: "  worldfs export -o island.jsonl.gz\n  worldfs export | grep '\"type\":\"Door\"'\n  worldfs export --from ship.pack",
		Args:    cli.Takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "-", "write `FILE`, relative to -C where that is given, packed with gzip if its name ends in .gz")
	o.addFlags(cmd)
	return cmd
}

func (o *exportOptions) run(a *cli.App, cmd *cobra.Command) error {
	if o.output != "-" {
		if err := cli.CheckOutput(o.output); err != nil {
			return err
		}
	}
	return o.read(a, cmd, func(r daemon.Reading) error {
		out, err := interchange.Create(o.output)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		defer func() { _ = out.Close() }() // where it matters it is closed before
		bar := a.Progress(cmd, "exporting", int64(r.Source.Len()))
		defer bar.Stop()
		if err := interchange.Write(out, r.Types, r.Source, bar.Set); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		return out.Commit()
	})
}
