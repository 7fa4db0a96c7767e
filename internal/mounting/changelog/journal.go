// Package changelog is what has happened to a world by change sets, whose they are, and how
// one's own are taken back and made again.
//
// One's own are the edits and commands of this machine. What version control, an import or
// a clone has brought is not, nor is an entry of the history of which this is not known: the
// entries of format 1.
//
// What it guarantees:
//
//   - Undoing takes back the last of one's own sets that is not taken back, redoing what was
//     taken back last and no edit of one's own has come after.
//   - No entity disappears, or comes back, that was not named, but one that a set gave
//     another ID.
//   - Of what a set changed only the properties that still have its values go back; the
//     others stand, and are named.
//
// Nothing is stored but in the history: an undo is a change set like any other, whose
// entries say which set they take back.
package changelog

import (
	"slices"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
)

// key names what a change set did to one entity.
type key struct {
	set uint64
	id  entity.ID
}

// step is what a change set did to one entity. Where the texts are the history says: a
// position is 0 where there is none.
type step struct {
	key
	undoes  uint64    // the set that it takes back, 0 for none
	time    time.Time // of the last of it
	first   uint64    // the entry before which the values were as they were
	last    uint64    // the entry after which they are as they are
	broken  uint64    // the entry that left a text that does not parse, if nothing came after
	marked  [2]uint64 // the first and the last entry about conflicts in the text
	created bool
	deleted bool
	cut     bool  // a text was too large to keep
	taken   bool  // it was taken back
	taker   *step // what took it back
	found   *step // what left the text that does not parse that this one found; nil: it could be read
}

// isUndone reports whether the step was taken back and not made again since. What takes a
// step back comes after it, so that there is an end.
func (m *step) isUndone() (undone bool) {
	for m = m.taker; m != nil; m = m.taker {
		undone = !undone
	}
	return undone
}

// set is a change set.
type set struct {
	number  uint64 // of old entries, that have none, the position
	time    time.Time
	by      string
	note    string
	source  history.Source
	bulk    bool // more changed than the history has one by one
	old     bool // nothing is known of where it was made
	ended   bool // an edit of one's own came after, so that it cannot be made again
	members []*step
}

// isOwn reports whether the set was made here.
func (s *set) isOwn() bool { return s.source.Origin == history.Here }

// isUndo reports whether the set took another back.
func (s *set) isUndo() bool { return s.by == cache.ByUndo && s.source.Undoes != 0 }

// isRedo reports whether the set made another again.
func (s *set) isRedo() bool { return s.by == cache.ByRedo && s.source.Undoes != 0 }

// remains reports whether anything of the set was not taken back.
func (s *set) remains() bool {
	return slices.ContainsFunc(s.members, func(m *step) bool { return !m.taken })
}

// isUndone reports whether all of the set was taken back and not made again since.
func (s *set) isUndone() bool {
	return len(s.members) > 0 && !slices.ContainsFunc(s.members, func(m *step) bool { return !m.isUndone() })
}

// origin returns the set that a set goes back to, through all that took it back and made
// it again: what a person remembers.
func (j *journal) origin(s *set) *set {
	for s.isUndo() || s.isRedo() {
		before := j.byNo[s.source.Undoes]
		if before == nil || before.number >= s.number {
			break // its entry is pruned, or damaged
		}
		s = before
	}
	return s
}

// journal is the history by change sets, in the order in which they began.
type journal struct {
	sets  []*set
	byNo  map[uint64]*set
	steps map[key]*step
	redo  []*set // those that took others back, since one's own last edit

	unread map[entity.ID]unread // the texts that do not parse
}

// unread is a text that does not parse.
type unread struct {
	left *step  // what left it so
	by   uint64 // the set that puts something else in its place, of which nothing more is known yet; 0: none
}

func newJournal() *journal {
	return &journal{byNo: make(map[uint64]*set), steps: make(map[key]*step), unread: make(map[entity.ID]unread)}
}

// readJournal reads all of the history, without the texts.
func readJournal(log *history.Log) (*journal, error) {
	j := newJournal()
	return j, log.Each(func(e *history.Entry) bool {
		j.add(e)
		return true
	})
}

// add takes in the next entry.
func (j *journal) add(e *history.Entry) {
	if e.Kind == history.Lost {
		return
	}
	s := j.setOf(e)
	if e.Kind == history.Bulk {
		s.bulk = true
		return
	}
	k := key{s.number, e.ID}
	m := j.steps[k]
	if m == nil {
		if e.Kind == history.Mended && e.Undoes == 0 {
			j.unread[e.ID] = unread{j.unread[e.ID].left, s.number}
			return // the text that came is an entry of its own, if it changes anything
		}
		m = &step{key: k, undoes: e.Undoes}
		if u := j.unread[e.ID]; u.by == 0 || u.by == s.number {
			m.found = u.left
		}
		j.steps[k] = m
		s.members = append(s.members, m)
		if was := j.steps[key{e.Undoes, e.ID}]; was != nil && was != m { // itself: the entry is damaged
			was.taken, was.taker = true, m
		}
	}
	m.add(e)
	if delete(j.unread, e.ID); m.broken != 0 {
		j.unread[e.ID] = unread{left: m}
	}
}

// add takes in an entry about the step.
func (m *step) add(e *history.Entry) {
	m.time = e.Time
	m.cut = m.cut || e.Cut
	switch e.Kind {
	case history.Changed:
		if m.first == 0 {
			m.first, m.created = e.Position, e.Was == nil && !e.Cut
		}
		m.last, m.deleted, m.broken = e.Position, e.Is == nil && !e.Cut, 0
	case history.Broken:
		m.broken = e.Position
	case history.Mended:
		m.broken = 0
	case history.Marked:
		if m.marked[0] == 0 {
			m.marked[0] = e.Position
		}
		m.marked[1] = e.Position
	}
}

// isByTypes reports whether a change of types, and no edit, made a text unreadable.
func (j *journal) isByTypes(m *step) bool { return m.broken != 0 && j.byNo[m.set].by == cache.ByTypes }

// goesBackToTypes is isByTypes, also of a text that undoing has put back.
func (j *journal) goesBackToTypes(m *step) bool {
	for m != nil && m.broken != 0 && j.byNo[m.set].isUndo() {
		undone := j.steps[key{m.undoes, m.id}]
		if undone == nil || undone.set >= m.set {
			return false // its entry is pruned, or damaged
		}
		m = undone.found
	}
	return m != nil && j.isByTypes(m)
}

// setOf returns the set that an entry is of.
func (j *journal) setOf(e *history.Entry) *set {
	number, old := e.Set, e.Set == 0
	if old {
		number = e.Position
	}
	if s := j.byNo[number]; s != nil {
		s.time = e.Time
		return s
	}
	s := &set{number: number, time: e.Time, by: e.By, note: e.Note, source: e.Source, old: old}
	j.byNo[number] = s
	j.sets = append(j.sets, s)
	switch {
	case s.isUndo():
		j.redo = append(j.redo, s)
	case s.isOwn() && !s.isRedo():
		for _, r := range j.redo {
			r.ended = true
		}
		j.redo = nil
	}
	return s
}

// mayTake reports whether a step is one that undoing takes back.
func (j *journal) mayTake(m *step, any bool) bool {
	s := j.byNo[m.set]
	if m.taken || s.isUndo() && !any {
		return false
	}
	return any || s.isOwn()
}

// lastSet returns the last of one's own sets of which something was not taken back, nil if
// there is none.
func (j *journal) lastSet() *set {
	for _, s := range slices.Backward(j.sets) {
		if slices.ContainsFunc(s.members, func(m *step) bool { return j.mayTake(m, false) }) {
			return s
		}
	}
	return nil
}

// lastOf returns the last step of an entity that may be taken back, nil if there is none.
func (j *journal) lastOf(id entity.ID, any bool) *step {
	for _, s := range slices.Backward(j.sets) {
		if m := j.steps[key{s.number, id}]; m != nil && j.mayTake(m, any) {
			return m
		}
	}
	return nil
}

// lastUndone returns what was taken back last and can be made again, nil if there is none.
func (j *journal) lastUndone() *set {
	for _, s := range slices.Backward(j.redo) {
		if s.remains() {
			return s
		}
	}
	return nil
}
