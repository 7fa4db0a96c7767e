package cache

import "time"

// A great loss is at least lossLeast entities and more than half of all gone since the
// last pack, or all of a smaller world. As a rule it is no deletion but a checkout on
// its way, which removes all files before it writes them where they belong now. So it
// is neither published nor told as a deletion before the names have been quiet.
const (
	lossLeast    = 100
	lossPatience = 10 * time.Second // quiet after which a great loss counts
	lossMost     = 5 * time.Minute  // after this it counts however busy the names are
)

// isGreatLoss reports whether it is one that gone of had entities are gone and left
// are there, new ones with them.
func isGreatLoss(had, gone, left int) bool {
	return gone >= lossLeast && 2*gone > had || had > 0 && gone == had && left < had
}

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
	great = isGreatLoss(had, w.gone, had-w.gone+len(w.extra))
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
