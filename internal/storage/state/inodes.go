package state

import (
	"sync"

	"github.com/worldfs/worldfs/entity"
)

// Inode numbers are stored state: fresh for every create, moved by a rename,
// never used twice, the same after a remount. So that a world of a million
// entities needs no million records, the file that an entity had when it first
// came into the world has a number computed from its ID; any later file of
// that ID gets a fresh one, and a record.
const (
	defaultInos = 1 << 32 // + ID
	firstIno    = 1 << 33 // fresh ones from here
	inoBlock    = 4096    // as many are set aside by one durable update
)

// DefaultIno returns the inode number of the file that an entity had first.
func DefaultIno(id entity.ID) uint64 { return defaultInos + uint64(id) }

// DefaultID returns the entity that DefaultIno has a number of.
func DefaultID(ino uint64) entity.ID { return entity.ID(ino - defaultInos) }

// Inodes hands out fresh inode numbers. They are set aside in state.db before
// the first of them is used.
type Inodes struct {
	store *Store
	mu    sync.Mutex
	next  uint64 // guarded by mu
	limit uint64 // set aside up to here; guarded by mu
}

// NewInodes returns the numbers from the first on that was never set aside.
func NewInodes(s *Store, m Meta) *Inodes { return &Inodes{store: s, next: m.ino, limit: m.ino} }

// Next returns a number that was never used.
func (i *Inodes) Next() (uint64, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.next == i.limit {
		limit := i.limit + inoBlock
		if err := i.store.putIno(limit); err != nil {
			return 0, err
		}
		i.limit = limit
	}
	i.next++
	return i.next - 1, nil
}
