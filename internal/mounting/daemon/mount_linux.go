package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/fsnode"
	"github.com/worldfs/worldfs/internal/mounting/prefetch"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// warmth makes a mount warm; nil: it is not made so.
type warmth = *prefetch.Prefetch

// warm begins to make the mount warm that is to come. The mount is as good if that
// is not possible.
func (d *daemon) warm(s worlddir.Settings, reader []string) {
	if s.Warm <= 0 || !s.KernelCache || len(reader) == 0 {
		return
	}
	var err error
	if d.warming, err = prefetch.Start(s.Warm, reader); err != nil {
		d.log.Warn("the mount will be slower until all was read once", "error", err)
	}
}

// serve mounts the world.
func (d *daemon) serve(o RunOptions, cover *fsnode.Cover) (served, error) {
	s := d.dir.Settings
	m, err := fsnode.Mount(d.world, fsnode.Options{
		Dir: o.Mounting.At, Cover: cover, Scratch: d.plain.Scratch(),
		AllowOther: o.AllowOther, Log: o.Log, NoKernelCache: !s.KernelCache, HaltPolling: s.HaltPolling,
		Warm: d.warming, Replayer: o.Reader, Named: d.vcs.Named,
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// open opens the directory that is to be covered and returns the world
// directory as it is reached beneath.
func (g *coveredDirs) open(dir *worlddir.Dir, root string) (*worlddir.Dir, error) {
	if err := checkCoverable(root); err != nil {
		return nil, err
	}
	fd, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", root, err)
	}
	beneath, release, err := dir.Beneath()
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	*g = coveredDirs{root, fd, func() error { release(); return unix.Close(fd) }}
	return beneath, nil
}

// coverOf says to the mount where in the covered directory the world is, and
// whether it has an entities directory.
func (d *daemon) coverOf(m worlddir.Mounting) *fsnode.Cover {
	if m.Shape != worlddir.ShapeCover {
		return nil
	}
	way, err := filepath.Rel(m.At, d.dir.Root)
	if err != nil {
		way = "." // both are absolute: it cannot fail
	}
	_, err = os.Lstat(d.dir.EntitiesPath())
	return &fsnode.Cover{
		World: way, Entities: worlddir.EntitiesName, State: worlddir.StateName, Types: worlddir.TypesName,
		Removed: errors.Is(err, fs.ErrNotExist),
	}
}
