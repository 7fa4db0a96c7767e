package table

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/textcodec"
)

// An intake of more changes than this is one entry in the history: the packs
// before and after it are kept whole. Of a world that was empty nothing is
// superseded.
const (
	maxEvents     = 20_000
	maxEventsBorn = 1_000
)

// Change is what an intake does to one entity's file.
type Change struct {
	Entity *entity.Entity // its new values; nil: see Gone
	Gone   bool           // the file goes; otherwise nil leaves the values
	Text   []byte         // the file's exact bytes; nil: rendered from the values
	Mtime  time.Time      // of the plain file with these bytes; zero: it changes now
	Keeps  bool           // conflicts that are marked in the file, and that Entity does not decide, stay
	Blind  bool           // of what Keeps: Entity was made without knowing of the conflicts, and decides none (see textcodec.RemarkUndecided)
	Beside []byte         // another text whose marked conflicts stay like that
	Mends  bool           // Entity is made of a later text of the file: one that does not parse has been left
	Note   string         // why, for the history; "": what the cause notes
	lost   lostText
}

// isTextAlone reports whether the values are what the text is read as once it is judged: of
// that, too, whether it parses.
func (c Change) isTextAlone() bool { return c.Entity == nil && c.Text != nil && !c.Gone }

// PrepareIntake returns the intake of changes to a view, which c is the cause of. It
// takes place when a pack is published that has them. The changes are the intake's from
// then on.
func (ctl *Control) PrepareIntake(v *View, changes map[entity.ID]Change, c Cause) (*Intake, error) {
	if c.Set == 0 {
		c.Set = ctl.table.feed.NewSet()
	}
	in := &Intake{table: ctl.table, view: v, changes: changes, cause: c}
	if err := in.keepMarks(); err != nil {
		return nil, err
	}
	return in, in.prepare()
}

// Intake brings files in step with what comes in from outside.
type Intake struct {
	table   *Table
	view    *View
	changes map[entity.ID]Change
	ids     []entity.ID // of changes, in order: programs that list or watch see it
	cause   Cause
	was     map[entity.ID]*entity.Entity // what is changed, as it was; nil where that is not noted one by one
	texts   map[entity.ID][]byte         // those in whose place others come that are yet to be read
	born    bool                         // the world was empty: its files have default attributes
	inos    []uint64
	created []entity.ID
	removed []entity.ID
	altered []entity.ID
}

// prepare reserves inode numbers for files that are new.
func (in *Intake) prepare() error {
	t := in.table
	t.mu.RLock()
	in.born = t.pack.Len() == 0 && len(t.slots) == 0
	t.mu.RUnlock()
	in.ids = slices.Sorted(maps.Keys(in.changes))
	if err := in.lookBack(); err != nil || in.born {
		return err
	}
	for _, id := range in.ids {
		if in.changes[id].Gone || t.exists(id) {
			continue
		}
		ino, err := t.inodes.Next()
		if err != nil {
			return err
		}
		in.inos = append(in.inos, ino)
	}
	return nil
}

// lookBack notes what the entities are before they are changed.
func (in *Intake) lookBack() (err error) {
	if n := len(in.changes); n > maxEvents || in.born && n > maxEventsBorn {
		return nil
	}
	in.was, in.texts = make(map[entity.ID]*entity.Entity, len(in.changes)), make(map[entity.ID][]byte)
	for id, c := range in.changes {
		in.was[id], _ = in.view.Get(id)
		if c.Text == nil || c.Entity != nil {
			continue
		}
		if in.texts[id], err = in.view.Text(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// noteEntityLocked notes what the intake does to an entity. The caller has mu.
func (in *Intake) noteEntityLocked(id entity.ID, s *slot, c Change) {
	if s != nil && s.problem && !c.isTextAlone() {
		e := in.table.feed.entry(id, history.Mended, in.cause)
		e.Note = ""
		in.table.feed.noteTextLocked(e, false)
	}
	if c.lost.text != nil {
		e := in.table.feed.entry(id, history.Lost, in.cause)
		e.Note, e.Is = c.lost.why, c.lost.text
		in.table.feed.noteLocked(event{Entry: e})
	}
	marked := c.Text != nil && textcodec.HasMarkers(c.Text)
	if in.was != nil && (c.Gone || c.Entity != nil) && !(c.Gone && s != nil && s.file == nil) {
		if in.table.feed.noteChangeLocked(id, in.was[id], c.Entity, in.cause) {
			n := in.table.feed.lastEventLocked()
			n.Note = cmp.Or(c.Note, n.Note)
			if marked {
				n.Is = c.Text
			}
			return
		}
	}
	in.noteMarksLocked(id, s, c, marked)
}

// noteMarksLocked notes that the intake leaves a conflict in a text whose values it does not
// change, or takes one out. The caller has mu.
func (in *Intake) noteMarksLocked(id entity.ID, s *slot, c Change, marked bool) {
	if c.Gone || in.was == nil || in.was[id] == nil || !marked && (s == nil || s.canonical) {
		return
	}
	e := in.table.feed.entry(id, history.Marked, in.cause)
	if e.Is = c.Text; e.Is == nil {
		e.Is = textcodec.Append(nil, cmp.Or(c.Entity, in.was[id]))
	}
	if e.Was = in.table.feed.marked[id]; e.Was == nil {
		e.Was = in.texts[id]
	}
	if e.Was == nil && s != nil && s.file != nil {
		s.file.mu.Lock()
		text, _ := s.file.textLocked()
		e.Was = bytes.Clone(text)
		s.file.mu.Unlock()
	}
	if e.Was == nil {
		e.Was = textcodec.Append(nil, in.was[id])
	}
	if (marked || textcodec.HasMarkers(e.Was)) && !bytes.Equal(e.Was, e.Is) {
		in.table.feed.noteLocked(event{Entry: e})
	}
}

// noteSkippedLocked notes what comes in about an entity whose text has been written
// since the view was taken: that text stands, and where it says something else, what came
// in has lost. The caller has mu.
func (in *Intake) noteSkippedLocked(id entity.ID, s *slot, c Change) {
	if in.was == nil || c.Entity == nil && !c.Gone {
		return
	}
	in.table.feed.noteChangeLocked(id, in.was[id], c.Entity, in.cause)
	if c.Entity == nil || s.file == nil {
		return
	}
	s.file.mu.Lock()
	text, _ := s.file.textLocked()
	stands := bytes.Clone(text)
	s.file.mu.Unlock()
	e := in.table.feed.entry(id, history.Lost, in.cause)
	e.Note = "its text was written while this came in, and stands"
	in.table.feed.noteLocked(event{Entry: e, is: c.Entity, stands: stands})
}

// noteBulkLocked notes as one event what was too much to note one by one, if it was.
// The caller has mu.
func (in *Intake) noteBulkLocked() {
	if in.was == nil {
		e := in.table.feed.entry(0, history.Bulk, in.cause)
		e.Note = fmt.Sprintf("%d entities created, changed or deleted at once", len(in.changes))
		in.table.feed.noteLocked(event{Entry: e})
	}
}

// applyLocked runs once the pack is in its place. The caller has mu.
func (in *Intake) applyLocked(u *state.Update) {
	t := in.table
	if in.born {
		t.born = fileattr.FileTime(time.Time{})
		u.SetBorn(t.born)
	}
	if in.cause.By != ByEdit { // else it goes on with what was edited
		t.feed.runs.end()
	}
	t.seq++ // texts change, if not values: see Table.Edits
	u.SetSeq(t.seq)
	for _, id := range in.ids {
		c := in.changes[id]
		s := t.slotKnownLocked(id)
		if s != nil && !in.view.hasLocked(s) {
			in.noteSkippedLocked(id, s, c)
			continue // written since: that is newer, and is judged by itself
		}
		in.noteEntityLocked(id, s, c)
		switch {
		case c.Gone:
			in.remove(id, s, u)
		case s != nil && s.file != nil:
			in.altered = append(in.altered, id)
			in.alter(s, c, u)
		case in.view.pack.Has(id) && s == nil:
			in.altered = append(in.altered, id)
			s = &slot{id: id, file: t.untouched(id)}
			t.slots[id] = s
			in.alter(s, c, u)
		default:
			in.created = append(in.created, id)
			in.create(id, c, u)
		}
	}
	in.noteBulkLocked()
	if len(in.created)+len(in.removed) > 0 {
		t.touchDirsOfLocked(append(slices.Clone(in.created), in.removed...)...)
	}
}

func (in *Intake) remove(id entity.ID, s *slot, u *state.Update) {
	t := in.table
	in.removed = append(in.removed, id)
	if s != nil && s.file != nil {
		f := s.file
		f.mu.Lock()
		o := f.touchedLocked()
		if e, ok := in.view.Get(id); ok && !f.held {
			o.text, f.held = textcodec.Append(nil, e), true // for the processes that have it open
		}
		o.version++
		f.mu.Unlock()
		f.id = 0
	}
	t.forgetLocked(id)
	u.Records[id] = nil
}

func (in *Intake) create(id entity.ID, c Change, u *state.Update) {
	t := in.table
	if _, stale := t.plainTimes.Load().Of(id); in.born && c.Text == nil && !stale && (c.Mtime.IsZero() || state.IsStampTime(c.Mtime)) {
		return // nothing is known of it but what the pack and the stamp of its plain file have
	}
	attr := t.untouched(id).attrsLocked()
	attr.Mtime = fileattr.FileTime(time.Time{})
	attr.Ctime, attr.Atime = attr.Mtime, attr.Mtime
	if !in.born {
		attr.Ino, in.inos = in.inos[0], in.inos[1:]
	}
	s := &slot{id: id, file: t.newFile(id, attr), origin: inThePack}
	if c.Entity == nil {
		s.origin = nowhere
	}
	t.slots[id] = s
	in.alter(s, c, u)
}

// alter makes c the contents of a slot's file.
func (in *Intake) alter(s *slot, c Change, u *state.Update) {
	t, f := in.table, s.file
	f.mu.Lock()
	if text := in.texts[s.id]; !s.problem && textcodec.HasMarkers(text) {
		t.feed.marked.set(s.id, text) // one that does not parse may take its place
	}
	o := f.touchedLocked()
	o.text, f.held = c.Text, c.Text != nil
	f.sized = false
	o.version++
	was := o.attr.Mtime
	o.attr.Touch()
	if !c.Mtime.IsZero() && !c.Mtime.Equal(was) { // other bytes never keep the time
		o.attr.Mtime = c.Mtime
	}
	version := o.version
	f.mu.Unlock()
	if c.Entity != nil {
		s.origin, s.good = inThePack, nil
		t.feed.marked.set(s.id, c.Text)
	}
	s.judged, s.canonical, s.version = c.Text == nil, c.Text == nil, version
	s.problem = s.problem && c.isTextAlone()
	s.findings, s.unpublished, s.dirty, s.loaded = nil, false, false, notLoaded
	s.at, s.cause, s.writer = t.now(), &in.cause, nil
	t.active[s.id] = s
	delete(t.dirty, s.id)
	if !s.judged {
		t.unjudged[s.id] = s
	}
	u.Records[s.id] = t.recordOfLocked(s)
	s.recorded = true
}

// announce tells the watcher, with no lock held that answering a request takes.
func (in *Intake) announce() {
	in.table.mu.RLock()
	watcher := in.table.watcher
	in.table.mu.RUnlock()
	if watcher == nil {
		return
	}
	for _, id := range in.removed {
		watcher.Removed(id)
	}
	for _, id := range in.created {
		watcher.Created(id)
	}
	for _, id := range in.altered {
		watcher.Changed(id)
	}
}
