package main

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/daemon"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/worlddir"
)

type importOptions struct {
	whole bool
	json  bool
}

func newImportCommand(a *app) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE.jsonl[.gz] | -",
		Short: "Take in types and entities from the interchange form",
		Long: `import takes in types and entities from JSON lines, or from the standard input
for "-". An entity that there is already becomes what the file says; one that
the file does not name stays, unless --whole is given. A line that is wrong is
named, and then nothing of the file is taken in.` + exitStatus(""),
		Example: "  worldfs import island.jsonl.gz\n  exporter | worldfs import --whole -",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
	cmd.Flags().BoolVar(&o.whole, "whole", false, "what is missing in the file is deleted")
	cmd.Flags().BoolVar(&o.json, "json", false, "print what changed as JSON")
	return cmd
}

func (o *importOptions) run(a *app, cmd *cobra.Command, file string) error {
	in, err := interchange.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	if file == "-" {
		file = "standard input"
	}
	var report cache.Report
	err = a.use(cmd, func(_ *worlddir.Dir, w daemon.World) error {
		bar := a.progress(cmd, "importing", -1)
		defer bar.Stop()
		report, err = w.Import(bar.Reader(in), file, o.whole)
		return err
	})
	if err != nil {
		return err
	}
	return printReport(cmd, o.json, report)
}
