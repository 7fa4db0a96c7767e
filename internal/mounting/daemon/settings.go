package daemon

import (
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// settingsIdle is how often world.toml is looked at, whatever the kernel reports of it.
const settingsIdle = 2 * time.Second

// watchSettings brings the mount in step with world.toml's shard: a checkout may change it.
func (d *daemon) watchSettings() {
	changes, stop, err := disk.Changes(d.dir.ConfigPath())
	if err != nil {
		d.log.Warn("the kernel does not tell of changes to world.toml; it is read every two seconds instead", "error", err)
	}
	defer stop()
	ticker := time.NewTicker(settingsIdle)
	defer ticker.Stop()
	for {
		release, err := d.use()
		if err != nil {
			return
		}
		release()
		select {
		case <-d.ended:
			return
		case <-changes:
		case <-ticker.C:
		}
	}
}

// settings is what is known of world.toml.
type settings struct {
	sync.Mutex
	seen   fs.FileInfo // the file that was read last; guarded by Mutex
	newer  error       // a worlddir.NewerError, since a checkout brought a later build's world; guarded by Mutex
	ranges fs.FileInfo // id_ranges as it was read last; guarded by Mutex
}

// followSettings reads world.toml, if it has changed. One that cannot be read,
// as in the midst of a checkout, changes nothing. The caller uses the world.
func (d *daemon) followSettings() error {
	d.settings.Lock()
	defer d.settings.Unlock()
	d.settings.keepRangesLocked(d.dir)
	info, err := os.Stat(d.dir.ConfigPath())
	if err != nil || isAsSeen(info, d.settings.seen) {
		return nil
	}
	now := *d.dir
	err, d.settings.newer = now.Configure(nil), now.CheckFormat()
	if err != nil || d.settings.newer != nil {
		return nil
	}
	d.mount.AwaitMerges(d.ended)
	if err := d.mount.Relayout(now.Settings.Shard); err != nil {
		return err
	}
	d.settings.seen = info
	return nil
}

func isAsSeen(now, seen fs.FileInfo) bool {
	return seen != nil && os.SameFile(now, seen) && now.Size() == seen.Size() && now.ModTime().Equal(seen.ModTime())
}

// keepRangesLocked reads id_ranges, if it has changed: one that parses is kept by that, for
// commands that meet one later which does not. Under a mount that covers the world directory
// they could not keep it themselves.
func (s *settings) keepRangesLocked(dir *worlddir.Dir) {
	info, err := os.Lstat(dir.RangesPath())
	if err != nil || isAsSeen(info, s.ranges) {
		return
	}
	if _, err := rangefile.Read(dir); err == nil { // what is wrong with it check tells
		s.ranges = info
	}
}

// newer returns a worlddir.NewerError if a checkout beneath the mount brought a
// world that needs a newer build. Bytes written are served on; commands that
// change the world are refused.
func (d *daemon) newer() error {
	d.settings.Lock()
	defer d.settings.Unlock()
	return d.settings.newer
}
