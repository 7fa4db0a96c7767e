package content

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

type packOptions struct {
	revisionOptions
	shipOptions
	output string
	ship   bool
	json   bool
}

func newPackCommand(a *cli.App) *cobra.Command {
	var o packOptions
	cmd := &cobra.Command{
		Use:   "pack [-o FILE] [--ship] [--from REVISION]",
		Short: "Make the pack from the plain files in entities/",
		Long: `pack brings world.pack up to date, from the plain files in entities/ or, while
the world is mounted, from what was edited there. Only what changed is read. It
needs no mount: this is how a build machine makes the pack from a checkout. Of a
checkout that is read-only it makes FILE alone. What would stop a ship build is
told on standard error, and in JSON; the pack is made all the same, with the
last values of each entity that are known, and the exit status is 0.

With --ship it makes a ship build instead: entities upgraded to their types'
current revisions, without what is for the editor only, and the ship map beside
it, which says which entity each ID of the game's stands for (worldfs show
--ship-map). It refuses while anything in the world is wrong, and says what;
when nothing would ship; and where most entities of the last build are gone,
which is the one that is replaced, or --last. With --renumber IDs are numbered
from 1, and every ref follows; --ids-from has what an earlier build shipped keep
its IDs, so that saved games still mean it. ship.ids, ship.by_type and
ship.names in world.toml say so for good. docs/ship.md has all of it.

With --from it is made from a revision of git or svn, read without checking it
out, as from a fresh clone of it; -o says where to.

Where most entities are gone since the last pack, neither is made, unless
--allow-loss says that they are to be deleted (see worldfs sync). A fresh clone
has no last pack, nor a last build. A revision is compared with the one before
it, and must have an entity at all.` + cli.ExitStatus("findings stop the ship build, or "+cli.StatusOfLoss),
		Example: "  worldfs pack\n  worldfs pack -o build/world.pack\n  worldfs pack --ship -o build/world.pack\n" +
			"  worldfs pack --from git:v1.2 --ship -o ship.pack --json\n" +
			"  worldfs pack --ship --ids-from v1.2/ship.pack.map -o ship.pack --report ship.html",
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "write `FILE` too, relative to -C where that is given (with --ship: instead of ship.pack in the world)")
	cmd.Flags().BoolVar(&o.ship, "ship", false, "make a ship build")
	cmd.Flags().BoolVar(&o.json, "json", false, "print what was made, and what is wrong with it, as JSON")
	o.revisionOptions.addFlags(cmd)
	o.shipOptions.addFlags(cmd)
	cli.AddAllowLoss(cmd)
	return cmd
}

func (o *packOptions) run(a *cli.App, cmd *cobra.Command) error {
	if o.output != "" {
		check := cli.CheckPackOutput
		if o.ship {
			check = cli.CheckOutput
		}
		if err := check(o.output); err != nil {
			return err
		}
	}
	if o.from != "" && o.output == "" {
		return cli.Usagef("--from needs -o FILE: a revision is not changed")
	}
	if err := o.shipOptions.check(cmd, o.ship, o.json); err != nil {
		return err
	}
	return o.use(a, cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		if o.loss != nil {
			return cli.Problemsf("%v", o.loss)
		}
		bar := a.Progress(cmd, "packing", -1)
		defer bar.Stop()
		do := o.packTo
		if o.ship {
			do = (&shipping{packOptions: o, app: a, cmd: cmd}).shipTo
		}
		p, err := do(dir, w)
		if err != nil {
			return err
		}
		bar.Stop()
		return o.print(a, cmd, dir.Settings.Shard, p)
	})
}

// packed is what pack has made, as --json prints it.
type packed struct {
	Path     string           `json:"path,omitempty"` // none where a ship build was refused
	Entities int              `json:"entities"`
	Size     int64            `json:"size"`     // in bytes
	Findings []entity.Finding `json:"findings"` // those that would stop, or have stopped, a ship build

	Map     string `json:"map,omitempty"`     // of a ship build: its map
	Build   string `json:"build,omitempty"`   // and its ID
	Refused string `json:"refused,omitempty"` // why there is none, where no finding says so
}

func newPacked(path string, head packfile.Head, findings []entity.Finding) packed {
	p := packed{Path: path, Entities: head.Entities, Size: head.Size, Findings: cli.Blocking(findings)}
	if p.Findings == nil {
		p.Findings = []entity.Finding{}
	}
	return p
}

func (o *packOptions) packTo(dir *worlddir.Dir, w *daemon.World) (packed, error) {
	path, head, err := o.writePublished(dir, w)
	if err != nil {
		return packed{}, err
	}
	st, err := w.Status()
	return newPacked(path, head, st.Findings), err
}

// writePublished brings the pack up to date, and writes it to another file where one is
// named.
func (o *packOptions) writePublished(dir *worlddir.Dir, w *daemon.World) (string, packfile.Head, error) {
	err := w.Sync()
	if (disk.IsNoRoom(err) || errors.Is(err, worlddir.ErrReadOnly)) && o.output != "" {
		return o.writeUnpublished(w)
	}
	if err != nil {
		return "", packfile.Head{}, err
	}
	if o.output == "" {
		head, err := packfile.ReadHead(dir.PackPath())
		return dir.PackPath(), head, err
	}
	pack, err := mend.ReadPublished(dir)
	if err != nil {
		return "", packfile.Head{}, err
	}
	return o.output, pack.Head(), writePack(o.output, pack.Bytes())
}

// writeUnpublished writes the pack of a world that has no room for it itself, or is
// read-only.
func (o *packOptions) writeUnpublished(w *daemon.World) (string, packfile.Head, error) {
	r, err := w.Read()
	if err != nil {
		return "", packfile.Head{}, err
	}
	data, err := packfile.Encode(r.World, r.Types, r.Source)
	if err != nil {
		return "", packfile.Head{}, err
	}
	pack, err := packfile.Parse(data)
	if err != nil {
		return "", packfile.Head{}, err
	}
	return o.output, pack.Head(), writePack(o.output, data)
}

func writePack(path string, data []byte) error {
	return (&disk.Disk{}).WriteAtomicUmasked("pack", path, 0o666, data)
}

// print says what was made, and what is wrong with it; in is where in entities/ files lie.
func (o *packOptions) print(a *cli.App, cmd *cobra.Command, in layout.Layout, p packed) error {
	switch {
	case o.json:
		if err := cli.PrintJSON(cmd.OutOrStdout(), p); err != nil {
			return err
		}
	case p.Path != "":
		line := fmt.Sprintf("%s: %s, %s", p.Path, cli.Counted(p.Entities, "entity", "entities"), cli.BytesOf(int(p.Size)))
		if p.Build != "" {
			line += fmt.Sprintf(", build %.16s", p.Build)
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), line); err != nil {
			return err
		}
		noteFindings(a.Noter(cmd), p.Findings)
	default:
		if err := cli.PrintFindings(cmd.ErrOrStderr(), in, p.Findings, false); err != nil {
			return err
		}
	}
	switch {
	case p.Refused != "":
		return cli.Problemsf("no ship build: %s", p.Refused)
	case p.Path == "":
		return cli.Problemsf("no ship build: %s in the way", cli.Counted(len(p.Findings), "finding is", "findings are"))
	}
	return nil
}
