package table

import (
	"fmt"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/groupcommit"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/textcodec"
)

// committer makes what the table has durable, in batches that callers share.
type committer struct {
	table  *Table
	store  *state.Store
	counts counts

	waiting    groupcommit.Group // has a lock of its own
	committing lockorder.Mutex   // one update of state.db from slots at a time; taken before Table.mu
	unfinished []state.Update    // of publishings, that state.db could not take; guarded by committing
}

// SyncAll returns when all edits are durable; they need not be in the pack.
func (t *Table) SyncAll() error { return t.commits.commitUpTo(t.generation()) }

// generation returns a number that goes up with every edit.
func (t *Table) generation() uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.edited
}

// commitUpTo makes all edits up to a generation durable. Callers that wait at the
// same time share a commit.
func (c *committer) commitUpTo(generation uint64) error {
	if c.table.isDurable(generation) {
		return nil
	}
	b, leads := c.waiting.Join(generation)
	if leads {
		return c.commitBatch(b, c.store.ApplyFast)
	}
	return b.Wait()
}

func (t *Table) isDurable(generation uint64) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.durable >= generation && t.failure == nil
}

// commit makes everything durable that is not yet, and brings state.db up to date
// with its log, in one update of state.db.
func (c *committer) commit() error {
	return c.commitBatch(groupcommit.New(), func(u state.Update) error {
		if u.IsEmpty() {
			return c.store.Flush()
		}
		return c.store.Apply(u)
	})
}

// commitBatch makes the commit that others wait for as b.
func (c *committer) commitBatch(b *groupcommit.Commit, apply func(state.Update) error) error {
	c.committing.Lock()
	defer c.committing.Unlock()
	c.waiting.Begin(b)
	err := c.commitByLocked(apply)
	c.waiting.End(err)
	return err
}

// commitByLocked has apply make everything durable that is not yet, in one update. The
// caller has committing, and has begun a batch.
func (c *committer) commitByLocked(apply func(state.Update) error) error {
	if err := c.flushDueLocked(); err != nil {
		c.table.fail(err)
		return err
	}
	c.table.mu.Lock()
	u, dirty := c.table.collectLocked()
	generation := c.table.edited
	c.table.mu.Unlock()
	c.waiting.Collected(generation)
	done := func() {}
	if !u.IsEmpty() {
		done = c.counts.commits.Start()
	}
	err := apply(u)
	done()
	c.counts.wrote(u)
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	c.table.failure = err
	if err != nil {
		c.table.uncollect(dirty)
	} else {
		c.table.durable = generation
	}
	if !c.store.FlushDue().IsZero() {
		c.table.pokeLocked() // state.db is to follow its log
	}
	return err
}

// flushDueLocked brings state.db up to date with what must not wait any longer. The
// caller has committing.
func (c *committer) flushDueLocked() error {
	if err := c.applyUnfinishedLocked(); err != nil {
		return err
	}
	if due := c.store.FlushDue(); due.IsZero() || c.table.now().Before(due) {
		return nil
	}
	return c.store.Flush()
}

// applyUnfinishedLocked puts into state.db what it could not take before, in the order in
// which it happened. The caller has committing.
func (c *committer) applyUnfinishedLocked() error {
	for len(c.unfinished) > 0 {
		if err := c.store.Apply(c.unfinished[0]); err != nil {
			return fmt.Errorf("publish pack: %w", err)
		}
		c.unfinished = c.unfinished[1:]
		c.table.mu.Lock()
		c.table.failure = nil
		c.table.mu.Unlock()
	}
	return nil
}

// fail notes that state.db cannot be written, and has it tried again.
func (t *Table) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failure = err
	if t.clock.dirtySince.IsZero() {
		t.clock.dirtySince = t.now()
	}
	t.pokeLocked()
}

// collectLocked returns the update that makes all that is dirty durable, and notes
// it as done. The caller has mu.
func (t *Table) collectLocked() (u state.Update, dirty []*slot) {
	u.Records = make(map[entity.ID]*state.Record)
	t.collectEmptiedLocked()
	for id, s := range t.dirty {
		u.Records[id] = t.recordOfLocked(s)
		s.dirty, s.recorded = false, true
		dirty = append(dirty, s)
	}
	t.dirty = make(map[entity.ID]*slot) // one that has had many is long to go through, even empty
	if len(dirty) > 0 {
		u.SetSeq(t.seq)
	}
	t.collectTimesLocked(&u)
	t.clock.dirtySince = time.Time{}
	return u, dirty
}

func (t *Table) uncollect(dirty []*slot) {
	for _, s := range dirty {
		s.dirty = true
		t.dirty[s.id] = s
	}
	t.uncollectTimesLocked()
	if t.clock.dirtySince.IsZero() {
		t.clock.dirtySince = t.now()
	}
}

// recordOfLocked returns what state.db is to hold of a slot. The caller has mu.
func (t *Table) recordOfLocked(s *slot) *state.Record {
	r := &state.Record{Gone: s.file == nil, Unpublished: s.unpublished, Seq: s.seq, GoodNone: s.origin == nowhere}
	if s.unpublished || !s.judged || s.problem {
		r.By, r.Source = s.recordedCause()
	}
	if s.file == nil {
		r.Attr.Ctime = s.at
	} else {
		s.file.mu.Lock()
		defer s.file.mu.Unlock()
		r.Attr = s.file.attrsLocked()
		if !s.rendersFromPackLocked() {
			r.HasText = s.file.held || s.stored
			r.KeepText = s.stored && !s.file.held
			text, _ := s.file.textLocked()
			if was := t.emptyWasLocked(s); was != nil {
				text = was
			}
			r.Text = append([]byte(nil), text...)
		}
	}
	s.stored = r.HasText
	if s.origin == itsOwn && (s.file == nil || !s.judged || s.problem) {
		r.HasGood, r.Good = true, textcodec.Append(nil, s.good)
	}
	return r
}

// rendersFromPackLocked reports whether rendering what the pack has gives the
// file's bytes. The caller has mu and the file's.
func (s *slot) rendersFromPackLocked() bool {
	_, version := s.file.textLocked()
	return s.judged && s.canonical && !s.problem && s.origin == inThePack && s.version == version
}
