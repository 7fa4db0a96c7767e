package table

import (
	"time"

	"github.com/worldfs/worldfs/internal/worldtree/greatloss"
)

// Where many files are gone it is as a rule no deletion but a checkout on its way,
// which removes all files before it writes them where they belong now. So they are
// neither published nor noted as deleted before the names have been quiet: a great
// loss for lossPatience, and others for as long as one deletion is provisional.
const (
	lossPatience = 10 * time.Second
	maxLossWait  = 5 * time.Minute // they count after this however busy the names are
)

// pendingDeletions is what is known of many files that go at once. Guarded by Table.mu.
type pendingDeletions struct {
	since time.Time // when they began to be many; zero: they are not
	until time.Time // until then no deletion counts, if no name changes any more
}

// noteNameLocked notes that an entity's file went or came. The caller has mu.
func (t *Table) noteNameLocked() {
	now := t.now()
	if !t.deletionsPendingLocked(now) {
		t.deletions = pendingDeletions{}
	}
	many, great := t.manyGoneLocked()
	if many && t.deletions.since.IsZero() {
		t.deletions.since = now
	}
	if t.deletions.since.IsZero() {
		return
	}
	quiet := provisional
	if great {
		quiet = t.lossPatience
	}
	t.deletions.until = earlier(now.Add(quiet), t.deletions.since.Add(maxLossWait))
}

// NoteName notes that a file with the name of an entity's came where no entity's file
// lies. Where many are gone it may be one of them, on its way to where another layout
// has it.
func (t *Table) NoteName() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.deletionsPendingLocked(t.now()) {
		t.noteNameLocked()
	}
}

// manyGoneLocked reports whether as many files are gone as a great loss begins with, and
// whether it is one. The caller has mu.
func (t *Table) manyGoneLocked() (many, great bool) {
	had := t.pack.Len()
	great = greatloss.Is(had, t.gone)
	return great || t.gone >= greatloss.Min, great
}

// deletionsPendingLocked reports whether no deletion counts yet because many files have just gone.
// The caller has mu.
func (t *Table) deletionsPendingLocked(now time.Time) bool { return now.Before(t.deletions.until) }

// MustWaitForNames reports whether nothing is to be published yet because many files
// have just gone, and puts the next checkpoint off as long.
func (ctl *Control) MustWaitForNames() bool {
	t := ctl.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.deletionsPendingLocked(t.now()) {
		return false
	}
	t.clock.waits = t.deletions.until
	return true
}

// isProvisionalLocked reports whether the deletion of a file that is gone does not count
// yet, however long ago it was: many others have just gone, or so many are gone that
// nothing is published. The caller has mu.
func (t *Table) isProvisionalLocked(now time.Time) bool {
	_, great := t.manyGoneLocked()
	return great || t.deletionsPendingLocked(now)
}

// AwaitNames returns when no great loss is waited for to come back: it did, or is
// there to stay; or when done is closed.
func (t *Table) AwaitNames(done <-chan struct{}) {
	for {
		wait := t.untilNames()
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

// AwaitsNames reports whether a great loss is waited for to come back.
func (t *Table) AwaitsNames() bool { return t.untilNames() > 0 }

// untilNames returns for how long a great loss is waited for to come back.
func (t *Table) untilNames() time.Duration {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if _, great := t.manyGoneLocked(); !great {
		return 0
	}
	return t.deletions.until.Sub(t.now())
}
