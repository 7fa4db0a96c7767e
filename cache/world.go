package cache

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/storage/table"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// Options are the options of Open.
type Options struct {
	Log  *slog.Logger // nil: nothing is logged
	Disk *disk.Disk   // nil: the real one

	// Brief says that the world is opened for one command. Whether another
	// program has saved the pack meanwhile is then seen from the file's times:
	// to close the kernel's watch takes some 13 ms.
	Brief bool

	// InMemory has the world opened to be read where its disk has no room or is
	// read-only: nothing is written, and what is taken in is gone when the world is closed.
	InMemory bool

	// PlainFirst says that TakePlain comes next, so that the plain files can be
	// looked at while the pack is read.
	PlainFirst bool

	AllowLoss bool // a great loss may be published (see LossError)
}

// World is the live world. It is safe for concurrent use.
type World struct {
	*entities
	*plainSync
	control   *table.Control
	feed      *table.Feed
	decls     *declarations
	publisher *publisher
	saves     *saveWatcher
	counts    *counts

	log   *slog.Logger
	dir   *worlddir.Dir
	disk  *disk.Disk
	store *state.Store
	packs *packstore.Store

	publishing  lockorder.Mutex // one checkpoint or intake at a time; taken before all other locks
	lossAllowed bool            // a great loss may be published; guarded by publishing
	cause       Cause           // of what is being taken in; guarded by publishing
	seen        state.Seen      // as state.db had it when the world was opened
	notes       notes

	stop    chan struct{}
	stopped sync.WaitGroup
}

// entities are the entities of a world, as the processes see them that work in it.
type entities = table.Table

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
	if !opts.InMemory {
		sweepStaging(dir, opts.Log)
	}
	store, m, err := state.Open(dir, opts.Disk, opts.Log, opts.InMemory)
	if err != nil {
		return nil, err
	}
	w, opening := newWorld(dir, store, opts)
	if opts.PlainFirst {
		w.early = w.startScan(dir.EntitiesPath())
	}
	if err := w.load(opening, m); err != nil {
		w.takeEarlyScanLocked()
		return nil, errors.Join(err, store.Close())
	}
	if !opts.InMemory {
		w.stopped.Go(w.run)
		w.stopped.Go(func() { w.saves.watchPack(opts.Brief) })
		w.stopped.Go(func() { w.feed.Run(w.stop) })
	}
	return w, nil
}

// newWorld returns a world that has nothing of its directory's yet.
func newWorld(dir *worlddir.Dir, store *state.Store, opts Options) (*World, *table.Opening) {
	t, control, opening := table.New(dir, store, opts.Log)
	w := &World{
		entities: t, control: control, feed: control.Feed(), counts: &counts{}, log: opts.Log,
		dir: dir, disk: opts.Disk, store: store, lossAllowed: opts.AllowLoss, stop: make(chan struct{}),
	}
	w.publishing.Init(&classPublishing)
	w.notes.mu.Init(&classNotes)
	w.plainSync, w.saves = &plainSync{world: w}, &saveWatcher{world: w}
	w.publisher = &publisher{world: w}
	w.decls = &declarations{world: w, typesQuiet: typesQuiet}
	w.decls.mu.Init(&classTypes)
	w.packs = packstore.New(dir, opts.Disk, opts.Log, store, w.published)
	return w, opening
}

// load brings pack, records and types together.
func (w *World) load(opening *table.Opening, m state.Meta) error {
	w.seen = m.Seen
	if err := opening.Begin(m); err != nil {
		return err
	}
	if l := w.Layout(); m.Fresh && l.Sharded() {
		if err := w.store.PutLayout(l); err != nil {
			return err
		}
	}
	if err := w.loadPlainTimes(); err != nil {
		return err
	}
	if err := w.saves.loadBaseNote(); err != nil {
		return err
	}
	foreign, err := w.openPack(opening, m)
	if err != nil {
		return err
	}
	if err := opening.LoadRecords(m); err != nil {
		return err
	}
	if m.Seen.Hash == w.published().Hash() {
		w.decls.typeIn.stamp = fileattr.DirStamp{Stamp: m.Seen.Types, Stood: true} // types/ declares what the pack does, if it is as it was then
	}
	if err := w.decls.reloadTypesLocked(); err != nil {
		return err
	}
	if err := opening.RetypeLines(); err != nil {
		return err
	}
	return w.saves.takeInLeft(m, foreign)
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
	w.control.End()
	err := w.Sync()
	switch {
	case err == nil:
		w.noteSeen()
	case IsLoss(err): // all is durable; the next that opens the world knows of it by what is missing
		err = nil
	}
	w.packs.Close()
	w.feed.Write()
	if logErr := w.feed.Log().Close(); logErr != nil {
		w.log.Error("close history", "error", logErr)
	}
	if closeErr := w.store.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("close %s: %w", w.dir.DBPath(), closeErr)
	}
	return err
}

// Kept returns the packs that are kept, the newest first.
func (w *World) Kept() ([]packstore.Kept, error) { return w.packs.List() }

// published returns the published pack, nil before there is one.
func (w *World) published() *packfile.Pack { return w.control.Pack() }

// now is what the clock says, for deciding when something is due. Files get FileTime.
func (w *World) now() time.Time { return time.Now() }
