// Package cache is the live world behind a mount: the pack and the edits that
// it does not have yet, as files that can be read and written. It knows no
// FUSE; package fsnode shows it to the kernel.
//
// At every instant pack + edits = the world. Edits are in memory for less than
// a second, then in state.db (bbolt); fsync makes them durable at once, in its
// log (package wal). A checkpoint publishes them as the next pack and drops them from state.db. A
// crash at any point loses nothing that was synced.
//
// What costs what: looking up and reading an untouched entity decodes one row
// of the pack and renders its text, a few microseconds. An edit costs its
// text's size in memory and one put in state.db. A checkpoint writes the whole
// pack, in the background.
package cache

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/worldfs/worldfs/disk"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/layout"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/paged"
	"github.com/worldfs/worldfs/textcodec"
	"github.com/worldfs/worldfs/worlddir"
)

// Options are what Open can be told.
type Options struct {
	Log  *slog.Logger // nil: nothing is logged
	Disk *disk.Disk   // nil: the real one

	// Brief says that the world is opened for one command. Whether another
	// program has saved the pack meanwhile is then seen from the file's times:
	// to give up being told of it by the kernel takes some 13 ms.
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
	dir   *worlddir.Dir
	log   *slog.Logger
	disk  *disk.Disk
	store *store
	bases []*os.File  // see HoldBases; guarded by publishing
	ahead *plainAhead // nil: nobody has looked; guarded by publishing

	typesQuiet   time.Duration // how long types/ must have stood still
	lossPatience time.Duration // how long a great loss is waited for to come back

	publishing  sync.Mutex     // one checkpoint or intake at a time; taken before committing
	placed      [32]byte       // the pack in place, if it is not the one in pack; guarded by publishing
	placedSave  bool           // that is a save which is being taken in; guarded by publishing
	taking      *packfile.Pack // the save that the next publishing takes in, nil for none; guarded by publishing
	wasLoaded   bool           // another program has read the published pack; guarded by publishing
	lastPack    time.Time      // see packTime; guarded by publishing
	keptDurably [32]byte       // the last kept pack that was made durable; guarded by publishing
	lossAllowed bool           // a great loss may be published; guarded by publishing
	saves       saves
	seen        seen               // as state.db had it when the world was opened
	plainSeen   uint64             // edits, when the plain files were last found in step; 0: they were not; guarded by publishing
	plainBehind map[entity.ID]bool // those that were not, all the same; guarded by publishing
	committing  sync.Mutex         // one update of state.db from slots at a time; taken before mu
	commits     batches            // who waits for which commit; has a lock of its own
	unfinished  []update           // of publishings, that state.db could not take; guarded by committing

	mu            sync.RWMutex // guards what follows; taken before a File's mu
	pack          *packfile.Pack
	types         *entity.Types // in force
	slots         map[entity.ID]*slot
	pristine      paged.Map[entity.ID, File] // files that were asked for and never touched: the pack is all that is known of them; in no slot
	active        map[entity.ID]*slot        // those that are not just as the pack has them
	dirty         map[entity.ID]*slot        // those that state.db does not have
	closing       bool                       // Close has begun: no text is provisional any more
	emptied       map[entity.ID]*slot        // those whose bytes from before they were emptied state.db has
	unjudged      map[entity.ID]*slot        // those whose bytes have changed since they were read as an entity
	extra         []entity.ID                // IDs that have a file and are not in the pack, sorted
	gone          int                        // IDs that are in the pack and have no file
	seq           uint64                     // the last edit
	edited        uint64                     // goes up with every edit and every change of a directory's times, in this process
	durable       uint64                     // what edited was when the last commit that succeeded collected
	times         dirTimes                   // of entities/ itself
	shardTimes    map[int]dirTimes           // of the shards in which something happened
	clock         activity
	leavings      leavings
	failure       error // why edits could not be made durable last time
	unpublishable error // why the pack could not be written last time
	watcher       Invalidator
	typeIn        typeState
	plainNotes    []entity.Finding // plain files that could not be read
	plainStray    []entity.Finding // plain files that are misplaced
	plainLoss     *Loss            // why the plain files are not taken in, nil if they are
	layout        layout.Layout
	saveFinding   []entity.Finding // what is wrong with a save
	baseNote      baseNote
	tells         telling
	counts        counts // has locks of its own

	inodes   inodes
	born     time.Time // times of files that have no record
	uid, gid uint32    // owner of files that have no record
	// rendered is the last, of a file that is not held, so that reading a large one
	// piece by piece renders it once.
	rendered   atomic.Pointer[Rendering]
	shardsOf   atomic.Pointer[sharding]
	plainTimes atomic.Pointer[plainTimes] // mtimes of files that were never touched; of others, of their plain files
	wake       chan struct{}              // has one element when run should look again
	stop       chan struct{}
	stopped    sync.WaitGroup
}

type dirTimes struct {
	mtime, ctime time.Time
	dirty        bool
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
	w := &World{
		dir: dir, log: opts.Log, disk: opts.Disk, layout: dir.Settings.Shard,
		slots: make(map[entity.ID]*slot), active: make(map[entity.ID]*slot), dirty: make(map[entity.ID]*slot), emptied: make(map[entity.ID]*slot), unjudged: make(map[entity.ID]*slot),
		typesQuiet: typesQuiet, lossPatience: lossPatience, lossAllowed: opts.AllowLoss,
		wake: make(chan struct{}, 1), stop: make(chan struct{}),
		uid: uint32(os.Getuid()), gid: uint32(os.Getgid()),
	}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.disk == nil {
		w.disk = &disk.Disk{}
	}
	w.sweepStaging()
	store, m, err := openStore(dir, w.disk, w.log, opts.InMemory)
	if err != nil {
		return nil, err
	}
	w.store = store
	w.tells = newTelling(dir)
	if opts.PlainFirst {
		w.ahead = w.scanAhead(dir.EntitiesPath())
	}
	if err := w.load(m); err != nil {
		w.takeAhead()
		return nil, errors.Join(err, store.close())
	}
	if !opts.InMemory {
		w.stopped.Add(3)
		go w.run()
		go w.watchPack(opts.Brief)
		go w.runTelling()
	}
	return w, nil
}

// load brings pack, records and types together.
func (w *World) load(m meta) error {
	w.inodes = inodes{store: w.store, next: m.ino, limit: m.ino}
	w.seq, w.born, w.seen = m.seq, m.born, m.seen
	w.times = dirTimes{mtime: m.mtime, ctime: m.ctim}
	var err error
	if w.shardTimes, err = w.store.shardTimes(w.layout); err != nil {
		return err
	}
	if m.fresh && w.layout.Sharded() {
		if err := w.store.putMeta(keyLayout, []byte{byte(w.layout)}); err != nil {
			return err
		}
	}
	if err := w.loadPlainTimes(); err != nil {
		return err
	}
	if err := w.loadBaseNote(); err != nil {
		return err
	}
	foreign, err := w.openPack(m)
	if err != nil {
		return err
	}
	if err := w.store.each(func(id entity.ID, r *record) error { return w.loadRecord(id, r, m) }); err != nil {
		return err
	}
	w.recount()
	w.types = w.pack.Types().Clone()
	if m.seen.hash == w.pack.Hash() {
		w.typeIn.typesStamp = typesStamp{m.seen.types, true} // types/ declares what the pack does, if it is as it was then
	}
	if err := w.reloadTypes(); err != nil {
		return err
	}
	if err := w.retypeLines(); err != nil {
		return err
	}
	return w.takeInLeft(m, foreign)
}

// retypeLines reads under the types now in force the values that loadRecord could not
// read under the pack's, where reloadTypes has not done so.
func (w *World) retypeLines() error {
	for id, s := range w.active {
		if s.origin != itsOwn || !s.good.Layout.Type.Unknown || w.types.Get(s.good.Type()) == nil {
			continue
		}
		if err := w.retypeEntity(id, w.types); err != nil {
			return err
		}
	}
	return nil
}

// loadRecord makes the slot that a record stands for.
func (w *World) loadRecord(id entity.ID, r *record, m meta) error {
	if r.unpublished && m.nextSeq != 0 && m.nextHas(id, r) && w.pack.Hash() == m.next {
		r.unpublished = false // the crash came after the exchange: the pack has it
	}
	inPack := w.pack.Has(id)
	if r.gone && !r.unpublished || !r.gone && !r.hasText && !inPack {
		return nil
	}
	s := &slot{id: id, unpublished: r.unpublished, seq: r.seq, origin: inThePack, stored: r.hasText, judged: !r.hasText, canonical: !r.hasText, recorded: true}
	if r.goodNone || !inPack {
		s.origin = nowhere
	}
	if r.hasGood {
		good, err := w.readGood(id, r.good)
		if err != nil {
			return err
		}
		s.origin, s.good = itsOwn, good
	}
	if s.loaded = loadedOld; r.unpublished {
		s.loaded = loadedNew
	}
	if r.gone {
		s.at = r.attr.Ctime
	} else {
		s.file = w.newFile(id, r.attr)
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
func (w *World) readGood(id entity.ID, text []byte) (*entity.Entity, error) {
	res, err := textcodec.Decode(text, id, w.pack.Types())
	if err != nil {
		res, err = textcodec.Decode(text, id, entity.NewTypes())
	}
	if err != nil {
		return nil, fmt.Errorf("%w: last good values of %d: %w", errRecord, id, err)
	}
	return res.Entity, nil
}

// recount finds anew which IDs the pack and the files differ in.
func (w *World) recount() {
	w.extra, w.gone = w.extra[:0], 0
	for id, s := range w.active {
		switch inPack := w.pack.Has(id); {
		case s.file != nil && !inPack:
			w.extra = append(w.extra, id)
		case s.file == nil && inPack:
			w.gone++
		}
	}
	slices.Sort(w.extra)
}

// Close makes everything durable, publishes it unless that were a great loss, and
// closes the world.
func (w *World) Close() error {
	close(w.stop)
	w.stopped.Wait()
	w.takeAhead()
	if w.store.inMemory {
		return w.store.db.Close()
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
	for _, f := range w.bases {
		_ = f.Close() // it was only read
	}
	w.tell()
	if logErr := w.tells.log.Close(); logErr != nil {
		w.log.Error("close history", "error", logErr)
	}
	if closeErr := w.store.close(); err == nil && closeErr != nil {
		err = fmt.Errorf("close %s: %w", w.dir.DBPath(), closeErr)
	}
	return err
}

// Watch sets who is told of changes.
func (w *World) Watch(i Invalidator) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watcher = i
}

// now is what the clock says, for deciding when something is due. Files get
// fileTime.
func (w *World) now() time.Time { return time.Now() }

// fault returns why edits cannot be kept at present, if they cannot.
func (w *World) fault() error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.failure
}

// render returns the bytes of a file that does not hold them itself.
func (w *World) render(f *File) ([]byte, error) {
	w.mu.RLock()
	id, pack, origin := f.id, w.pack, inThePack
	var good *entity.Entity
	if w.pristine.Get(id) != f {
		s := w.slots[id]
		if s == nil || s.file != f {
			w.mu.RUnlock()
			return nil, nil // it was just unlinked; the caller sees that its version moved
		}
		if s.stored {
			defer w.mu.RUnlock()
			return w.store.text(id)
		}
		origin, good = s.origin, s.good
	}
	w.mu.RUnlock() // whoever looks a name up would wait for all the decoding
	text, ok := renderFrom(id, pack, origin, good)
	if !ok {
		return nil, fmt.Errorf("entity %d: %w", id, errNoText)
	}
	return text, nil
}

// values returns an entity's last good values, nil if it never had any. The
// caller has mu.
func (w *World) values(id entity.ID, s *slot) *entity.Entity {
	if s == nil {
		return valuesFrom(id, w.pack, inThePack, nil)
	}
	return valuesFrom(id, w.pack, s.origin, s.good)
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
