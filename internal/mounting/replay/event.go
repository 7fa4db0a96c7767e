package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// Notice says what has happened to an entity's file.
type Notice struct {
	ID    entity.ID
	What  Change
	Moved bool // it is new there, because the layout has changed
}

// Change is what has happened to a file.
type Change uint8

// What happens to a file.
const (
	Changed Change = iota
	Created
	Removed
	overflow // many in a directory
)

// event is one that watchers are to see.
type event struct {
	generation uint64 // no two events of a mount have the same
	id         entity.ID
	what       Change
	ino        uint64 // of the file that was announced; 0: it is gone
	path       string // from the entities directory; of an overflow, the directory

	made bool // of a new file: mknod was answered
	done bool
}

// newEvent returns the event that a notice calls for, ok unless the world has gone on
// since.
func newEvent(w *cache.World, x Notice) (a event, ok bool) {
	a = event{id: x.ID, what: x.What, path: w.Layout().Path(x.ID)}
	file, err := w.Lookup(x.ID)
	if x.What == Removed {
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
	now, ok := newEvent(w, Notice{ID: a.id, What: a.what})
	return ok && now.ino == a.ino && now.path == a.path
}

// TopDir is the entities directory as the path of an overflow.
const TopDir = "."

// name is the last part of the path.
func (a *event) name() string { return path.Base(a.path) }

// dir is the directory that the name is in, TopDir for the entities directory.
func (a *event) dir() string { return path.Dir(a.path) }

// eventLetters has, for each change, how the process is told of it. No path begins
// with one.
var eventLetters = [...]byte{Changed: 'm', Created: 'c', Removed: 'r', overflow: 'd'}

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
			a.what = Change(what)
			return a, nil
		}
	}
	return a, fmt.Errorf("%q: no event begins with %q", s, letter)
}
