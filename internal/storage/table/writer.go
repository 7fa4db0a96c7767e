package table

import (
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/storage/state"
)

// Writer is a program that changes files, as the history names it.
type Writer struct {
	Program string // "vim", "git checkout"; "" if not known
	Who     string // the user's name; "" is that of this process
	Session uint64 // one run of the program, as far as this is known; 0 if not
	Brought bool   // it is version control: what it writes was made elsewhere, or before
	unknown bool   // it wrote before the world was opened, and nothing of it is known
}

// settle is for how long a program must write nothing for its next edit to be of another
// change set. A run of version control is one, however long it takes.
const settle = 500 * time.Millisecond

// maxRuns bounds the change sets that edits can be added to.
const maxRuns = 32

// run is a change set of edits through the mount that may not be complete.
type run struct {
	writer      Writer
	set         uint64
	first, last time.Time // of its edits
}

// runs are the latest ones. Guarded by Table.mu.
type runs struct{ all []run }

// setOf returns the change set of a writer's edit at a time; next gives the number of a new
// one.
func (r *runs) setOf(w Writer, at time.Time, next func() uint64) uint64 {
	for i := range r.all {
		if x := &r.all[i]; x.takes(w, at) {
			if x.first.After(at) {
				x.first = at
			}
			if x.last.Before(at) {
				x.last = at
			}
			return x.set
		}
	}
	if len(r.all) == maxRuns {
		r.all = slices.Delete(r.all, 0, 1)
	}
	r.all = append(r.all, run{w, next(), at, at})
	return r.all[len(r.all)-1].set
}

func (r *run) takes(w Writer, at time.Time) bool {
	same := r.writer.Session == w.Session
	r1, w1 := r.writer, w
	r1.Session, w1.Session = 0, 0
	switch {
	case r1 != w1:
		return false
	case w.Brought && w.Session != 0:
		return same
	}
	return !at.Before(r.first.Add(-settle)) && !at.After(r.last.Add(settle))
}

// end has what is edited from now on be other change sets, but for those of version
// control that is still at it: a command has changed the world, which is one between.
func (r *runs) end() {
	r.all = slices.DeleteFunc(r.all, func(x run) bool { return !x.writer.Brought })
}

// NoteWriter notes which program is about to change the file of an entity, or has changed
// it just now.
func (t *Table) NoteWriter(id entity.ID, w *Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.slotOfLocked(id)
	if s == nil {
		if s := t.slots[id]; s != nil {
			s.next = w // its writer is the program that removed the file
		}
		return
	}
	if s.writer == w {
		return
	}
	s.writer = w
	if !s.unpublished || s.dirty {
		return
	}
	// A rename is durable before it is known of a new entity: state.db is to have this, too.
	t.edited++
	s.dirty = true
	t.dirty[id], t.active[id] = s, s
	if t.clock.dirtySince.IsZero() {
		t.clock.dirtySince = t.now()
	}
	t.pokeLocked()
}

// CauseOf returns what the last edit of an entity's file came in by, which the pack does not
// have yet.
func (ctl *Control) CauseOf(id entity.ID) Cause {
	t := ctl.table
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.slots[id]
	if s == nil {
		return Cause{By: ByEdit}
	}
	c := t.feed.causeLocked(s)
	c.Source = c.of(id)
	return c
}

// IsEditedHere reports whether a person, or a program at work for one, made the last edit of
// an entity's file, which the pack does not have yet: no version control, and no merge.
func (ctl *Control) IsEditedHere(id entity.ID) bool {
	t := ctl.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	s := t.slots[id]
	return s != nil && s.isEditedHereLocked()
}

// isEditedHereLocked is IsEditedHere of a slot. The caller has mu.
func (s *slot) isEditedHereLocked() bool {
	switch {
	case s.cause != nil:
		return s.cause.of(s.id).Origin == history.Here
	case s.writer != nil:
		return s.writer.source().Origin == history.Here && s.writer.Program != ownProgram
	}
	return true
}

// ownProgram writes files in the mount where it has merged them.
const ownProgram = "worldfs"

// causeLocked returns what the bytes of a slot came in by. The caller has mu.
func (f *Feed) causeLocked(s *slot) Cause {
	if s.cause != nil {
		return *s.cause
	}
	return f.editLocked(s.writer, s.at)
}

// editLocked returns the cause of an edit of a file at a time. The caller has mu.
func (f *Feed) editLocked(writer *Writer, at time.Time) Cause {
	var w Writer
	if writer != nil {
		w = *writer
	}
	c := Cause{By: ByEdit, Source: w.source()}
	c.Set = f.runs.setOf(w, at, f.NewSet)
	return c
}

func (w *Writer) source() history.Source {
	s := history.Source{Who: w.Who, Program: w.Program, Origin: history.Here}
	switch {
	case w.unknown:
		s.Origin = history.Unknown
	case w.Brought:
		s.Origin = history.Brought
	}
	return s
}

// recordedCause is what state.db is to have of how a slot's bytes came in: a process that
// is killed has not put it into the history.
func (s *slot) recordedCause() (by string, source history.Source) {
	switch {
	case s.judged && !s.problem && s.file != nil && s.cause != nil:
		return "", history.Source{} // the history has it
	case s.cause != nil:
		return s.cause.By, s.cause.of(s.id)
	case s.writer != nil:
		return ByEdit, s.writer.source()
	}
	return ByEdit, history.Source{Origin: history.Here}
}

// loadCause takes over what recordedCause said.
func (s *slot) loadCause(r *state.Record) {
	if r.By != "" && r.By != ByEdit {
		s.cause = &Cause{By: r.By, Source: r.Source}
		return
	}
	s.writer = &Writer{
		Program: r.Source.Program, Who: r.Source.Who,
		Brought: r.Source.Origin == history.Brought, unknown: r.Source.Origin == history.Unknown,
	}
}
