package table

import "time"

// When edits are made durable and published. An edit is in state.db within a
// second of arriving even while others keep arriving.
const (
	commitQuiet    = 100 * time.Millisecond // after the last change
	maxCommitWait  = 600 * time.Millisecond // after the first
	judgeQuiet     = 250 * time.Millisecond // a text is read as an entity once it has stood still
	publishQuiet   = 300 * time.Millisecond // after the last change
	maxPublishWait = 2 * time.Second        // after the first
	publishShare   = 20                     // publishing takes at most one part in so many of the time
)

// pokeLocked has the caller of Wake look at what is due again. The caller has mu.
func (t *Table) pokeLocked() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Due returns when the next commit and the next checkpoint are to be; zero:
// nothing waits for one.
func (ctl *Control) Due() (commit, publish time.Time) {
	t := ctl.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	c := t.clock
	if !c.dirtySince.IsZero() {
		commit = earlier(c.last.Add(commitQuiet), c.dirtySince.Add(maxCommitWait))
	}
	if flush := t.store.FlushDue(); !flush.IsZero() && (commit.IsZero() || flush.Before(commit)) {
		commit = flush
	}
	if !c.unpublished.IsZero() {
		publish = later(earlier(c.last.Add(publishQuiet), c.unpublished.Add(maxPublishWait+publishShare*c.published)), c.waits)
	}
	if empty := t.emptiedDueLocked(); !empty.IsZero() && (commit.IsZero() || empty.Before(commit)) {
		commit = empty
	}
	return commit, publish
}

// JudgeDue returns when texts are to be looked at that may have stood still long
// enough: sooner than a checkpoint may come, since a person may watch.
func (ctl *Control) JudgeDue() time.Time {
	t := ctl.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.unjudged) == 0 {
		return time.Time{}
	}
	first := earlier(t.clock.last, t.clock.judged.Add(judgeQuiet))
	return first.Add(judgeQuiet)
}

// NoteJudged notes that texts have been looked at.
func (ctl *Control) NoteJudged() {
	t := ctl.table
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock.judged = t.now()
}

// NotePublishing notes how long it took to publish: the longer, the seldomer it is due.
func (ctl *Control) NotePublishing(took time.Duration) {
	ctl.table.mu.Lock()
	defer ctl.table.mu.Unlock()
	ctl.table.clock.published = took
}

// Wake has one element when what is due is to be looked at again.
func (ctl *Control) Wake() <-chan struct{} { return ctl.table.wake }

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
