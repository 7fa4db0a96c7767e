package table

import (
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
)

// Publication is a pack that has taken the published one's place.
type Publication struct {
	Pack   *packfile.Pack
	View   *View                       // what it was made of
	Intake *Intake                     // what came in by it beyond edits, nil for nothing
	Notes  map[[32]byte]state.PackNote // what is to be remembered of packs
	Copy   func()                      // has a copy of the pack made durable
}

// Publish notes that another pack is the published one now: here, which the Invalidator
// is told of, and then in state.db. Where that cannot be written it is done later, with
// the next commit; after a crash before that, the pack's hash tells.
func (ctl *Control) Publish(p Publication) {
	t, c := ctl.table, ctl.table.commits
	c.committing.Lock()
	defer c.committing.Unlock()
	u := ctl.updateForLocked(p)
	if p.Intake != nil {
		p.Intake.announce()
	}
	// Before the edits in it are dropped: another program may write over it at once,
	// and the power fail meanwhile.
	p.Copy()
	c.unfinished = append(c.unfinished, u)
	if err := c.applyUnfinishedLocked(); err != nil {
		t.log.Error("state.db does not know of the published pack yet", "error", err)
		t.fail(err)
	}
}

// updateForLocked brings everything in step with the pack just published and returns
// what state.db is to be told. The caller has committing.
func (ctl *Control) updateForLocked(p Publication) state.Update {
	t := ctl.table
	t.mu.Lock()
	defer t.mu.Unlock()
	gone := ctl.unlinkedLocked()
	u := state.Update{Records: make(map[entity.ID]*state.Record)}
	u.SetPublished(p.Pack.Hash())
	u.Packs = p.Notes
	t.pack, t.types = p.Pack, p.Pack.Types()
	t.clock.unpublished = time.Time{}
	if p.Intake != nil {
		p.Intake.applyLocked(&u)
	}
	for id, s := range t.active {
		ctl.updateSlotLocked(id, s, p.View, &u)
	}
	t.waitForRestLocked()
	ctl.noteGoneLocked(gone)
	t.recount()
	return u
}

// updateSlotLocked brings an active slot in step with the pack just published. The
// caller has mu.
func (ctl *Control) updateSlotLocked(id entity.ID, s *slot, v *View, u *state.Update) {
	t := ctl.table
	if s.origin == itsOwn {
		if e, ok := t.pack.Get(id); ok && e.Equal(s.good) {
			s.origin, s.good = inThePack, nil
		}
	} else if s.origin == inThePack && !t.pack.Has(id) {
		s.origin = nowhere
	}
	if s.unpublished && (!v.hasLocked(s) || ctl.lacksLocked(s)) {
		if t.clock.unpublished.IsZero() {
			t.clock.unpublished = t.now()
		}
		ctl.judgeAgainLocked(s)
		return
	}
	if s.file == nil {
		t.feed.noteGoneTextLocked(s)
		t.forgetLocked(id)
		u.Records[id] = nil
		return
	}
	s.dropTextLocked()
	if s.unpublished || s.dirty {
		s.unpublished = false
		u.Records[id] = t.recordOfLocked(s)
		s.recorded, s.dirty = true, false
		delete(t.dirty, id)
	}
	if s.origin == inThePack && s.judged && t.pack.Has(id) {
		delete(t.active, id)
	}
}

// lacksLocked reports whether the pack just published does not have what a slot
// stands for. A file that came and went since the last one left it nothing to
// have. The caller has mu.
func (ctl *Control) lacksLocked(s *slot) bool {
	t := ctl.table
	if s.file == nil {
		return t.pack.Has(s.id)
	}
	return s.origin == itsOwn || !s.judged
}

// judgeAgainLocked has a text read once more that was found to be as the pack had it:
// another pack is in its place now. The caller has mu.
func (ctl *Control) judgeAgainLocked(s *slot) {
	t := ctl.table
	if s.file != nil && s.judged && !s.problem && s.origin == inThePack {
		s.judged = false
		t.unjudged[s.id] = s
	}
}

// dropTextLocked lets go of bytes that rendering what the pack has gives as well.
// The caller has mu.
func (s *slot) dropTextLocked() {
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	if s.file.held && s.rendersFromPackLocked() {
		s.file.own.text, s.file.held = nil, false
	}
}

// unlinked is an entity that has no file any more.
type unlinked struct {
	was    *entity.Entity
	writer *Writer // it removed the entity
	at     time.Time
}

// unlinkedLocked returns the entities that have no file any more, as they were. The
// caller has mu.
func (ctl *Control) unlinkedLocked() map[entity.ID]unlinked {
	t := ctl.table
	gone := make(map[entity.ID]unlinked)
	for id, s := range t.active {
		if s.file == nil {
			if e := t.valuesLocked(id, s); e != nil {
				gone[id] = unlinked{e, s.writer, s.at}
			}
		}
	}
	return gone
}

// noteGoneLocked notes which of the entities that had no file are gone for good now
// that the pack does not have them. The caller has mu.
func (ctl *Control) noteGoneLocked(all map[entity.ID]unlinked) {
	t := ctl.table
	for id, u := range all {
		if _, waits := t.slots[id]; !waits {
			t.feed.noteChangeLocked(id, u.was, nil, t.feed.editLocked(u.writer, u.at))
		}
	}
}

// IsPublished reports whether the pack that a view was made of is the view, and nothing
// waits for being published.
func (ctl *Control) IsPublished(v *View) bool {
	t := ctl.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(v.changes) > 0 || !t.clock.unpublished.IsZero() {
		return false
	}
	for _, s := range t.active {
		if s.unpublished {
			return false
		}
	}
	return true
}

// MustWait reports whether all that the pack does not have is still too young to be in
// it, as the view says. Then no checkpoint is due before it may be.
func (ctl *Control) MustWait(v *View) bool {
	t := ctl.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(v.changes) > 0 || v.types != t.pack.Types() && len(changedTypes(t.pack.Types(), v.types)) > 0 {
		return false
	}
	waits := false
	for _, s := range t.active {
		if s.unpublished && v.hasLocked(s) {
			return false
		}
		waits = waits || s.unpublished
	}
	t.waitForRestLocked()
	return waits
}

// Delay has nothing published before a time, or before something changes. With young it
// may be sooner: once what the pack does not have, and is still too young, may be in it.
func (ctl *Control) Delay(until time.Time, young bool) {
	t := ctl.table
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock.waits = until
	if young {
		t.waitForRestLocked()
	}
}

// waitForRestLocked puts the next checkpoint off until what the pack does not have may be
// in it: texts that still changed a moment ago before names that have just gone. Of
// each it waits for the last one, so that many are published at once. The caller has
// mu.
func (t *Table) waitForRestLocked() {
	var texts, names time.Time
	for _, s := range t.active {
		switch {
		case !s.unpublished:
		case s.file == nil:
			names = later(names, s.at.Add(provisional))
		default:
			texts = later(texts, s.at.Add(judgeQuiet))
		}
	}
	t.clock.waits = texts
	if texts.IsZero() {
		t.clock.waits = names
	}
}
