package vcswatch

import (
	"path"
	"slices"
	"sync"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// deletions are those that svn may have to hear of.
type deletions struct {
	dir    *worlddir.Dir
	layout func() layout.Layout
	wake   chan struct{} // has one element when there is something to put on record

	flushing sync.Mutex // one flush at a time, so that they come in order; taken before mu

	mu     sync.Mutex // guards what follows; a leaf
	known  map[string]bool
	add    []vcssync.Deletion // that are not on record yet
	drop   []string           // whose files are there again
	toAsk  bool               // svn was not asked about some that are on record
	client client             // the last
}

func newDeletions(dir *worlddir.Dir, l func() layout.Layout) *deletions {
	d := &deletions{dir: dir, layout: l, wake: make(chan struct{}, 1), known: make(map[string]bool)}
	record, err := vcssync.ReadRecord(dir)
	if err != nil {
		return d // status says so
	}
	for _, r := range record.Deleted {
		d.known[r.Name], d.toAsk = true, true
	}
	return d
}

// named notes that an entity's file came or went.
func (d *deletions) named(id entity.ID, there bool, thread uint32) {
	name := path.Join(worlddir.EntitiesName, d.layout().Path(id))
	d.mu.Lock()
	defer d.mu.Unlock()
	if there {
		d.cameLocked(name, thread)
	} else {
		d.wentLocked(name, thread)
	}
}

// cameLocked drops a deletion, unless it is an update of svn's that undoes it. The
// caller has mu.
func (d *deletions) cameLocked(name string, thread uint32) {
	if !d.known[name] || thread != 0 && d.client.of(thread) == svnUpdate {
		return
	}
	delete(d.known, name)
	d.add = slices.DeleteFunc(d.add, func(a vcssync.Deletion) bool { return a.Name == name })
	d.drop = append(d.drop, name)
	d.poke()
}

// wentLocked notes a deletion, unless svn itself removes the file. The caller has mu.
func (d *deletions) wentLocked(name string, thread uint32) {
	if d.known[name] || thread != 0 && d.client.of(thread) != noSVN {
		return
	}
	d.known[name] = true
	d.add = append(d.add, vcssync.Deletion{Name: name, Time: time.Now().UTC()})
	d.poke()
}

func (d *deletions) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// flush puts on record what is not yet.
func (d *deletions) flush() error {
	d.flushing.Lock()
	defer d.flushing.Unlock()
	d.mu.Lock()
	u := vcssync.Update{Add: d.add, Drop: d.drop}
	d.toAsk = d.toAsk || len(d.add) > 0
	d.add, d.drop = nil, nil
	d.mu.Unlock()
	_, err := vcssync.Note(d.dir, u)
	return err
}

// takeToAsk reports whether svn is to be asked about what is on record, once.
func (d *deletions) takeToAsk() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	ask := d.toAsk
	d.toAsk = false
	return ask
}

// forget has deletions be noted anew that svn was told of.
func (d *deletions) forget(names []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		delete(d.known, name)
	}
}
