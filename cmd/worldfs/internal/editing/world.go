package editing

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/textcodec"
)

// world is the world that a command changes, as it was when it was read.
type world struct {
	daemon.Reading
	dir  *worlddir.Dir
	open *daemon.World
}

// use opens the world and reads it.
func use(a *cli.App, cmd *cobra.Command, do func(*world) error) error {
	return a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		r, err := w.Read()
		if err != nil {
			return err
		}
		return do(&world{r, dir, w})
	})
}

// get returns an entity that there has to be.
func (w *world) get(id entity.ID) (*entity.Entity, error) {
	e, ok := w.Source.Get(id)
	if ok {
		return e, nil
	}
	if _, err := w.open.Text(id); err == nil {
		return nil, fmt.Errorf("entity %d has a text that never parsed: mend it (worldfs edit %d), or remove its file", id, id)
	}
	return nil, fmt.Errorf("there is no entity %d", id)
}

// has reports whether an ID is in use, by a text that never parsed, too.
func (w *world) has(id entity.ID) bool {
	if _, ok := w.Source.Get(id); ok {
		return true
	}
	_, err := w.open.Text(id)
	return err == nil
}

// whole returns an error where an entity's text is not all that the entity is: it does not
// parse, or a conflict is left in it.
func (w *world) whole(e *entity.Entity) error {
	text, err := w.open.Text(e.ID)
	if err != nil {
		return err
	}
	if textcodec.HasMarkers(text) {
		return cli.Problemsf("%s has a conflict in its text: settle that first (worldfs edit %d)", e, e.ID)
	}
	if _, err := textcodec.Decode(text, e.ID, w.Types); err != nil {
		return cli.Problemsf("the text of %s does not parse: %v; mend that first (worldfs edit %d)", e, err, e.ID)
	}
	return nil
}

// hasFiles reports whether entities have files that people can open.
func (w *world) hasFiles() bool { return w.open.IsMounted() || w.dir.WantsPlain() }

// path returns the path of an entity's file, from the current directory where that is the
// shorter way.
func (w *world) path(id entity.ID) string {
	path := filepath.Join(w.dir.EntitiesPath(), filepath.FromSlash(w.dir.Settings.Shard.Path(id)))
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(here, path); err == nil && len(short) < len(path) {
		return short
	}
	return path
}

// apply makes changes, all as one; by is the call, for the history. What was changed
// meanwhile is a conflict, which is said and is the error; so is the pose of what is mounted.
func (w *world) apply(cmd *cobra.Command, set entity.ChangeSet, by string) error {
	var text bytes.Buffer
	if err := changeset.Format(&text, set); err != nil {
		return err
	}
	report, err := w.open.Apply(&text, by, daemon.ApplyOptions{UnknownTypes: true, AllowLoss: cli.AllowsLoss(cmd), By: cmd.Name()})
	if err != nil {
		return err
	}
	for _, c := range report.Conflicts {
		fmt.Fprintln(cmd.ErrOrStderr(), c.Words)
	}
	if n := len(report.Conflicts); n > 0 {
		return cli.Problemsf("%s with what was changed meanwhile; see worldfs status", cli.Counted(n, "conflict", "conflicts"))
	}
	if report.Carried > 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), cli.CameAlong(report.Carried))
	}
	return cli.NoEffect(cmd, report.NoEffect())
}
