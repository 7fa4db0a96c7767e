package daemon

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/plaintree"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// What a world keeps in reserve on its disk, for ending its mount and for recovering
// from one that was killed: room for one more pack and, beside that, for bringing
// state.db up to date with its log and for the files that say where the daemon is.
const (
	reserveBeside = 1 << 20
	maxReserve    = 64 << 20

	reserveAgain = time.Minute // how often a daemon looks whether the reserve is whole
)

// fillReserve makes a world's reserve as large as it should be, where there is room.
func fillReserve(dir *worlddir.Dir) error {
	size := int64(reserveBeside)
	if info, err := os.Lstat(dir.PackPath()); err == nil {
		size += info.Size()
	}
	return dir.Reserve().Fill(min(size, maxReserve))
}

// keepReserve fills the reserve now and then, as long as the world is mounted.
func (d *daemon) keepReserve() {
	ticker := time.NewTicker(reserveAgain)
	defer ticker.Stop()
	for {
		if err := fillReserve(d.dir); err != nil {
			d.log.Warn("no room is kept in reserve", "error", err)
		}
		select {
		case <-d.done:
			return
		case <-ticker.C:
		}
	}
}

// openInMemory opens a world, whose lock this process has, in memory: one whose disk
// has no room for opening it. It is read as it would be, and nothing is written. cause
// is why it could not be opened otherwise.
func openInMemory(dir *worlddir.Dir, unlock func(), cause error, note func(string)) (_ opened, err error) {
	defer func() {
		if err != nil {
			unlock()
			err = fmt.Errorf("%w; make room on that disk", cause)
		}
	}()
	world, err := cache.Open(dir, cache.Options{Brief: true, InMemory: true})
	if err != nil {
		return nil, err
	}
	l := &local{service: service{dir: dir, world: world}, plain: plaintree.Tree{Dir: dir, World: world}, unlock: unlock}
	if err := l.recover(); err != nil {
		return nil, errors.Join(err, world.Close())
	}
	l.full = fmt.Errorf("%w: nothing is changed until there is room on that disk", cause)
	note(fmt.Sprintf("%v; the world is read as it is", l.full))
	return l, nil
}

// stays is the error of an unmount that failed while the world is mounted on: it says
// what became of the edits and, where it is room that is missing, how much.
func (d *daemon) stays(err error) error {
	if !disk.IsNoRoom(err) {
		return fmt.Errorf("unmount: %w", err)
	}
	edits := "every edit is safe in .worldfs"
	if d.dir.Reserve().Spend(d.world.SyncAll) != nil {
		edits = "every edit that was synced is safe in .worldfs, and the others are in the memory of process " + fmt.Sprint(os.Getpid())
	}
	need := int64(reserveBeside)
	if info, err := os.Lstat(d.dir.PackPath()); err == nil {
		need += info.Size()
	}
	return fmt.Errorf("unmount: %w; the world stays mounted, and %s. Make room on that disk, about %d kB, and unmount again", err, edits, need>>10)
}
