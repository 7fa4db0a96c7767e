package table

import (
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/support/paged"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// Table is the entities of a live world: the published pack and, beyond it, a slot for
// each entity that is not just as that has it. It owns the one lock that guards them.
type Table struct {
	*directories // guarded by mu
	progress     // guarded by mu
	slotSets     // guarded by mu

	log     *slog.Logger
	store   *state.Store
	commits *committer
	inodes  *state.Inodes
	wake    chan struct{} // has one element when what is due should be looked at again

	uid, gid     uint32        // owner of files that have no record
	lossPatience time.Duration // how long a great loss is waited for to come back; guarded by mu

	mu             lockorder.RWMutex // guards what follows and the embedded parts; taken before a File's mu
	pack           *packfile.Pack
	types          *entity.Types              // in force
	slots          map[entity.ID]*slot        // those of which more is known than the pack
	untouchedFiles paged.Map[entity.ID, File] // files that were asked for and never touched, which have no slot
	closing        bool                       // Close has begun: no text is provisional any more
	extra          []entity.ID                // IDs that have a file and are not in the pack, sorted
	gone           int                        // IDs that are in the pack and have no file
	deletions      pendingDeletions
	watcher        Invalidator
	feed           *Feed
	born           time.Time // times of files that have no record

	plainTimes atomic.Pointer[state.PlainTimes] // mtimes of files that were never touched; of others, of their plain files
	rendered   atomic.Pointer[Rendering]        // the last, of a file that is not held: reading a large one piece by piece renders it once
}

// progress is how far the edits have come.
type progress struct {
	seq     uint64 // the last edit
	edited  uint64 // goes up with every edit and every change of a directory's times, in this process
	durable uint64 // what edited was when the last commit that succeeded collected
	failure error  // why edits could not be made durable last time
	clock   activity
}

// slotSets are the slots that wait for something.
type slotSets struct {
	active   map[entity.ID]*slot // those that are not just as the pack has them
	dirty    map[entity.ID]*slot // those that the state does not have
	emptied  map[entity.ID]*slot // those whose bytes from before they were emptied the state has
	unjudged map[entity.ID]*slot // those whose bytes have changed since they were read as an entity
}

// New returns the table of a world without entities, what looks after it, and what brings
// in the entities that there are.
func New(dir *worlddir.Dir, store *state.Store, log *slog.Logger) (*Table, *Control, *Opening) {
	t := &Table{
		log: log, store: store, uid: uint32(os.Getuid()), gid: uint32(os.Getgid()),
		wake: make(chan struct{}, 1), lossPatience: lossPatience,
		slots: make(map[entity.ID]*slot),
		slotSets: slotSets{
			active: make(map[entity.ID]*slot), dirty: make(map[entity.ID]*slot),
			emptied: make(map[entity.ID]*slot), unjudged: make(map[entity.ID]*slot),
		},
	}
	t.directories = &directories{table: t, layout: dir.Settings.Shard}
	t.mu.Init(&classTable)
	t.commits = &committer{table: t, store: store}
	t.commits.committing.Init(&classCommitting)
	t.commits.counts.mu.Init(&classCounts)
	t.feed = newFeed(t, dir)
	return t, &Control{t}, &Opening{t}
}

// Invalidator is told of changes that did not come through its own files. No
// lock is held during the call.
type Invalidator interface {
	Changed(id entity.ID)
	Created(id entity.ID)
	Removed(id entity.ID)
}

// Watch sets the Invalidator that is told of changes.
func (t *Table) Watch(i Invalidator) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watcher = i
}

// now is what the clock says, for deciding when something is due. Files get
// fileattr.FileTime.
func (t *Table) now() time.Time { return time.Now() }

// fault returns why edits cannot be kept at present, if they cannot.
func (t *Table) fault() error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.failure
}
