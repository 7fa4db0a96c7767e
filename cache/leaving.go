package cache

import "time"

// Where many files are gone it is as a rule no deletion but a checkout on its way,
// which removes all files before it writes them where they belong now. So they are
// neither published nor told as deleted before the names have been quiet: a great
// loss for lossPatience, and others for as long as one deletion is provisional.
const (
	lossPatience = 10 * time.Second
	lossMost     = 5 * time.Minute // they count after this however busy the names are
	lossIdle     = time.Hour       // a loss that waits is looked at again only after an edit, or this
)

// leavings is what is known of many files that go at once. Guarded by World.mu.
type leavings struct {
	since time.Time // when they began to be many; zero: they are not
	until time.Time // until then no deletion counts, if no name changes any more
}

// noteName notes that an entity's file went or came. The caller has mu.
func (w *World) noteName() {
	now := w.now()
	if !w.isLeaving(now) {
		w.leavings = leavings{}
	}
	many, great := w.manyGone()
	if many && w.leavings.since.IsZero() {
		w.leavings.since = now
	}
	if w.leavings.since.IsZero() {
		return
	}
	quiet := provisional
	if great {
		quiet = w.lossPatience
	}
	w.leavings.until = earlier(now.Add(quiet), w.leavings.since.Add(lossMost))
}

// NoteName notes that a file with the name of an entity's came where no entity's file
// lies. Where many are gone it may be one of them, on its way to where another layout
// has it.
func (w *World) NoteName() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isLeaving(w.now()) {
		w.noteName()
	}
}

// manyGone reports whether as many files are gone as a great loss begins with, and
// whether it is one. The caller has mu.
func (w *World) manyGone() (many, great bool) {
	had := w.pack.Len()
	great = isGreatLoss(had, w.gone)
	return great || w.gone >= lossLeast, great
}

// isLeaving reports whether no deletion counts yet because many files have just gone.
// The caller has mu.
func (w *World) isLeaving(now time.Time) bool { return now.Before(w.leavings.until) }

// mustWaitForNames reports whether nothing is to be published yet because many files
// have just gone, and puts the next checkpoint off as long.
func (w *World) mustWaitForNames() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.isLeaving(w.now()) {
		return false
	}
	w.clock.waits = w.leavings.until
	return true
}

// isProvisional reports whether the deletion of a file that is gone does not count
// yet, however long ago it was: many others have just gone, or so many are gone that
// nothing is published. The caller has mu.
func (w *World) isProvisional(now time.Time) bool {
	_, great := w.manyGone()
	return great || w.isLeaving(now)
}

// AwaitNames returns when no great loss is waited for to come back: it did, or is
// there to stay; or when done is closed.
func (w *World) AwaitNames(done <-chan struct{}) {
	for {
		wait := w.untilNames()
		if wait <= 0 {
			return
		}
		select {
		case <-done:
			return
		case <-time.After(min(wait, 50*time.Millisecond)):
		}
	}
}

// untilNames returns for how long a great loss is waited for to come back.
func (w *World) untilNames() time.Duration {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if _, great := w.manyGone(); !great {
		return 0
	}
	return w.leavings.until.Sub(w.now())
}
