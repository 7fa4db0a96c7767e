package cache

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// Cause says what changed the world: a command, a program or an edit.
type Cause struct {
	By   string // one of those below
	Note string // more about that, in words; may be ""
}

// What changes a world.
const (
	ByEdit   = "edit"   // a file, through the mount
	ByPlain  = "plain"  // a plain file, while the world was not mounted
	ByImport = "import" // the interchange form
	ByApply  = "apply"  // a change set
	ByUndo   = "undo"
	ByMerge  = "merge" // something else that came through the one door
	ByPack   = "pack"  // a pack that another program saved
	ByFormat = "fmt"
)

// An intake of more changes than this is one entry in the history: the packs
// before and after it are kept whole. Of a world that was empty nothing is
// superseded.
const (
	maxEvents     = 20_000
	maxEventsBorn = 1_000
)

// feed is how what happens to the world gets into its history: it is noted
// where it happens and written by a goroutine of its own, so that a process that
// writes a file does not wait for it.
type feed struct {
	report *slog.Logger
	log    *history.Log
	wake   chan struct{}   // has one element when there are events
	mu     lockorder.Mutex // one batch at a time
	cause  Cause           // of what is being taken in; guarded by World.publishing

	events []event // in the order in which it happened; guarded by World.mu
	err    error   // why the last of it could not be written; guarded by World.mu
}

// event is something that happened and is not in the history yet.
type event struct {
	history.Entry
	was, is  *entity.Entity // Was and Is are rendered from these
	doubtful bool           // a crash may have come after it was written
	stands   []byte         // a text instead of which is has lost; nil: see Note
}

func newFeed(dir *worlddir.Dir, report *slog.Logger) *feed {
	limits := history.Limits{
		Size: dir.Settings.HistorySize,
		Age:  time.Duration(dir.Settings.HistoryDays) * 24 * time.Hour,
	}
	return &feed{report: report, log: history.Open(dir.HistoryPath(), limits), wake: make(chan struct{}, 1)}
}

// becauseLocked has what is taken in until the returned function is called come into
// the history as the work of c. The caller has publishing.
func (f *feed) becauseLocked(c Cause) (done func()) {
	before := f.cause
	f.cause = c
	return func() { f.cause = before }
}

// noteLocked adds an event. The caller has mu.
func (f *feed) noteLocked(n event) {
	n.Time = time.Now()
	f.events = append(f.events, n)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// noteChangeLocked notes that an entity's values are others, and reports whether they
// are. The caller has mu.
func (f *feed) noteChangeLocked(id entity.ID, was, is *entity.Entity, c Cause) (noted bool) {
	if was == nil && is == nil || was != nil && is != nil && was.Same(is) {
		return false
	}
	f.noteLocked(event{Entry: history.Entry{ID: id, Kind: history.Changed, By: c.By, Note: c.Note}, was: was, is: is})
	return true
}

// lastEventLocked is what was noted last, to add to it. The caller has had mu since.
func (f *feed) lastEventLocked() *event { return &f.events[len(f.events)-1] }

// brokenNote is where a text does not parse and why.
func brokenNote(f entity.Finding) string {
	f.ID, f.File = 0, ""
	return f.String()
}

// noteTextLocked notes that a file's text does not parse, or does again. The caller
// has mu.
func (f *feed) noteTextLocked(e history.Entry, doubtful bool) {
	e.By = cmp.Or(e.By, ByEdit)
	f.noteLocked(event{Entry: e, doubtful: doubtful})
}

// noteGoneTextLocked notes that a file is gone for good, if its text did not parse: what
// takes its place before that is judged by itself. The caller has mu.
func (f *feed) noteGoneTextLocked(s *slot) {
	if s.problem {
		f.noteTextLocked(history.Entry{ID: s.id, Kind: history.Mended, Note: "the file is gone"}, false)
		s.problem = false
	}
}

// noteLostLocked notes what lost in a merge: the whole entity as that side had it.
// The caller has publishing.
func (w *World) noteLostLocked(ours, theirs entity.Source, conflicts []merge.Conflict) {
	if len(conflicts) == 0 {
		return
	}
	defer w.writeHistory()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range conflicts {
		side := theirs
		if c.Stands == merge.Theirs {
			side = ours
		}
		if e, ok := side.Get(c.ID); ok {
			w.feed.noteLocked(event{
				Entry: history.Entry{ID: c.ID, Kind: history.Lost, By: w.feed.intakeCauseLocked().By, Note: c.String()}, is: e,
			})
		}
	}
}

// intakeCauseLocked is the cause of what is being taken in. The caller has publishing.
func (f *feed) intakeCauseLocked() Cause {
	c := f.cause
	c.By = cmp.Or(c.By, ByMerge)
	return c
}

// unlinkedLocked returns the entities that have no file any more, as they were. The
// caller has mu.
func (t *table) unlinkedLocked() map[entity.ID]*entity.Entity {
	gone := make(map[entity.ID]*entity.Entity)
	for id, s := range t.active {
		if s.file == nil {
			if e := t.valuesLocked(id, s); e != nil {
				gone[id] = e
			}
		}
	}
	return gone
}

// noteGoneLocked notes which of the entities that had no file are gone for good now
// that the pack does not have them. The caller has mu.
func (t *table) noteGoneLocked(unlinked map[entity.ID]*entity.Entity) {
	for id, e := range unlinked {
		if _, waits := t.slots[id]; !waits {
			t.feed.noteChangeLocked(id, e, nil, Cause{By: ByEdit})
		}
	}
}

// runFeed writes events as they come.
func (w *World) runFeed() {
	defer w.stopped.Done()
	for {
		select {
		case <-w.stop:
			return
		case <-w.feed.wake:
		}
		if !w.writeHistory() {
			continue
		}
		select { // for what waits until it is durable
		case <-w.stop:
			return
		case <-time.After(commitQuiet):
			w.feed.wakeWriter()
		}
	}
}

func (f *feed) wakeWriter() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// writeHistory writes into the history what has happened and reports whether something
// of it must wait: an edit that is not durable itself might never have been.
func (w *World) writeHistory() (more bool) {
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	w.mu.Lock()
	var ready, waiting []event
	for _, n := range w.feed.events {
		if _, dirty := w.dirty[n.ID]; dirty {
			waiting = append(waiting, n)
		} else {
			ready = append(ready, n)
		}
	}
	w.feed.events = waiting
	w.mu.Unlock()
	if len(ready) == 0 || w.store.InMemory() {
		return len(waiting) > 0
	}
	_, err := w.feed.log.Append(w.feed.entries(ready))
	w.mu.Lock()
	w.feed.err = err
	w.mu.Unlock()
	if err != nil {
		w.log.Error("what was superseded is not kept", "count", len(ready), "error", err)
	}
	return len(waiting) > 0
}

// writeHistoryIfMany is writeHistory for a caller that makes many events at once, so
// that they do not pile up.
func (w *World) writeHistoryIfMany() {
	const many = 4096
	w.mu.RLock()
	n := len(w.feed.events)
	w.mu.RUnlock()
	if n >= many {
		w.writeHistory()
	}
}

// entries renders events for the history, without what is in it already.
func (f *feed) entries(all []event) []history.Entry {
	known := f.known(all)
	entries := make([]history.Entry, 0, len(all))
	for _, n := range all {
		if n.saysTheSame() {
			continue
		}
		if n.was != nil {
			n.Was = textcodec.Append(nil, n.was)
		}
		if n.is != nil && n.Is == nil {
			n.Is = textcodec.Append(nil, n.is)
		}
		if k, ok := known[n.ID]; n.doubtful && ok && k.Kind == n.Kind && slices.Equal(k.Is, n.Is) {
			continue
		}
		entries = append(entries, n.Entry)
	}
	return entries
}

// saysTheSame reports whether the text that stands instead of an entity that has lost has
// the same values: then nothing has.
func (n event) saysTheSame() bool {
	if n.stands == nil {
		return false
	}
	res, err := textcodec.Decode(n.stands, n.ID, entity.NewTypes(n.is.Layout.Type))
	return err == nil && res.Entity.Same(n.is)
}

// known returns the last entries about the entities of doubtful events.
func (f *feed) known(all []event) map[entity.ID]history.Entry {
	doubtful := make(map[entity.ID]bool)
	for _, n := range all {
		if n.doubtful {
			doubtful[n.ID] = true
		}
	}
	if len(doubtful) == 0 {
		return nil
	}
	known, err := f.log.Latest(doubtful)
	if err != nil {
		f.report.Warn("the history cannot be read", "error", err)
	}
	return known
}

// syncHistory returns when what is in the history so far is durable: what it
// has is about to be dropped from state.db. A history that cannot be
// written stops no caller.
func (w *World) syncHistory() {
	w.writeHistory()
	if err := w.feed.log.Sync(); err != nil {
		w.log.Error("what was superseded is not durable", "error", err)
	}
}

// History returns what is known of an entity's past, the oldest first, up to
// this moment; where the disk is full, as far as there was room for it.
func (w *World) History(id entity.ID) ([]history.Entry, error) {
	if err := w.Tell(); err != nil && !disk.IsNoRoom(err) && !errors.Is(err, state.ErrInMemory) {
		return nil, err
	}
	return w.feed.log.Of(id)
}

// Tell returns when all that has happened so far is in the history, the
// deletions of the last two seconds too. Those of a great loss that is not published
// have not happened.
func (w *World) Tell() error {
	if err := w.Sync(); err != nil && !IsLoss(err) {
		return err
	}
	w.writeHistory()
	return nil
}

// Log returns the history, which can be read on from a position.
func (w *World) Log() *history.Log { return w.feed.log }

// historyFindingLocked says that the history cannot be written, if so. The caller has
// mu.
func (f *feed) historyFindingLocked() []entity.Finding {
	if f.err == nil {
		return nil
	}
	return []entity.Finding{{
		Code: entity.CodeHistory, File: filepath.Join(".worldfs", "history"),
		Message: fmt.Sprintf("what was superseded could not be kept: %v; nothing else is lost, but undo does not know of it", f.err),
	}}
}
