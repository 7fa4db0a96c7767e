package cache

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/worldfs/worldfs/entity"
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
		return w.commitBatch(b, w.store.applySoon)
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
	return w.commitBatch(newBatch(), func(u update) error {
		if u.isEmpty() {
			return w.store.settle()
		}
		return w.store.apply(u)
	})
}

// commitBatch makes the commit that others wait for as b.
func (w *World) commitBatch(b *batch, apply func(update) error) error {
	w.committing.Lock()
	defer w.committing.Unlock()
	w.commits.begin(b)
	err := w.commitBy(apply)
	w.commits.end(err)
	return err
}

// commitBy has apply make everything durable that is not yet, in one update. The
// caller has committing, and has begun a batch.
func (w *World) commitBy(apply func(update) error) error {
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
	if !u.isEmpty() {
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
	if !w.store.settleDue().IsZero() {
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
	if due := w.store.settleDue(); due.IsZero() || w.now().Before(due) {
		return nil
	}
	return w.store.settle()
}

// applyUnfinished tells state.db what it could not take before, in the order in
// which it happened. The caller has committing.
func (w *World) applyUnfinished() error {
	for len(w.unfinished) > 0 {
		if err := w.store.apply(w.unfinished[0]); err != nil {
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
func (w *World) collect() (u update, dirty []*slot) {
	u.records, u.meta = make(map[entity.ID]*record), make(map[string][]byte)
	w.collectEmptied()
	for id, s := range w.dirty {
		u.records[id] = w.recordOf(s)
		s.dirty, s.recorded = false, true
		dirty = append(dirty, s)
	}
	w.dirty = make(map[entity.ID]*slot) // one that has had many is long to go through, even empty
	if len(dirty) > 0 {
		u.meta[string(keySeq)] = binary.LittleEndian.AppendUint64(nil, w.seq)
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

func (d dirTimes) append(dst []byte) []byte {
	return appendTime(appendTime(dst, d.mtime), d.ctime)
}

// recordOf returns what state.db is to hold of a slot. The caller has mu.
func (w *World) recordOf(s *slot) *record {
	r := &record{gone: s.file == nil, unpublished: s.unpublished, seq: s.seq, goodNone: s.origin == nowhere}
	if s.file == nil {
		r.attr.Ctime = s.at
	} else {
		s.file.mu.Lock()
		defer s.file.mu.Unlock()
		r.attr = s.file.attrs()
		if !s.rendersFromPack() {
			r.hasText = s.file.held || s.stored
			r.keepText = s.stored && !s.file.held
			text, _ := s.file.text()
			if was := w.emptyWas(s); was != nil {
				text = was
			}
			r.text = append([]byte(nil), text...)
		}
	}
	s.stored = r.hasText
	if s.origin == itsOwn && (s.file == nil || !s.judged || s.problem) {
		r.hasGood, r.good = true, textcodec.Append(nil, s.good)
	}
	return r
}

// rendersFromPack reports whether rendering what the pack has gives the
// file's bytes. The caller has mu and the file's.
func (s *slot) rendersFromPack() bool {
	_, version := s.file.text()
	return s.judged && s.canonical && !s.problem && s.origin == inThePack && s.version == version
}
