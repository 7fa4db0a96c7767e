package cache

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// notes has what the parts of a world have to say in its status.
type notes struct {
	mu   lockorder.Mutex
	said said // guarded by mu
}

// said is what the parts of a world have to say.
type said struct {
	save          []entity.Finding // what is wrong with a save
	base          baseNote         // what the last save was made from
	plain         []entity.Finding // plain files that could not be read
	stray         []entity.Finding // plain files that are misplaced
	derived       []derivedNote    // poses that were edited to no effect
	plainLoss     *Loss            // why the plain files are not taken in, nil if they are
	unpublishable error            // why the pack could not be written last time
}

// note has do change what is said.
func (n *notes) note(do func(*said)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	do(&n.said)
}

// read returns what is said.
func (n *notes) read() said {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.said
}
