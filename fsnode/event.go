package fsnode

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// Programs that watch files (inotify) hear of what processes do through the mount,
// and of nothing else: the kernel makes events of system calls, never of a notice.
// So after worldfs itself has changed an entity, a process of ours makes the system
// calls that a program would have made (see replayer and replayEvents), and the daemon
// answers them without changing anything (see replayFilter). Such a call is an event:
//
//	a file changed   open for writing, FALLOCATE of no room, close
//	a file is new    mknod, then as above
//	a file is gone   unlink
//	too many did     utimensat of their directory
//
// The invariants, whatever else goes on in the mount, and wherever the process is
// killed:
//
//  1. No request of that process changes the world, or anything in scratch.
//  2. An event is answered only while what was announced is still so: the file that
//     was announced is there, or no file of that name is. Any other is refused, and
//     makes no event.
//  3. No answer to an event has the kernel believe anything about a file that another
//     process may be changing. What mknod makes and unlink removes is a node that
//     stands for no file (a placeholder), whose name is good for no time; FALLOCATE has
//     the kernel believe nothing.

// event is one that watchers are to see.
type event struct {
	generation uint64 // no two events of a mount have the same
	id         entity.ID
	what       change
	ino        uint64 // of the file that was announced; 0: it is gone
	path       string // from the entities directory; of an overflow, the directory

	made bool // of a new file: mknod was answered
	done bool
}

// newEvent returns the event that a notice calls for, ok unless the world has gone on
// since.
func newEvent(w *cache.World, x notice) (a event, ok bool) {
	a = event{id: x.id, what: x.what, path: w.Layout().Path(x.id)}
	file, err := w.Lookup(x.id)
	if x.what == removed {
		return a, errors.Is(err, fs.ErrNotExist)
	}
	if err != nil {
		return a, false
	}
	a.ino = file.Ino()
	return a, true
}

// stands reports whether what was announced is still so.
func (a *event) stands(w *cache.World) bool {
	if a.what == overflow {
		return true
	}
	now, ok := newEvent(w, notice{id: a.id, what: a.what})
	return ok && now.ino == a.ino && now.path == a.path
}

// topDir is the entities directory as the path of an overflow.
const topDir = "."

// name is the last part of the path.
func (a *event) name() string { return path.Base(a.path) }

// dir is the directory that the name is in, topDir for the entities directory.
func (a *event) dir() string { return path.Dir(a.path) }

// actLetters has, for each change, how the process is told of it. No path begins
// with one.
var eventLetters = [...]byte{changed: 'm', created: 'c', removed: 'r', overflow: 'd'}

// line is how the process is told.
func (a *event) line() string {
	return fmt.Sprintf("%c%d %s", eventLetters[a.what], a.generation, a.path)
}

// parseEvent is the inverse of line.
func parseEvent(s string) (a event, err error) {
	var letter byte
	if _, err := fmt.Sscanf(s, "%c%d %s", &letter, &a.generation, &a.path); err != nil {
		return a, fmt.Errorf("%q: %w", s, err)
	}
	for what, l := range eventLetters {
		if l == letter {
			a.what = change(what)
			return a, nil
		}
	}
	return a, fmt.Errorf("%q: no event begins with %q", s, letter)
}
