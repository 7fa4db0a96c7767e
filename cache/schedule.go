package cache

import (
	"errors"
	"time"
)

// When something is tried again. When edits are made durable and published first, the
// table says.
const (
	retry         = time.Second            // after a failure
	publishSaving = 100 * time.Millisecond // after a checkpoint that gave way to a save
)

// run makes edits durable and publishes them when their time has come.
func (w *World) run() {
	w.keepOpened()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-w.control.Wake():
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
	w.packs.KeepDurably(w.published())
}

// attend does what is due and returns how long nothing will be.
func (w *World) attend() time.Duration {
	now := w.now()
	commit, publish := w.due()
	if !commit.IsZero() && !now.Before(commit) {
		if err := w.control.Commit(); err != nil {
			w.log.Error("edits are not durable", "error", err)
			return retry
		}
	}
	if judge := w.control.JudgeDue(); !judge.IsZero() && !now.Before(judge) {
		if err := w.control.JudgeTexts(false); err != nil {
			w.log.Error("texts are not read", "error", err)
			return retry
		}
		w.control.NoteJudged()
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
	return max(untilFirst(w.now(), commit, publish, w.control.JudgeDue()), 5*time.Millisecond)
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
	commit, publish = w.control.Due()
	if again := w.decls.read().again; !again.IsZero() && (publish.IsZero() || again.Before(publish)) {
		publish = again
	}
	return commit, publish
}
