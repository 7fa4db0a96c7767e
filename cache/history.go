package cache

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/storage/table"
)

// Cause says what changed the world: a command, a program or an edit.
type Cause = table.Cause

// What changes a world.
const (
	ByEdit   = table.ByEdit  // a file, through the mount
	ByTypes  = table.ByTypes // a declaration, under which a text cannot be read any more
	ByPlain  = "plain"       // a plain file, while the world was not mounted
	ByImport = "import"      // the interchange form
	ByApply  = "apply"       // a change set
	BySet    = "set"         // fields of many entities
	ByUndo   = table.ByUndo
	ByRedo   = "redo"
	ByMerge  = "merge" // something else that came through the one door
	ByPack   = "pack"  // a pack that another program saved
	ByFormat = "fmt"

	ByRestore = "restore" // an earlier state, of a kept pack
)

// Writer is a program that changes files of entities, as the history names it.
type Writer = table.Writer

// NewSet returns the number of a new change set, for a Cause of several intakes.
func (w *World) NewSet() uint64 { return w.feed.NewSet() }

// originOf returns where what changes the world so was made, unless its Cause says so.
func originOf(by string) history.Origin {
	switch by {
	case "":
		return history.Unknown
	case ByImport, ByMerge:
		return history.Brought
	}
	return history.Here
}

// becauseLocked has what is taken in until the returned function is called come into
// the history as the work of c. The caller has publishing.
func (w *World) becauseLocked(c Cause) (done func()) {
	before := w.cause
	w.cause = c
	w.cause.By = cmp.Or(c.By, ByMerge)
	w.cause.Origin = cmp.Or(c.Origin, originOf(w.cause.By))
	w.cause.Set = cmp.Or(c.Set, w.feed.NewSet())
	return func() { w.cause = before }
}

// intakeCauseLocked is the cause of what is being taken in. The caller has publishing.
func (w *World) intakeCauseLocked() Cause {
	c := w.cause
	c.By = cmp.Or(c.By, ByMerge)
	c.Origin = cmp.Or(c.Origin, originOf(c.By))
	return c
}

// History returns what is known of an entity's past, the oldest first, up to
// this moment; where the disk is full, as far as there was room for it.
func (w *World) History(id entity.ID) ([]history.Entry, error) {
	log, err := w.HistoryNow()
	if err != nil {
		return nil, err
	}
	return log.Of(id)
}

// HistoryNow returns the history with all that has happened up to this moment; where the
// disk is full, as far as there was room for it.
func (w *World) HistoryNow() (*history.Log, error) {
	if err := w.SyncHistory(); err != nil && !disk.IsNoRoom(err) && !errors.Is(err, state.ErrInMemory) {
		return nil, err
	}
	return w.feed.Log(), nil
}

// SyncHistory returns when all that has happened so far is in the history, the
// deletions of the last two seconds too. Those of a great loss that is not published
// have not happened.
func (w *World) SyncHistory() error {
	if err := w.Sync(); err != nil && !IsLoss(err) {
		return err
	}
	w.feed.Write()
	return nil
}

// WriteHistory has what happened so far in the history, but for what is not durable yet,
// without waiting for anything.
func (w *World) WriteHistory() { w.feed.Write() }

// Log returns the history, which can be read on from a position.
func (w *World) Log() *history.Log { return w.feed.Log() }

// historyFinding says that the history cannot be written, if so.
func (w *World) historyFinding() []entity.Finding {
	err := w.feed.Failure()
	if err == nil {
		return nil
	}
	return []entity.Finding{{
		Code: entity.CodeHistory, File: filepath.Join(".worldfs", "history"),
		Message: fmt.Sprintf("what was superseded could not be kept: %v; nothing else is lost, but undo does not know of it", err),
	}}
}
