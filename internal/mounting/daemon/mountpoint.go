package daemon

import (
	"fmt"
	"os"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// clearStale takes away what a daemon left that was killed: its mount, its
// socket and its records. The caller holds the lock and has found no daemon that
// answers; but the kernel gives a dead one's lock back a moment before it gives
// up its mount. note, which may be nil, is called if there was something.
func clearStale(dir *worlddir.Dir, note func(string)) error {
	record, err := readRecord(dir)
	found := err == nil
	if found && note != nil {
		note(clearedWords(record))
	}
	paths := []string{dir.EntitiesPath()}
	if found && record.Mount != "" && record.Mount != paths[0] {
		paths = append(paths, record.Mount)
	}
	for _, path := range paths {
		if err := mounts.Clear(path, busyTimeout); err != nil {
			return err
		}
	}
	if found {
		removeRecord(dir, record)
	}
	_ = os.Remove(dir.DaemonPath()) // it may have gone before
	return nil
}

// clearedWords says that what a killed daemon left is taken away.
func clearedWords(r Record) string {
	return fmt.Sprintf("the mount at %s was dead: its daemon (process %d) ended without unmounting. It is cleared; all that was synced is in the world", r.Mount, r.Pid)
}
