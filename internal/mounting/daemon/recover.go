package daemon

import (
	"github.com/worldfs/worldfs/internal/mounting/plaintree"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Crashed reports whether a mount of the world was not ended as it should and no command
// has recovered from that yet: then what was edited in it is not in entities/. It changes
// nothing.
func Crashed(dir *worlddir.Dir) bool {
	client, err := Mounted(dir)
	if client != nil || err != nil || !(plaintree.Tree{Dir: dir}).Crashed() {
		return false
	}
	unlock, err := dir.Lock()
	if err != nil {
		return false // a command that has the world, such as a mount, is about to
	}
	unlock()
	return true
}
