package daemon

import (
	"errors"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/mounting/plaintree"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Crashed reports whether a mount of the world was not ended as it should and no command
// has recovered from that yet: then what was edited in it is not in entities/. It changes nothing,
// and looks into no mount whose process lives: one that does not answer would keep it waiting.
func Crashed(dir *worlddir.Dir) bool {
	return (!exists(dir.DaemonPath()) || isLeft(dir)) && (plaintree.Tree{Dir: dir}).Crashed() && isLeft(dir)
}

// Killed reports whether the process behind a mount of the world has left its record, as one
// does that is killed, and no command has cleared that away yet. It changes nothing.
func Killed(dir *worlddir.Dir) bool { return exists(dir.DaemonPath()) && isLeft(dir) }

// isLeft reports whether no process has the world any more. It does not ask the daemon, which
// may be one that does not answer: the daemon has the lock. A command that has it, such as a
// mount, is about to recover.
func isLeft(dir *worlddir.Dir) bool {
	if dir.CheckState() != nil {
		return false
	}
	unlock, err := dir.Lock()
	if errors.Is(err, worlddir.ErrReadOnly) {
		unlock, err = dir.LockToRead()
	}
	if err == nil {
		unlock()
		return true
	}
	record, err := readRecord(dir)
	return err == nil && mounts.Killed(record.Pid)
}
