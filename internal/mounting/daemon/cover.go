package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

// coveredDirs is what lies beneath a mount in the cover shape, by descriptors that
// were opened before it was covered. A daemon must never go through its own
// mount: it could wait for itself.
type coveredDirs struct {
	root    string       // the mountpoint; "" in the entities shape
	fd      int          // its directory beneath, O_PATH
	release func() error // closes both
}

func (g *coveredDirs) close() error {
	if g.root == "" {
		return nil
	}
	err := g.release()
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
