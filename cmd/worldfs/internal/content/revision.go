package content

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/revisiondir"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// revisionOptions are those of commands about a whole world, which can be a revision
// that nothing is checked out of.
type revisionOptions struct {
	from string
	loss *revisiondir.Loss // that the revision is of, unless it is allowed; nil: none
}

func (o *revisionOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.from, "from", "", "of the world at `REVISION` instead: git:REV, svn:BASE or svn:REV")
}

// use has the world used that is meant, a revision as a fresh clone of it would be.
func (o *revisionOptions) use(a *cli.App, cmd *cobra.Command, do func(*worlddir.Dir, *daemon.World) error) (err error) {
	switch {
	case o.from == "":
		return a.Use(cmd, do)
	case !revisiondir.Names(o.from):
		return cli.Usagef("--from %s: %v", o.from, revisiondir.ErrNoRevision)
	}
	if !cli.AllowsLoss(cmd) {
		if o.loss, err = revisiondir.FindLoss(o.from, worldPlace()); err != nil {
			return fmt.Errorf("--from: %w", err)
		}
	}
	temp, err := os.MkdirTemp("", "worldfs-revision-")
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	defer func() { err = errors.Join(err, disk.RemoveAll(temp)) }()
	if err := revisiondir.Write(o.from, worldPlace(), temp); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	dir, err := worlddir.Open(temp)
	if err != nil {
		return fmt.Errorf("--from %s: %w", o.from, err)
	}
	plain := true
	dir.Settings.Plain = &plain
	if err := dir.CheckFormat(); err != nil {
		return fmt.Errorf("--from %s: %w", o.from, err)
	}
	w, err := daemon.OpenToRead(dir, fmt.Errorf("%s: %w", o.from, worlddir.ErrReadOnly), a.Noter(cmd), cli.AllowsLoss(cmd))
	if err != nil {
		return fmt.Errorf("--from %s: %w", o.from, err)
	}
	return errors.Join(do(dir, w), w.Close())
}

// lossFinding returns the revision's loss as a finding, none if there is none.
func (o *revisionOptions) lossFinding() []entity.Finding {
	if o.loss == nil {
		return nil
	}
	return []entity.Finding{{
		Code: entity.CodeGreatLoss, Blocks: true, File: worlddir.EntitiesName, Message: o.loss.Error(),
		Advice: "Most of the world is gone at this revision. If that is a mistake, a commit that takes it back brings the entities back.",
		Mend:   "worldfs check --from " + o.from + " --allow-loss",
	}}
}

// worldPlace returns the directory that revisions are about: the world's, or the current
// one where the world is in no working copy, as in a bare repository.
func worldPlace() string {
	if root, err := worlddir.FindRoot("."); err == nil {
		return root
	}
	if here, err := filepath.Abs("."); err == nil {
		return here
	}
	return "."
}
