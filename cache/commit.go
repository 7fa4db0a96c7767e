package cache

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// When edits are made durable and published. An edit is in state.db within a
// second of arriving even while others keep arriving.
const (
	commitQuiet  = 100 * time.Millisecond // after the last change
	commitMost   = 600 * time.Millisecond // after the first
	judgeQuiet   = 250 * time.Millisecond // a text is read as an entity once it has stood still
	publishQuiet = 300 * time.Millisecond // after the last change
	publishMost  = 2 * time.Second        // after the first
	retry        = time.Second            // after a failure
	publishShare = 20                     // publishing takes at most one part in so many of the time
)

// poke has run look at the clock again. The caller has mu.
func (w *World) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run makes edits durable and publishes them when their time has come.
func (w *World) run() {
	defer w.stopped.Done()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-w.wake:
		case <-timer.C:
		}
		timer.Reset(w.attend())
	}
}

// attend does what is due and returns how long nothing will be.
func (w *World) attend() time.Duration {
	now := w.now()
	commit, publish := w.due()
	if !commit.IsZero() && !now.Before(commit) {
		if err := w.commit(); err != nil {
			w.log.Error("edits are not durable", "error", err)
			return retry
		}
	}
	if !publish.IsZero() && !now.Before(publish) {
		if err := w.checkpoint(false); err != nil {
			w.log.Error("edits are not published", "error", err)
			return retry
		}
	}
	commit, publish = w.due()
	return max(untilFirst(w.now(), commit, publish), 5*time.Millisecond)
}

func untilFirst(now time.Time, times ...time.Time) time.Duration {
	wait := time.Hour
	for _, t := range times {
		if !t.IsZero() {
			wait = min(wait, t.Sub(now))
		}
	}
	return wait
}

// due returns when the next commit and the next checkpoint are to be; zero:
// nothing waits for one.
func (w *World) due() (commit, publish time.Time) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	c := w.clock
	if !c.dirtySince.IsZero() {
		commit = earlier(c.last.Add(commitQuiet), c.dirtySince.Add(commitMost))
	}
	if !c.unpublished.IsZero() {
		publish = earlier(c.last.Add(publishQuiet), c.unpublished.Add(publishMost+publishShare*c.published))
	}
	return commit, publish
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// SyncAll returns when all edits are durable; they need not be in the pack.
func (w *World) SyncAll() error { return w.commit() }

// commit makes all edits durable in one update of state.db. Callers that come
// while one is under way share the next.
func (w *World) commit() error {
	w.committing.Lock()
	defer w.committing.Unlock()
	w.mu.Lock()
	u, dirty := w.collect()
	w.mu.Unlock()
	if len(u.records) == 0 && len(u.meta) == 0 {
		return nil
	}
	err := w.store.apply(u)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failure = err
	if err != nil {
		w.uncollect(dirty)
	}
	return err
}

// collect returns the update that makes all that is dirty durable, and notes
// it as done. The caller has mu.
func (w *World) collect() (u update, dirty []*slot) {
	u.records, u.meta = make(map[entity.ID]*record), make(map[string][]byte)
	for id, s := range w.dirty {
		u.records[id] = w.recordOf(s)
		s.dirty, s.recorded = false, true
		dirty = append(dirty, s)
	}
	clear(w.dirty)
	if len(dirty) > 0 {
		u.meta[string(keySeq)] = binary.LittleEndian.AppendUint64(nil, w.seq)
	}
	if w.times.dirty {
		u.meta[string(keyDir)] = w.times.append(nil)
		w.times.dirty = false
	}
	w.clock.dirtySince = time.Time{}
	return u, dirty
}

func (w *World) uncollect(dirty []*slot) {
	for _, s := range dirty {
		s.dirty = true
		w.dirty[s.id] = s
	}
	w.times.dirty = true
	if w.clock.dirtySince.IsZero() {
		w.clock.dirtySince = w.now()
	}
}

func (d dirTimes) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(d.mtime.UnixNano()))
	return binary.LittleEndian.AppendUint64(dst, uint64(d.ctime.UnixNano()))
}

// recordOf returns what state.db is to hold of a slot. The caller has mu.
func (w *World) recordOf(s *slot) *record {
	r := &record{gone: s.file == nil, unpublished: s.unpublished, seq: s.seq, goodNone: s.origin == nowhere}
	if s.file != nil {
		s.file.mu.Lock()
		defer s.file.mu.Unlock()
		r.attr = s.file.attr
		if !s.rendersFromPack() {
			r.hasText = s.file.held || s.stored
			r.keepText = s.stored && !s.file.held
			r.text = append([]byte(nil), s.file.text...)
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
	return s.judged && s.canonical && !s.problem && s.origin == inThePack && s.version == s.file.version
}

// settle reads as entities the texts that have changed: all of them, or those
// that have stood still for a while. Until then an entity goes on with its last
// good values.
func (w *World) settle(all bool) error {
	type job struct {
		id entity.ID
		f  *File
	}
	var jobs []job
	w.mu.Lock()
	now := w.now()
	for id, s := range w.unjudged {
		if s.file == nil || s.judged {
			delete(w.unjudged, id)
		} else if all || now.Sub(s.at) >= judgeQuiet {
			jobs = append(jobs, job{id, s.file})
		}
	}
	w.mu.Unlock()
	for _, j := range jobs {
		if err := w.judge(j.id, j.f); err != nil {
			return err
		}
	}
	return nil
}

// judge reads a file's text as an entity.
func (w *World) judge(id entity.ID, f *File) error {
	text, version, err := f.bytes()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	res, broken := textcodec.Decode(text, id, w.Types())
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.slots[id]
	if s == nil || s.file != f || !f.isVersion(version) {
		return nil
	}
	s.judged, s.version, s.problem, s.findings = true, version, broken != nil, res.Findings
	if broken != nil {
		s.canonical = false
		s.findings = []entity.Finding{w.brokenFinding(id, s, broken)}
		return nil
	}
	s.canonical = res.Canonical
	w.accept(id, s, res.Entity)
	if !res.Canonical && len(s.findings) == 0 {
		s.findings = []entity.Finding{notCanonical(res.Entity)}
	}
	return nil
}

// accept makes e the last good values of id. The caller has mu.
func (w *World) accept(id entity.ID, s *slot, e *entity.Entity) {
	if in, ok := w.pack.Get(id); ok && in.Equal(e) && sameType(in, e) {
		s.origin, s.good = inThePack, nil
		return
	}
	s.origin, s.good = itsOwn, e
}

// sameType reports whether both are of one declaration of their type, not of
// an older and a newer one.
func sameType(a, b *entity.Entity) bool {
	s, t := a.Layout.Type, b.Layout.Type
	return s == t || s.Unknown && t.Unknown
}
