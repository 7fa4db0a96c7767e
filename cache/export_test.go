package cache

import (
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
)

// Crash stops the world as a kill would: nothing more is written.
func (w *World) Crash() {
	w.Stop()
	w.CloseState()
}

// CloseState closes state.db and its log, so that every later update fails.
func (w *World) CloseState() {
	if err := w.store.Hooks().Close(); err != nil {
		panic(err)
	}
}

// BlankLog puts a log without records in the place of the one that is used.
func (w *World) BlankLog() error { return w.store.Hooks().BlankLog() }

// Stop ends what the world does by itself.
func (w *World) Stop() {
	close(w.stop)
	w.stopped.Wait()
}

// SetFault has steps of the disk fail.
func (w *World) SetFault(fault func(step string) error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	defer w.store.Hooks().Lock()()
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
	w.decls.typesQuiet = quiet
}

// HoldCommits lets no commit begin until release is called.
func (w *World) HoldCommits() (release func()) {
	return w.control.Hooks().HoldCommits()
}

// BreakDatabase has every later update of state.db fail, but not of its log.
func (w *World) BreakDatabase() {
	if err := w.store.Hooks().BreakDatabase(); err != nil {
		panic(err)
	}
}

// LogIsAhead reports whether the log has what state.db does not.
func (w *World) LogIsAhead() bool { return w.store.LogIsAhead() }

// HoldState has state.db take nothing until release is called.
func (w *World) HoldState() (release func() error) {
	release, err := w.store.Hooks().Hold()
	if err != nil {
		panic(err)
	}
	return release
}

// Generation and CommitUpTo are what a sync is made of.
func (w *World) Generation() uint64 { return w.control.Generation() }

// CommitUpTo makes durable what was edited up to a generation.
func (w *World) CommitUpTo(generation uint64) error { return w.control.Hooks().CommitUpTo(generation) }

// SeenBefore reports whether the world was opened knowing that world.pack and
// types/ are as they were.
func (w *World) SeenBefore() bool {
	return w.seen.Pack != (fileattr.Stamp{}) && w.seen.Hash == w.published().Hash() && w.seen.Types == fileattr.StampDir(w.dir.TypesPath(), typefile.IsFileName).Stamp
}

// TypesSeenBefore reports whether the world was opened knowing that types/ declares
// what its pack does.
func (w *World) TypesSeenBefore() bool {
	return w.seen.Hash == w.published().Hash() && w.seen.Types == fileattr.StampDir(w.dir.TypesPath(), typefile.IsFileName).Stamp
}

// PlainToWrite returns the entities that the next WritePlain looks at, not known
// if all.
func (w *World) PlainToWrite() (ids []entity.ID, known bool) { return w.plainToWriteLocked() }

// ForgetLog has the next sync make a new log, as the first one does.
func (w *World) ForgetLog() {
	if err := w.store.Hooks().ForgetLog(); err != nil {
		panic(err)
	}
}

// LoseValues has an entity's values be nowhere, as where a record was damaged.
func (w *World) LoseValues(id entity.ID) {
	w.control.Hooks().LoseValues(id)
}

// FlushState has state.db take in all that the log has.
func FlushState(w *World) {
	if err := w.store.Flush(); err != nil {
		panic(err)
	}
}

// SetLossPatience sets how long a great loss is waited for to come back.
func (w *World) SetLossPatience(d time.Duration) {
	w.control.Hooks().SetLossPatience(d)
}

// HoldsEmptied reports whether state.db has bytes from before a file was emptied.
func (w *World) HoldsEmptied() bool {
	return w.control.Hooks().HoldsEmptied()
}

// TellNow has the history told of all that is durable.
func TellNow(w *World) error {
	w.feed.Write()
	return w.feed.Log().Sync()
}
