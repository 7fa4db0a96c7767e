package cache

import (
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/wal"
)

// Crash stops the world as a kill would: nothing more is written.
func (w *World) Crash() {
	w.Stop()
	w.CloseState()
}

// CloseState closes state.db and its log, so that every later update fails.
func (w *World) CloseState() {
	w.store.writing.Lock()
	defer w.store.writing.Unlock()
	w.store.behind = true // the log takes nothing, either
	w.store.closeLog()
	if err := w.store.db.Close(); err != nil {
		panic(err)
	}
}

// BlankLog puts a log without records in the place of the one that is used.
func (w *World) BlankLog() error {
	log, err := wal.Create(w.disk, w.dir.WALPath(), w.store.salt)
	if err != nil {
		return err
	}
	return log.Close()
}

// Stop ends what the world does by itself.
func (w *World) Stop() {
	close(w.stop)
	w.stopped.Wait()
}

// SetFault has steps of the disk fail.
func (w *World) SetFault(fault func(step string) error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	w.store.writing.Lock()
	defer w.store.writing.Unlock()
	w.disk.Fault = fault
}

// BreakState has every later update of state.db fail.
func (w *World) BreakState() {
	w.Stop()
	w.CloseState()
}

// CheckpointNow publishes what has come to rest, as is done in the background.
func CheckpointNow(w *World) error { return w.checkpoint(false) }

// SetTypesQuiet sets how long types/ must have stood still.
func (w *World) SetTypesQuiet(quiet time.Duration) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	w.typesQuiet = quiet
}

// HoldCommits lets no commit begin until release is called.
func (w *World) HoldCommits() (release func()) {
	w.committing.Lock()
	return w.committing.Unlock
}

// BreakDatabase has every later update of state.db fail, but not of its log.
func (w *World) BreakDatabase() {
	if err := w.store.db.Close(); err != nil {
		panic(err)
	}
}

// LogIsAhead reports whether the log has what state.db does not.
func (w *World) LogIsAhead() bool { return w.store.isAhead() }

// HoldState has state.db take nothing until release is called.
func (w *World) HoldState() (release func() error) {
	tx, err := w.store.db.db.Begin(true)
	if err != nil {
		panic(err)
	}
	return tx.Rollback
}

// Generation and CommitUpTo are what a sync is made of.
func (w *World) Generation() uint64 { return w.generation() }

// CommitUpTo makes durable what was edited up to a generation.
func (w *World) CommitUpTo(generation uint64) error { return w.commitUpTo(generation) }

// SeenBefore reports whether the world was opened knowing that world.pack and
// types/ are as they were.
func (w *World) SeenBefore() bool {
	return w.seen.pack != (fileStamp{}) && w.seen.hash == w.pack.Hash() && w.seen.types == stampTypes(w.dir.TypesPath()).stamp
}

// TypesSeenBefore reports whether the world was opened knowing that types/ declares
// what its pack does.
func (w *World) TypesSeenBefore() bool {
	return w.seen.hash == w.pack.Hash() && w.seen.types == stampTypes(w.dir.TypesPath()).stamp
}

// PlainToWrite returns the entities that the next WritePlain looks at, not known
// if all.
func (w *World) PlainToWrite() (ids []entity.ID, known bool) { return w.plainToWrite() }

// ForgetLog has the next sync make a new log, as the first one does.
func (w *World) ForgetLog() {
	if err := w.store.settle(); err != nil {
		panic(err)
	}
	w.store.writing.Lock()
	defer w.store.writing.Unlock()
	w.store.closeLog()
	w.store.noLogUntil = time.Time{}
}

// LoseValues has an entity's values be nowhere, as where a record was damaged.
func (w *World) LoseValues(id entity.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slotOf(id).origin = nowhere
}

// FlushState has state.db take in all that the log has.
func FlushState(w *World) {
	if err := w.store.settle(); err != nil {
		panic(err)
	}
}

// SetLossPatience sets how long a great loss is waited for to come back.
func (w *World) SetLossPatience(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lossPatience = d
}

// HoldsEmptied reports whether state.db has bytes from before a file was emptied.
func (w *World) HoldsEmptied() bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return len(w.emptied) > 0
}

// TellNow has the history told of all that is durable.
func TellNow(w *World) error {
	w.tell()
	return w.tells.log.Sync()
}
