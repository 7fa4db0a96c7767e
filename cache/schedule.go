package cache

import (
	"errors"
	"time"
)

// When edits are made durable and published. An edit is in state.db within a
// second of arriving even while others keep arriving.
const (
	commitQuiet    = 100 * time.Millisecond // after the last change
	maxCommitWait  = 600 * time.Millisecond // after the first
	judgeQuiet     = 250 * time.Millisecond // a text is read as an entity once it has stood still
	publishQuiet   = 300 * time.Millisecond // after the last change
	maxPublishWait = 2 * time.Second        // after the first
	retry          = time.Second            // after a failure
	publishSaving  = 100 * time.Millisecond // after a checkpoint that gave way to a save
	publishShare   = 20                     // publishing takes at most one part in so many of the time
)

// pokeLocked has run look at the clock again. The caller has mu.
func (t *table) pokeLocked() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// run makes edits durable and publishes them when their time has come.
func (w *World) run() {
	defer w.stopped.Done()
	w.keepOpened()
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

// keepOpened makes the copy durable of the pack that the world was opened with:
// opening it does not wait for that.
func (w *World) keepOpened() {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	w.packs.KeepDurably(w.pack)
}

// attend does what is due and returns how long nothing will be.
func (w *World) attend() time.Duration {
	now := w.now()
	commit, publish := w.due()
	if !commit.IsZero() && !now.Before(commit) {
		if err := w.commits.commit(); err != nil {
			w.log.Error("edits are not durable", "error", err)
			return retry
		}
	}
	if judge := w.judgeDue(); !judge.IsZero() && !now.Before(judge) {
		if err := w.judgeTexts(false); err != nil {
			w.log.Error("texts are not read", "error", err)
			return retry
		}
		w.noteJudged()
	}
	if !publish.IsZero() && !now.Before(publish) {
		err := w.checkpoint(false)
		if errors.Is(err, errSaving) {
			return publishSaving
		}
		if err != nil {
			w.log.Error("edits are not published", "error", err)
			return retry
		}
	}
	commit, publish = w.due()
	return max(untilFirst(w.now(), commit, publish, w.judgeDue()), 5*time.Millisecond)
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
		commit = earlier(c.last.Add(commitQuiet), c.dirtySince.Add(maxCommitWait))
	}
	if flush := w.store.FlushDue(); !flush.IsZero() && (commit.IsZero() || flush.Before(commit)) {
		commit = flush
	}
	if !c.unpublished.IsZero() {
		publish = later(earlier(c.last.Add(publishQuiet), c.unpublished.Add(maxPublishWait+publishShare*c.published)), c.waits)
	}
	if empty := w.emptiedDueLocked(); !empty.IsZero() && (commit.IsZero() || empty.Before(commit)) {
		commit = empty
	}
	if again := w.decls.typeIn.again; !again.IsZero() && (publish.IsZero() || again.Before(publish)) {
		publish = again
	}
	return commit, publish
}

// judgeDue returns when texts are to be looked at that may have stood still long
// enough: sooner than a checkpoint may come, since a person may watch.
func (t *table) judgeDue() time.Time {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.unjudged) == 0 {
		return time.Time{}
	}
	first := earlier(t.clock.last, t.clock.judged.Add(judgeQuiet))
	return first.Add(judgeQuiet)
}

func (t *table) noteJudged() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock.judged = t.now()
}

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
