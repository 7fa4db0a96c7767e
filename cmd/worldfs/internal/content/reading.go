package content

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// readOptions are those of commands that only read a world, which can be any
// that has a name.
type readOptions struct{ from string }

func (o *readOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.from, "from", "",
		"read `WORLD` instead: a .pack, a .jsonl or .jsonl.gz, a directory, git:REV, svn:BASE or svn:REV")
}

// read has a world read, of the form that its name says.
func (o *readOptions) read(a *cli.App, cmd *cobra.Command, do func(daemon.Reading) error) error {
	if o.from == "" {
		return a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) error {
			r, err := w.Read()
			if err != nil {
				return err
			}
			return do(r)
		})
	}
	w, err := worldform.Open(o.from, worldform.Options{Note: a.Noter(cmd)})
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	noteFindings(a.Noter(cmd), w.Findings)
	return do(daemon.Reading{World: w.ID, Types: w.Types, Source: w.Source})
}

// noteFindings says what could not be read of a world, as far as people would
// read it.
func noteFindings(note func(string), findings []entity.Finding) {
	const most = 10
	for _, f := range findings[:min(len(findings), most)] {
		note(f.String())
	}
	if more := len(findings) - most; more > 0 {
		note(fmt.Sprintf("and %s more", cli.Count(more)))
	}
}
