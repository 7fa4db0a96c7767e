package content

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/settling"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type importOptions struct {
	whole        bool
	unknownTypes bool
	json         bool
}

func newImportCommand(a *cli.App) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE.jsonl[.gz] | -",
		Short: "Take in types and entities from the interchange form",
		Long: `import takes in types and entities from JSON lines, or from the standard input
for "-". An entity that there is already becomes what the file says; one that
the file does not name stays, unless --whole is given. A line that is wrong is
named, and then nothing of the file is taken in. So is an entity whose type is
declared neither in the file nor in types/, unless --allow-unknown-types is
given. Where --whole would delete most entities nothing is taken in, unless
--allow-loss is given, too.

What is mounted on an entity that is moved comes along, and the pose alone of
what is mounted is not changed, as by set; with --whole all is as the file has
it.

The entities of a world that was empty get a line of their own in id_ranges, as
far as they are in none.` + cli.ExitStatus(cli.StatusOfLoss+", or poses are derived"),
		Example: "  worldfs import island.jsonl.gz\n  exporter | worldfs import --whole -",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
	cmd.Flags().BoolVar(&o.whole, "whole", false, "what is missing in the file is deleted")
	cmd.Flags().BoolVar(&o.unknownTypes, "allow-unknown-types", false, "take in entities whose type is declared nowhere, too, their values as text")
	cmd.Flags().BoolVar(&o.json, "json", false, "print what changed as JSON")
	cli.AddAllowLoss(cmd)
	return cmd
}

func (o *importOptions) run(a *cli.App, cmd *cobra.Command, file string) (err error) {
	if _, err := os.Stat(file); err != nil && file != "-" {
		return err
	}
	in, err := openImport(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	var report cache.Report
	err = a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) (err error) {
		err = settling.Around(dir, w, a.Noter(cmd), func() (err error) {
			report, err = o.take(a, cmd, in, w)
			return err
		})
		if err != nil {
			return err
		}
		return coverImported(dir, w, report, a.Noter(cmd))
	})
	if err != nil {
		return err
	}
	if err := cli.PrintReport(cmd, o.json, report); err != nil {
		return err
	}
	return cli.NoEffect(cmd, report.NoEffect())
}

func (o *importOptions) take(a *cli.App, cmd *cobra.Command, from imported, w *daemon.World) (cache.Report, error) {
	in, err := from.open()
	if err != nil {
		return cache.Report{}, err
	}
	defer in.Close()
	bar := a.Progress(cmd, "importing", -1)
	defer bar.Stop()
	options := daemon.ImportOptions{Whole: o.whole, UnknownTypes: o.unknownTypes, AllowLoss: cli.AllowsLoss(cmd)}
	return w.Import(bar.Reader(in), from.name, options)
}
