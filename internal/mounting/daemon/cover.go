package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/fsnode"
	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// coveredDirs is what lies beneath a mount in the cover shape, by descriptors that
// were opened before it was covered. A daemon must never go through its own
// mount: it could wait for itself.
type coveredDirs struct {
	root    string // the mountpoint; "" in the entities shape
	fd      int    // its directory beneath, O_PATH
	release func() // of the world directory
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
	*g = coveredDirs{root, fd, release}
	return beneath, nil
}

func (g *coveredDirs) close() error {
	if g.root == "" {
		return nil
	}
	g.release()
	err := unix.Close(g.fd)
	*g = coveredDirs{}
	return err
}

// beneathMount returns how a path that leads through the mount is reached
// beneath it. It reports whether the path does.
func (d *daemon) beneathMount(path string) (string, bool) {
	root := d.beneath.root
	if root == "" || !mounts.Within(path, root) {
		return path, false
	}
	return filepath.Join("/proc/self/fd", strconv.Itoa(d.beneath.fd), strings.TrimPrefix(path, root)), true
}

// inWords names paths in an error as a user knows them, not by our descriptors.
func (d *daemon) inWords(err error) error {
	if err == nil {
		return nil
	}
	if text := d.dir.Plainly(err.Error()); text != err.Error() {
		return &worded{err, text}
	}
	return err
}

type worded struct {
	error
	text string
}

func (w *worded) Error() string { return w.text }
func (w *worded) Unwrap() error { return w.error }

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

// removeAgain removes the entities directory, which has come back without
// files, if it was removed in the mount.
func (d *daemon) removeAgain() {
	if d.mount.EntitiesRemoved() {
		os.Remove(d.dir.EntitiesPath()) // only if it is empty
	}
}

// checkCoverable refuses to cover what another world's mount covers or is in:
// neither could be unmounted without the other.
func checkCoverable(root string) error {
	dirs, err := mounts.Worlds()
	if err != nil {
		return err
	}
	for _, at := range dirs {
		if mounts.Within(root, at) || mounts.Within(at, root) {
			return fmt.Errorf("%s cannot be covered: another world is mounted at %s; unmount that one first", root, at)
		}
	}
	return nil
}

// ClearDead takes away every mount of a world that path lies in, or that lies
// at it, if its daemon has died: what the path names lies beneath. It is the
// way to a world whose own directory was covered. It reports whether there was
// one. Where a daemon lives and does not answer, that is the error: the caller
// would wait in its mount.
func ClearDead(path string) (cleared bool, err error) {
	dirs, err := mounts.Worlds()
	if err != nil {
		return false, err
	}
	for _, at := range dirs {
		if !mounts.Within(path, at) {
			continue
		}
		endKilled(at)
		if err := checkAnswers(at); err != nil {
			return cleared, err
		}
		dead, err := mounts.ClearDead(at)
		if err != nil {
			return cleared, err
		}
		cleared = cleared || dead
	}
	return cleared, nil
}
