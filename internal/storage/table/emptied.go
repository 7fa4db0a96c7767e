package table

import (
	"bytes"
	"time"

	"github.com/worldfs/worldfs/textcodec"
)

// A program that writes a text anew empties the file first: it truncates it, or removes
// it and creates it. Should the process of the mount be killed before the text
// arrives, the program is told of an error, and the file is empty although no program
// meant it to be. So an emptied text is provisional, as a deletion is: for as long, state.db
// has the bytes that the file had before, unless the file itself is synced or the world
// is closed.

// emptyWasLocked returns the bytes that a file is to have in state.db although it is empty,
// nil for its own. The caller has mu and the file's.
func (t *Table) emptyWasLocked(s *slot) []byte {
	text, _ := s.file.textLocked()
	if !s.file.held || len(text) > 0 || s.file.own.was == nil || t.closing || t.now().Sub(s.at) >= provisional {
		delete(t.emptied, s.id)
		return nil
	}
	t.emptied[s.id] = s
	return s.file.own.was
}

// emptiedDueLocked returns when state.db is to have the first of the emptied texts as it is;
// the zero time: there is none. The caller has mu.
func (t *Table) emptiedDueLocked() (due time.Time) {
	for _, s := range t.emptied {
		if at := s.at.Add(provisional); due.IsZero() || at.Before(due) {
			due = at
		}
	}
	return due
}

// collectEmptiedLocked has the next update of state.db have those emptied texts as they are
// that have been empty for long enough. The caller has mu.
func (t *Table) collectEmptiedLocked() {
	now := t.now()
	for id, s := range t.emptied {
		if t.slots[id] != s || s.file == nil {
			delete(t.emptied, id)
			continue
		}
		if t.closing || now.Sub(s.at) >= provisional {
			s.dirty, t.dirty[id] = true, s
		}
	}
}

// acceptEmpty has a file that is empty be so from now on, and reports whether that is
// a change to state.db.
func (f *File) acceptEmpty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.own == nil || f.own.was == nil {
		return false
	}
	f.own.was = nil
	return true
}

// noteWasLocked keeps the bytes that a change has taken away, all of them, until there are
// others. The caller has the file's mu.
func (o *own) noteWasLocked(before []byte) {
	if len(o.text) > 0 {
		o.was = nil
	} else if len(before) > 0 {
		o.was = bytes.Clone(before)
	}
}

// wasBeforeLocked returns the bytes that the file of a slot had which has none, nil if its
// deletion counts. The caller has mu.
func (t *Table) wasBeforeLocked(s *slot) []byte {
	if s == nil || s.file != nil {
		return nil
	}
	if now := t.now(); now.Sub(s.at) > provisional && !t.isProvisionalLocked(now) {
		return nil
	}
	if s.left != nil {
		return s.left
	}
	if e := t.valuesLocked(s.id, s); e != nil {
		return textcodec.Append(nil, e)
	}
	return nil
}
