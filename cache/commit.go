package cache

import (
	"fmt"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/state"
	"github.com/worldfs/worldfs/textcodec"
)

// SyncAll returns when all edits are durable; they need not be in the pack.
func (w *World) SyncAll() error { return w.commitUpTo(w.generation()) }

// generation returns a number that goes up with every edit.
func (w *World) generation() uint64 {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.edited
}

// commitUpTo makes all edits up to a generation durable, together with whoever
// else waits for some.
func (w *World) commitUpTo(generation uint64) error {
	if w.isDurable(generation) {
		return nil
	}
	b, leads := w.commits.join(generation)
	if leads {
		return w.commitBatch(b, w.store.ApplyFast)
	}
	return b.wait()
}

func (w *World) isDurable(generation uint64) bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.durable >= generation && w.failure == nil
}

// commit makes everything durable that is not yet, and brings state.db up to date
// with its log, in one update of state.db.
func (w *World) commit() error {
	return w.commitBatch(newBatch(), func(u state.Update) error {
		if u.IsEmpty() {
			return w.store.Flush()
		}
		return w.store.Apply(u)
	})
}

// commitBatch makes the commit that others wait for as b.
func (w *World) commitBatch(b *batch, apply func(state.Update) error) error {
	w.committing.Lock()
	defer w.committing.Unlock()
	w.commits.begin(b)
	err := w.commitBy(apply)
	w.commits.end(err)
	return err
}

// commitBy has apply make everything durable that is not yet, in one update. The
// caller has committing, and has begun a batch.
func (w *World) commitBy(apply func(state.Update) error) error {
	if err := w.settleInTime(); err != nil {
		w.fail(err)
		return err
	}
	w.mu.Lock()
	u, dirty := w.collect()
	generation := w.edited
	w.mu.Unlock()
	w.commits.collected(generation)
	done := func() {}
	if !u.IsEmpty() {
		done = w.counts.commits.start()
	}
	err := apply(u)
	done()
	w.counts.wrote(u)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failure = err
	if err != nil {
		w.uncollect(dirty)
	} else {
		w.durable = generation
	}
	if !w.store.FlushDue().IsZero() {
		w.poke() // run is to have state.db follow its log
	}
	return err
}

// settleInTime brings state.db up to date with what must not wait any longer. The
// caller has committing.
func (w *World) settleInTime() error {
	if err := w.applyUnfinished(); err != nil {
		return err
	}
	if due := w.store.FlushDue(); due.IsZero() || w.now().Before(due) {
		return nil
	}
	return w.store.Flush()
}

// applyUnfinished tells state.db what it could not take before, in the order in
// which it happened. The caller has committing.
func (w *World) applyUnfinished() error {
	for len(w.unfinished) > 0 {
		if err := w.store.Apply(w.unfinished[0]); err != nil {
			return fmt.Errorf("publish pack: %w", err)
		}
		w.unfinished = w.unfinished[1:]
		w.mu.Lock()
		w.failure = nil
		w.mu.Unlock()
	}
	return nil
}

// fail notes that state.db cannot be written, and has it tried again.
func (w *World) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failure = err
	if w.clock.dirtySince.IsZero() {
		w.clock.dirtySince = w.now()
	}
	w.poke()
}

// collect returns the update that makes all that is dirty durable, and notes
// it as done. The caller has mu.
func (w *World) collect() (u state.Update, dirty []*slot) {
	u.Records = make(map[entity.ID]*state.Record)
	for id, s := range w.dirty {
		u.Records[id] = w.recordOf(s)
		s.dirty, s.recorded = false, true
		dirty = append(dirty, s)
	}
	w.dirty = make(map[entity.ID]*slot) // one that has had many is long to go through, even empty
	if len(dirty) > 0 {
		u.SetSeq(w.seq)
	}
	w.collectTimes(&u)
	w.clock.dirtySince = time.Time{}
	return u, dirty
}

func (w *World) uncollect(dirty []*slot) {
	for _, s := range dirty {
		s.dirty = true
		w.dirty[s.id] = s
	}
	w.uncollectTimes()
	if w.clock.dirtySince.IsZero() {
		w.clock.dirtySince = w.now()
	}
}

// recordOf returns what state.db is to hold of a slot. The caller has mu.
func (w *World) recordOf(s *slot) *state.Record {
	r := &state.Record{Gone: s.file == nil, Unpublished: s.unpublished, Seq: s.seq, GoodNone: s.origin == nowhere}
	if s.file == nil {
		r.Attr.Ctime = s.at
	} else {
		s.file.mu.Lock()
		defer s.file.mu.Unlock()
		r.Attr = s.file.attrs()
		if !s.rendersFromPack() {
			r.HasText = s.file.held || s.stored
			r.KeepText = s.stored && !s.file.held
			text, _ := s.file.text()
			r.Text = append([]byte(nil), text...)
		}
	}
	s.stored = r.HasText
	if s.origin == itsOwn && (s.file == nil || !s.judged || s.problem) {
		r.HasGood, r.Good = true, textcodec.Append(nil, s.good)
	}
	return r
}

// rendersFromPack reports whether rendering what the pack has gives the
// file's bytes. The caller has mu and the file's.
func (s *slot) rendersFromPack() bool {
	_, version := s.file.text()
	return s.judged && s.canonical && !s.problem && s.origin == inThePack && s.version == version
}
