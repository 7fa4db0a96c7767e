package table

import (
	"cmp"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/support/username"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// Cause says what changed the world: a command, a program or an edit.
type Cause struct {
	By   string // ByEdit, or what its caller calls itself
	Note string // more about that, in words; may be ""
	history.Source

	Parts map[entity.ID]history.Source // of entities of which it is another; may be nil
}

// of returns the source of what is done to an entity.
func (c *Cause) of(id entity.ID) history.Source {
	if s, ok := c.Parts[id]; ok {
		return s
	}
	return c.Source
}

// ByEdit is what changes a world where nothing else does: a file, through the mount.
const ByEdit = "edit"

// ByTypes is what makes a text unreadable that was not edited: a change of its type's declaration.
const ByTypes = "types"

// ByUndo is what takes back what was done before: it can bring a text that does not parse.
const ByUndo = "undo"

// Feed is how what happens to the entities gets into the world's history: it is noted
// where it happens and written by a goroutine of its own, so that a process that
// writes a file does not wait for it.
type Feed struct {
	table  *Table
	report *slog.Logger
	log    *history.Log
	wake   chan struct{}   // has one element when there are events
	mu     lockorder.Mutex // one batch at a time

	events []event     // in the order in which it happened; guarded by Table.mu
	err    error       // why the last of it could not be written; guarded by Table.mu
	runs   runs        // guarded by Table.mu
	marked markedTexts // guarded by Table.mu
	sets   atomic.Uint64
	user   string // this process's, where no other is known
}

// event is something that happened and is not in the history yet.
type event struct {
	history.Entry
	was, is  *entity.Entity // Was and Is are rendered from these
	doubtful bool           // a crash may have come after it was written
	stands   []byte         // a text instead of which is has lost; nil: see Note
}

func newFeed(t *Table, dir *worlddir.Dir) *Feed {
	limits := history.Limits{
		Size: dir.Settings.HistorySize,
		Age:  time.Duration(dir.Settings.HistoryDays) * 24 * time.Hour,
	}
	f := &Feed{table: t, report: t.log, log: history.Open(dir.HistoryPath(), limits), wake: make(chan struct{}, 1), user: username.Of(t.uid), marked: make(markedTexts)}
	f.mu.Init(&classFeed)
	return f
}

// Log returns the history.
func (f *Feed) Log() *history.Log { return f.log }

// NewSet returns the number of a new change set.
func (f *Feed) NewSet() uint64 {
	for {
		last := f.sets.Load()
		next := max(last+1, uint64(time.Now().UnixMicro())) // more than those of all processes before
		if f.sets.CompareAndSwap(last, next) {
			return next
		}
	}
}

// entry returns an entry about what a cause did to an entity.
func (f *Feed) entry(id entity.ID, kind history.Kind, c Cause) history.Entry {
	e := history.Entry{ID: id, Kind: kind, By: cmp.Or(c.By, ByEdit), Note: c.Note, Source: c.of(id)}
	e.Who = cmp.Or(e.Who, f.user)
	return e
}

// noteLocked adds an event. The caller has mu.
func (f *Feed) noteLocked(n event) {
	n.Time = time.Now()
	f.events = append(f.events, n)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// noteChangeLocked notes that an entity's values are others, and reports whether they
// are. What was is the text with the conflicts that were marked in it. The caller has mu.
func (f *Feed) noteChangeLocked(id entity.ID, was, is *entity.Entity, c Cause) (noted bool) {
	if was == nil && is == nil || was != nil && is != nil && was.Same(is) {
		return false
	}
	n := event{Entry: f.entry(id, history.Changed, c), was: was, is: is}
	if was != nil {
		n.Was = f.marked[id]
	}
	if is == nil {
		delete(f.marked, id)
	}
	f.noteLocked(n)
	return true
}

// lastEventLocked is what was noted last, to add to it. The caller has had mu since.
func (f *Feed) lastEventLocked() *event { return &f.events[len(f.events)-1] }

// brokenNote is where a text does not parse and why.
func brokenNote(f entity.Finding) string {
	f.ID, f.File = 0, ""
	return f.String()
}

// noteTextLocked notes that a file's text does not parse, or does again. The caller
// has mu.
func (f *Feed) noteTextLocked(e history.Entry, doubtful bool) {
	f.noteLocked(event{Entry: e, doubtful: doubtful})
}

// noteGoneTextLocked notes that a file is gone for good, if its text did not parse: what
// takes its place before that is judged by itself. The caller has mu.
func (f *Feed) noteGoneTextLocked(s *slot) {
	if s.problem {
		e := f.entry(s.id, history.Mended, f.editLocked(s.writer, s.at))
		e.Note = "the file is gone"
		f.noteTextLocked(e, false)
		s.problem = false
	}
}

// NoteLost notes what lost in a merge, which by took in: the whole entity as that side
// had it.
func (f *Feed) NoteLost(ours, theirs entity.Source, conflicts []merge.Conflict, by Cause) {
	if len(conflicts) == 0 {
		return
	}
	defer f.Write()
	f.table.mu.Lock()
	defer f.table.mu.Unlock()
	for _, c := range conflicts {
		side := theirs
		if c.Stands == merge.Theirs {
			side = ours
		}
		if e, ok := side.Get(c.ID); ok {
			lost := f.entry(c.ID, history.Lost, by)
			lost.Note = c.String()
			f.noteLocked(event{Entry: lost, is: e})
		}
	}
}

// Run writes events as they come, until stop is closed.
func (f *Feed) Run(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-f.wake:
		}
		if !f.Write() {
			continue
		}
		select { // for what waits until it is durable
		case <-stop:
			return
		case <-time.After(commitQuiet):
			f.wakeWriter()
		}
	}
}

func (f *Feed) wakeWriter() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Write writes into the history what has happened and reports whether something of it
// must wait: an edit that is not durable itself might never have been.
func (f *Feed) Write() (more bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.table
	t.mu.Lock()
	var ready, waiting []event
	for _, n := range f.events {
		if _, dirty := t.dirty[n.ID]; dirty {
			waiting = append(waiting, n)
		} else {
			ready = append(ready, n)
		}
	}
	f.events = waiting
	t.mu.Unlock()
	if len(ready) == 0 || t.store.InMemory() {
		return len(waiting) > 0
	}
	_, err := f.log.Append(f.entries(ready))
	t.mu.Lock()
	f.err = err
	t.mu.Unlock()
	if err != nil {
		t.log.Error("what was superseded is not kept", "count", len(ready), "error", err)
	}
	return len(waiting) > 0
}

// writeIfMany is Write for a caller that makes many events at once, so that they do not
// pile up.
func (f *Feed) writeIfMany() {
	const many = 4096
	f.table.mu.RLock()
	n := len(f.events)
	f.table.mu.RUnlock()
	if n >= many {
		f.Write()
	}
}

// entries renders events for the history, without what is in it already.
func (f *Feed) entries(all []event) []history.Entry {
	known := f.known(all)
	entries := make([]history.Entry, 0, len(all))
	for _, n := range all {
		if n.saysTheSame() {
			continue
		}
		k, ok := known[n.ID]
		n.takeMarks(k)
		if n.was != nil && n.Was == nil {
			n.Was = textcodec.Append(nil, n.was)
		}
		if n.is != nil && n.Is == nil {
			n.Is = textcodec.Append(nil, n.is)
		}
		if n.doubtful && ok && (k.Kind == n.Kind || n.Kind == history.Marked) && slices.Equal(k.Is, n.Is) || n.isUnmarked() {
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
func (f *Feed) known(all []event) map[entity.ID]history.Entry {
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

// Sync returns when what is in the history so far is durable: what it has is about to be
// dropped from state.db. A history that cannot be written stops no caller.
func (f *Feed) Sync() {
	f.Write()
	if err := f.log.Sync(); err != nil {
		f.report.Error("what was superseded is not durable", "error", err)
	}
}

// Failure returns why the history could not be written last time, nil if it was.
func (f *Feed) Failure() error {
	f.table.mu.RLock()
	defer f.table.mu.RUnlock()
	return f.err
}
