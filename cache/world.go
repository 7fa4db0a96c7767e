package cache

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// Options are the options of Open.
type Options struct {
	Log  *slog.Logger // nil: nothing is logged
	Disk *disk.Disk   // nil: the real one

	// Brief says that the world is opened for one command. Whether another
	// program has saved the pack meanwhile is then seen from the file's times:
	// to close the kernel's watch takes some 13 ms.
	Brief bool

	// InMemory has the world opened to be read where its disk has no room: nothing is
	// written, and what is taken in is gone when the world is closed.
	InMemory bool

	// PlainFirst says that TakePlain comes next, so that the plain files can be
	// looked at while the pack is read.
	PlainFirst bool

	AllowLoss bool // a great loss may be published (see LossError)
}

// World is the live world. It is safe for concurrent use.
type World struct {
	*table
	*plainSync
	decls     *declarations
	publisher *publisher
	saves     *saveWatcher
	counts    *counts

	dir   *worlddir.Dir
	disk  *disk.Disk
	packs *packstore.Store

	publishing    lockorder.Mutex // one checkpoint or intake at a time; taken before committing
	lossAllowed   bool            // a great loss may be published; guarded by publishing
	seen          state.Seen      // as state.db had it when the world was opened
	unpublishable error           // why the pack could not be written last time; guarded by table.mu

	stop    chan struct{}
	stopped sync.WaitGroup
}

// Invalidator is told of changes that did not come through its own files. No
// lock is held during the call.
type Invalidator interface {
	Changed(id entity.ID)
	Created(id entity.ID)
	Removed(id entity.ID)
}

// errNoText is why a file that there is cannot be read: neither the pack nor
// state.db has its text. It is no fs.ErrNotExist, after which callers look again.
var errNoText = errors.New("its text is neither in world.pack nor in .worldfs/state.db; worldfs restore lists the packs that may have it")

// ErrOtherWorld is what opening a directory whose pack is another world's
// gives.
var ErrOtherWorld = errors.New("world.pack belongs to another world than world.toml")

// Open opens the live world of a world directory, whose lock the caller holds.
func Open(dir *worlddir.Dir, opts Options) (*World, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Disk == nil {
		opts.Disk = &disk.Disk{}
	}
	sweepStaging(dir, opts.Log)
	store, m, err := state.Open(dir, opts.Disk, opts.Log, opts.InMemory)
	if err != nil {
		return nil, err
	}
	w := newWorld(dir, store, opts)
	if opts.PlainFirst {
		w.early = w.startScan(dir.EntitiesPath())
	}
	if err := w.load(m); err != nil {
		w.takeEarlyScanLocked()
		return nil, errors.Join(err, store.Close())
	}
	if !opts.InMemory {
		w.stopped.Add(3)
		go w.run()
		go w.saves.watchPack(opts.Brief)
		go w.runFeed()
	}
	return w, nil
}

// newWorld returns a world that has nothing of its directory's yet.
func newWorld(dir *worlddir.Dir, store *state.Store, opts Options) *World {
	w := &World{
		table: newTable(store, opts.Log, dir.Settings.Shard), counts: &counts{},
		dir: dir, disk: opts.Disk, lossAllowed: opts.AllowLoss, stop: make(chan struct{}),
	}
	w.publishing.Init(&classPublishing)
	w.counts.mu.Init(&classCounts)
	w.feed = newFeed(dir, opts.Log)
	w.plainSync, w.saves = &plainSync{world: w}, &saveWatcher{world: w}
	w.publisher = &publisher{world: w}
	w.decls = &declarations{world: w, typesQuiet: typesQuiet}
	w.commits = &committer{table: w.table, store: store, counts: w.counts}
	w.feed.mu.Init(&classFeed)
	w.commits.committing.Init(&classCommitting)
	w.packs = packstore.New(dir, opts.Disk, opts.Log, store, w.published)
	return w
}

// load brings pack, records and types together.
func (w *World) load(m state.Meta) error {
	w.inodes = state.NewInodes(w.store, m)
	w.seq, w.born, w.seen = m.Seq, m.Born, m.Seen
	w.times = state.DirTimes{Mtime: m.Mtime, Ctime: m.Ctime}
	var err error
	if w.shardTimes, err = w.store.ShardTimes(w.layout); err != nil {
		return err
	}
	if m.Fresh && w.layout.Sharded() {
		if err := w.store.PutLayout(w.layout); err != nil {
			return err
		}
	}
	if err := w.loadPlainTimes(); err != nil {
		return err
	}
	if err := w.saves.loadBaseNote(); err != nil {
		return err
	}
	foreign, err := w.openPack(m)
	if err != nil {
		return err
	}
	if err := w.store.EachRecord(func(id entity.ID, r *state.Record) error { return w.loadRecord(id, r, m) }); err != nil {
		return err
	}
	w.recount()
	w.types = w.pack.Types().Clone()
	if m.Seen.Hash == w.pack.Hash() {
		w.decls.typeIn.typesStamp = typesStamp{m.Seen.Types, true} // types/ declares what the pack does, if it is as it was then
	}
	if err := w.decls.reloadTypesLocked(); err != nil {
		return err
	}
	if err := w.retypeLines(); err != nil {
		return err
	}
	return w.saves.takeInLeft(m, foreign)
}

// retypeLines reads under the types now in force the values that loadRecord could not
// read under the pack's, where reloadTypesLocked has not done so.
func (w *World) retypeLines() error {
	for id, s := range w.active {
		if s.origin != itsOwn || !s.good.Layout.Type.Unknown || w.types.Get(s.good.Type()) == nil {
			continue
		}
		r, err := w.decls.readUnder(w.types, id)
		if err != nil {
			return err
		}
		w.decls.takeRetypedLocked(r, w.types)
	}
	return nil
}

// loadRecord makes the slot that a record stands for.
func (w *World) loadRecord(id entity.ID, r *state.Record, m state.Meta) error {
	if r.Unpublished && m.NextSeq != 0 && m.NextHas(id, r) && w.pack.Hash() == m.Next {
		r.Unpublished = false // the crash came after the exchange: the pack has it
	}
	inPack := w.pack.Has(id)
	if r.Gone && !r.Unpublished || !r.Gone && !r.HasText && !inPack {
		return nil
	}
	s := &slot{id: id, unpublished: r.Unpublished, seq: r.Seq, origin: inThePack, stored: r.HasText, judged: !r.HasText, canonical: !r.HasText, recorded: true}
	if r.GoodNone || !inPack {
		s.origin = nowhere
	}
	if r.HasGood {
		good, err := w.readGood(id, r.Good)
		if err != nil {
			return err
		}
		s.origin, s.good = itsOwn, good
	}
	if s.loaded = loadedOld; r.Unpublished {
		s.loaded = loadedNew
	}
	if r.Gone {
		s.at = r.Attr.Ctime
	} else {
		s.file = w.newFile(id, r.Attr)
	}
	w.slots[id], w.active[id] = s, s
	if !s.judged {
		w.unjudged[id] = s
	}
	return nil
}

// readGood reads an entity's last good values. They may be of a type that was changed
// after the pack was published: what the pack's types do not read stays lines until
// types/ is read.
func (t *table) readGood(id entity.ID, text []byte) (*entity.Entity, error) {
	res, err := textcodec.Decode(text, id, t.pack.Types())
	if err != nil {
		res, err = textcodec.Decode(text, id, entity.NewTypes())
	}
	if err != nil {
		return nil, fmt.Errorf("%w: last good values of %d: %w", state.ErrRecord, id, err)
	}
	return res.Entity, nil
}

// recount finds anew which IDs the pack and the files differ in.
func (t *table) recount() {
	t.extra, t.gone = t.extra[:0], 0
	for id, s := range t.active {
		switch inPack := t.pack.Has(id); {
		case s.file != nil && !inPack:
			t.extra = append(t.extra, id)
		case s.file == nil && inPack:
			t.gone++
		}
	}
	slices.Sort(t.extra)
}

// Close makes everything durable, publishes it unless that were a great loss, and
// closes the world.
func (w *World) Close() error {
	close(w.stop)
	w.stopped.Wait()
	w.takeEarlyScanLocked()
	if w.store.InMemory() {
		return w.store.Close()
	}
	w.mu.Lock()
	w.closing = true
	w.mu.Unlock()
	err := w.Sync()
	switch {
	case err == nil:
		w.noteSeen()
	case IsLoss(err): // all is durable; the next that opens the world knows of it by what is missing
		err = nil
	}
	w.packs.Close()
	w.writeHistory()
	if logErr := w.feed.log.Close(); logErr != nil {
		w.log.Error("close history", "error", logErr)
	}
	if closeErr := w.store.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("close %s: %w", w.dir.DBPath(), closeErr)
	}
	return err
}

// Watch sets the Invalidator that is told of changes.
func (t *table) Watch(i Invalidator) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watcher = i
}

// now is what the clock says, for deciding when something is due. Files get
// fileTime.
func (t *table) now() time.Time { return time.Now() }

// fault returns why edits cannot be kept at present, if they cannot.
func (t *table) fault() error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.failure
}

// render returns the bytes of a file that does not hold them itself.
func (t *table) render(f *File) ([]byte, error) {
	t.mu.RLock()
	id, pack, origin := f.id, t.pack, inThePack
	var good *entity.Entity
	if t.untouchedFiles.Get(id) != f {
		s := t.slots[id]
		if s == nil || s.file != f {
			t.mu.RUnlock()
			return nil, nil // it was just unlinked; the caller sees that its version moved
		}
		if s.stored {
			defer t.mu.RUnlock()
			return t.store.Text(id)
		}
		origin, good = s.origin, s.good
	}
	t.mu.RUnlock() // every lookup would wait for the decoding
	text, ok := renderFrom(id, pack, origin, good)
	if !ok {
		return nil, fmt.Errorf("entity %d: %w", id, errNoText)
	}
	return text, nil
}

// valuesLocked returns an entity's last good values, nil if it never had any. The
// caller has mu.
func (t *table) valuesLocked(id entity.ID, s *slot) *entity.Entity {
	if s == nil {
		return valuesFrom(id, t.pack, inThePack, nil)
	}
	return valuesFrom(id, t.pack, s.origin, s.good)
}

// valuesFrom returns the last good values of an entity whose values are from a
// place.
func valuesFrom(id entity.ID, pack *packfile.Pack, from origin, good *entity.Entity) *entity.Entity {
	switch from {
	case inThePack:
		e, _ := pack.Get(id)
		return e
	case itsOwn:
		return good
	}
	return nil
}

// Kept returns the packs that are kept, the newest first.
func (w *World) Kept() ([]packstore.Kept, error) { return w.packs.List() }

// published returns the published pack, nil before there is one.
func (t *table) published() *packfile.Pack {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.pack
}
