package fsnode

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// In the cover shape the entities directory is a directory among others, which
// version control removes when it is empty and makes again (svn does so for
// --set-depth). What is removed is only its name: the directory comes back as it
// was, and comes back by itself with the first entity from elsewhere.

// fixedChild returns the directory of a fixed name, nil if it was removed.
func (d *Dir) fixedChild(name string) *Dir {
	n := d.fixed[name]
	if n == nil || n.removed.Load() && n.isEmpty() {
		return nil
	}
	return n
}

// isEmpty reports whether the entities directory is.
func (d *Dir) isEmpty() bool {
	if len(d.fsys.world.IDs(0, 1)) > 0 {
		return false
	}
	if d.fsys.mem.FlushAll() != nil {
		return false
	}
	names, err := d.fsys.scratch.Root.List()
	return err == nil && len(names) == 1 // the moving directory
}

// EntitiesRemoved reports whether the entities directory was removed and not made
// again.
func (m *Mounted) EntitiesRemoved() bool {
	home := m.fsys.home
	return home.removed.Load() && len(home.fsys.world.IDs(0, 1)) == 0
}

// removeHome removes the entities directory.
func (f *fsys) removeHome() error {
	if !f.home.isEmpty() {
		return unix.ENOTEMPTY
	}
	f.home.removed.Store(true)
	return nil
}

// recreateHome makes the entities directory anew.
func (f *fsys) recreateHome(mode uint32, o realfs.Owner) error {
	at := f.scratch.Root
	if err := at.Chown(o); err != nil {
		return err
	}
	if err := at.Chmod(mode & 0o7777); err != nil {
		return err
	}
	f.world.SetDirTime(cache.Top, time.Now())
	f.home.removed.Store(false)
	return nil
}
