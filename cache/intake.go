package cache

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/textcodec"
)

// change is what an intake does to one entity's file.
type change struct {
	entity *entity.Entity // its new values; nil: see gone
	gone   bool           // the file goes; otherwise nil leaves the values
	text   []byte         // the file's exact bytes; nil: rendered from the values
	mtime  time.Time      // of the plain file with these bytes; zero: it changes now
	keeps  bool           // conflicts that are marked in the file, and that entity does not decide, stay
	beside []byte         // another text whose marked conflicts stay like that
	lost   []byte         // a text with conflicts that could not be kept, for the history
}

func count(v *View, changes map[entity.ID]change) (r Report) {
	for id, c := range changes {
		_, had := v.Get(id)
		switch {
		case c.gone:
			r.Deleted++
		case c.entity == nil:
			r.Broken++
		case had:
			r.Changed++
		default:
			r.Created++
		}
	}
	return r
}

// intakeLocked publishes the view with the changes, and brings the files in step.
// Where that were a great loss it does nothing and the error is a *LossError. The
// caller has publishing.
func (w *World) intakeLocked(v *View, changes map[entity.ID]change) error {
	values := make(map[entity.ID]*entity.Entity, len(changes))
	for id, c := range changes {
		if c.entity != nil || c.gone {
			values[id] = c.entity
		}
	}
	if err := checkTextSizes(maps.Values(values)); err != nil {
		return err
	}
	next := v.with(values)
	if err := w.refuseLossLocked(v, next); err != nil {
		return err
	}
	if err := w.commits.commit(); err != nil {
		return err
	}
	if err := w.keepMarks(v, changes); err != nil {
		return err
	}
	in := intaking{world: w, view: v, changes: changes, cause: w.feed.intakeCauseLocked()}
	if err := in.prepare(); err != nil {
		return err
	}
	defer w.writeHistory()
	defer w.counts.intakes.Start()()
	return w.publisher.publishLocked(next, in.apply, in.announce)
}

// intaking brings files in step with an intake.
type intaking struct {
	world   *World
	view    *View
	changes map[entity.ID]change
	ids     []entity.ID // of changes, in order: programs that list or watch see it
	cause   Cause
	was     map[entity.ID]*entity.Entity // what is changed, as it was; nil where that is not noted one by one
	born    bool                         // the world was empty: its files have default attributes
	inos    []uint64
	created []entity.ID
	removed []entity.ID
	altered []entity.ID
}

// prepare reserves inode numbers for files that are new.
func (in *intaking) prepare() error {
	w := in.world
	w.mu.RLock()
	in.born = w.pack.Len() == 0 && len(w.slots) == 0
	w.mu.RUnlock()
	in.ids = slices.Sorted(maps.Keys(in.changes))
	in.lookBack()
	if in.born {
		return nil
	}
	for _, id := range in.ids {
		if in.changes[id].gone || w.exists(id) {
			continue
		}
		ino, err := w.inodes.Next()
		if err != nil {
			return err
		}
		in.inos = append(in.inos, ino)
	}
	return nil
}

// lookBack notes what the entities are before they are changed.
func (in *intaking) lookBack() {
	if n := len(in.changes); n > maxEvents || in.born && n > maxEventsBorn {
		return
	}
	in.was = make(map[entity.ID]*entity.Entity, len(in.changes))
	for id := range in.changes {
		in.was[id], _ = in.view.Get(id)
	}
}

// noteEntityLocked notes what the intake does to an entity. The caller has mu.
func (in *intaking) noteEntityLocked(id entity.ID, s *slot, c change) {
	if s != nil && s.problem {
		in.world.feed.noteTextLocked(history.Entry{ID: id, Kind: history.Mended, By: in.cause.By}, false)
	}
	if c.lost != nil {
		in.world.feed.noteLocked(event{Entry: history.Entry{ID: id, Kind: history.Lost, By: in.cause.By, Note: lostMarks, Is: c.lost}})
	}
	if in.was != nil && (c.gone || c.entity != nil) && !(c.gone && s != nil && s.file == nil) {
		in.world.feed.noteChangeLocked(id, in.was[id], c.entity, in.cause)
	}
}

// noteSkippedLocked notes what comes in about an entity whose text has been written
// since the view was taken: that text stands, and where it says something else, what came
// in has lost. The caller has mu.
func (in *intaking) noteSkippedLocked(id entity.ID, s *slot, c change) {
	if in.was == nil || c.entity == nil && !c.gone {
		return
	}
	in.world.feed.noteChangeLocked(id, in.was[id], c.entity, in.cause)
	if c.entity == nil || s.file == nil {
		return
	}
	s.file.mu.Lock()
	text, _ := s.file.textLocked()
	stands := bytes.Clone(text)
	s.file.mu.Unlock()
	in.world.feed.noteLocked(event{
		Entry: history.Entry{ID: id, Kind: history.Lost, By: in.cause.By, Note: "its text was written while this came in, and stands"},
		is:    c.entity, stands: stands,
	})
}

// noteBulkLocked notes as one event what was too much to note one by one, if it was.
// The caller has mu.
func (in *intaking) noteBulkLocked() {
	if in.was == nil {
		note := fmt.Sprintf("%d entities created, changed or deleted at once", len(in.changes))
		in.world.feed.noteLocked(event{Entry: history.Entry{Kind: history.Bulk, By: in.cause.By, Note: note}})
	}
}

// apply runs once the pack is in its place, with mu held.
func (in *intaking) apply(u *state.Update) {
	w := in.world
	if in.born {
		w.born = fileattr.FileTime(time.Time{})
		u.SetBorn(w.born)
	}
	w.seq++ // texts change, if not values: see PlainInStep
	u.SetSeq(w.seq)
	for _, id := range in.ids {
		c := in.changes[id]
		s := w.slotKnownLocked(id)
		if s != nil && !in.view.hasLocked(s) {
			in.noteSkippedLocked(id, s, c)
			continue // written since: that is newer, and is judged by itself
		}
		in.noteEntityLocked(id, s, c)
		switch {
		case c.gone:
			in.remove(id, s, u)
		case s != nil && s.file != nil:
			in.altered = append(in.altered, id)
			in.alter(s, c, u)
		case in.view.pack.Has(id) && s == nil:
			in.altered = append(in.altered, id)
			s = &slot{id: id, file: w.untouched(id)}
			w.slots[id] = s
			in.alter(s, c, u)
		default:
			in.created = append(in.created, id)
			in.create(id, c, u)
		}
	}
	in.noteBulkLocked()
	if len(in.created)+len(in.removed) > 0 {
		w.touchDirsOfLocked(append(slices.Clone(in.created), in.removed...)...)
	}
}

func (in *intaking) remove(id entity.ID, s *slot, u *state.Update) {
	w := in.world
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
	w.forgetLocked(id)
	u.Records[id] = nil
}

func (in *intaking) create(id entity.ID, c change, u *state.Update) {
	w := in.world
	if _, stale := w.plainTimes.Load().Of(id); in.born && c.text == nil && !stale && (c.mtime.IsZero() || state.IsStampTime(c.mtime)) {
		return // nothing is known of it but what the pack and the stamp of its plain file have
	}
	attr := w.untouched(id).attrsLocked()
	attr.Mtime = fileattr.FileTime(time.Time{})
	attr.Ctime, attr.Atime = attr.Mtime, attr.Mtime
	if !in.born {
		attr.Ino, in.inos = in.inos[0], in.inos[1:]
	}
	s := &slot{id: id, file: w.newFile(id, attr), origin: inThePack}
	if c.entity == nil {
		s.origin = nowhere
	}
	w.slots[id] = s
	in.alter(s, c, u)
}

// alter makes c the contents of a slot's file.
func (in *intaking) alter(s *slot, c change, u *state.Update) {
	w, f := in.world, s.file
	f.mu.Lock()
	o := f.touchedLocked()
	o.text, f.held = c.text, c.text != nil
	f.sized = false
	o.version++
	was := o.attr.Mtime
	o.attr.Touch()
	if !c.mtime.IsZero() && !c.mtime.Equal(was) { // other bytes never keep the time
		o.attr.Mtime = c.mtime
	}
	version := o.version
	f.mu.Unlock()
	if c.entity != nil {
		s.origin, s.good = inThePack, nil
	}
	s.judged, s.canonical, s.version = c.text == nil, c.text == nil, version
	s.problem, s.findings, s.unpublished, s.dirty, s.loaded = false, nil, false, false, notLoaded
	s.at, s.by = w.now(), in.cause.By
	w.active[s.id] = s
	delete(w.dirty, s.id)
	if !s.judged {
		w.unjudged[s.id] = s
	}
	u.Records[s.id] = w.recordOfLocked(s)
	s.recorded = true
}

// announce tells the watcher, with no lock held.
func (in *intaking) announce() {
	in.world.mu.RLock()
	watcher := in.world.watcher
	in.world.mu.RUnlock()
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
