// Package vcswatch sees to it that git or svn hears of what happens in a world while a
// process has it: with vcs.auto, that entities were created and deleted, and always,
// where svn has the world, that a deletion is on record which svn's next update would
// undo (see package vcssync), where a change of the layout has moved the files that svn
// was to add, and the sides of what it could not merge (see svnsides).
//
// It never runs git or svn itself: what they do goes through the mount, and a daemon that
// starts a process in its own mount can wait for itself. It has a process of worldfs do
// so. It looks twice a second whether anything has changed, which costs nothing.
//
// One goroutine, Run. deletions.mu guards what Named adds; it is a leaf.
package vcswatch

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/svnsides"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// When a Watch acts.
const (
	lookEvery  = 500 * time.Millisecond
	noteAfter  = 50 * time.Millisecond   // the first deletion: more may follow
	quiet      = 2500 * time.Millisecond // after the last edit: a file that is made anew is there again by then
	retryFirst = 2 * time.Second         // after a call that failed
	maxRetry   = 15 * time.Second
	maxEnding  = 10 * time.Second // for which the end of a mount waits for a call
)

// Options are what a Watch needs.
type Options struct {
	Dir     *worlddir.Dir // beneath the mount
	Command []string      // runs worldfs
	Edits   func() uint64
	Scratch func() (string, error) // where the files are that version control puts beside entities'
	Layout  func() layout.Layout
	Log     *slog.Logger
}

// Watch sees what happens in a mount. A nil one sees nothing.
type Watch struct {
	Options
	deletions *deletions    // nil: svn does not have the world
	calling   chan struct{} // has one element while a call runs, or none may begin

	beside  bool // svn may have put the sides of a conflict there; this and what follows are Run's, and Hold's meanwhile
	pending bool // there may be something to tell
	seen    stamp
	tell    attempt
	layout  layout.Layout // that svn was told of
	move    attempt
}

// attempt says when something is tried.
type attempt struct {
	due   time.Time
	retry time.Duration // after a call that failed
}

func from(due time.Time) attempt { return attempt{due, retryFirst} }

// failed has the next one come later than this one did.
func (a *attempt) failed(now time.Time) {
	a.due = now.Add(a.retry)
	a.retry = min(2*a.retry, maxRetry)
}

// stamp is another one when a file may have come or gone.
type stamp struct {
	edits uint64
	types time.Time
}

// New returns a Watch of a world that lies in a working copy of git or svn, nil for
// another. It looks for that by the world's path, so it comes before the mount.
func New(o Options) *Watch {
	any, svn := vcssync.Uses(o.Dir.Root)
	if !any || len(o.Command) == 0 {
		return nil
	}
	w := &Watch{Options: o, calling: make(chan struct{}, 1), tell: from(time.Time{}), move: from(time.Time{})}
	if svn {
		w.layout = o.Layout()
		w.deletions = newDeletions(o.Dir, o.Layout)
	}
	return w
}

// Named notes that an entity's file came or went, by a thread or, for 0, this process.
func (w *Watch) Named(id entity.ID, there bool, thread uint32) {
	if w != nil && w.deletions != nil {
		w.deletions.named(id, there, thread)
	}
}

// TakenIn notes what was deleted in a Session.
func (w *Watch) TakenIn(s *Session) {
	if w == nil || w.deletions == nil {
		return
	}
	gone, err := s.Deleted()
	if err != nil {
		w.Log.Error("what svn has to be told is not on record", "error", err)
	}
	for _, id := range gone {
		w.deletions.named(id, false, 0)
	}
}

// Note is vcssync.Note that knows of what is not on record yet.
func (w *Watch) Note(dir *worlddir.Dir, u vcssync.Update) (vcssync.Record, error) {
	if w != nil && w.deletions != nil {
		if err := w.deletions.flush(); err != nil {
			return vcssync.Record{}, err
		}
		w.deletions.forget(u.Drop)
	}
	return vcssync.Note(dir, u)
}

// Run is the Watch's life, until the mount has ended.
func (w *Watch) Run(done <-chan struct{}) {
	if w == nil {
		return
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-w.wake():
			time.Sleep(noteAfter)
			w.Flush()
			continue
		case <-ticker.C:
		}
		select {
		case w.calling <- struct{}{}:
			w.look(time.Now())
			<-w.calling
		default: // the mount is about to end
		}
	}
}

func (w *Watch) wake() <-chan struct{} {
	if w.deletions == nil {
		return nil
	}
	return w.deletions.wake
}

// Flush puts on record what is not yet.
func (w *Watch) Flush() {
	if w == nil || w.deletions == nil {
		return
	}
	if err := w.deletions.flush(); err != nil {
		w.Log.Error("what svn has to be told is not on record", "error", err)
	}
}

// look does what is due.
func (w *Watch) look(now time.Time) {
	if w.deletions != nil && w.deletions.takeToAsk() {
		_ = w.call("--note") // it is in the log; what is not known is on record all the same
	}
	if s := w.stamp(); s == w.seen && w.beside {
		w.beside = false
		w.keepSides()
	} else if s != w.seen {
		w.beside = w.deletions != nil
		w.seen, w.pending, w.tell = s, true, from(now.Add(quiet))
	}
	if !now.Before(w.move.due) {
		w.tellMoved(now)
	}
	if !w.pending || now.Before(w.tell.due) {
		return
	}
	if !w.wanted() {
		w.pending = false
		return
	}
	if w.call("--auto") == nil {
		w.pending = false
		return
	}
	w.tell.failed(now)
}

// tellMoved tells svn of a change of the layout, where there was one. Most often an update of
// svn's has made it, which may still run.
func (w *Watch) tellMoved(now time.Time) {
	if w.deletions == nil {
		return
	}
	l := w.Layout()
	if l == w.layout {
		return
	}
	if w.call("--moved") != nil {
		w.move.failed(now)
		return
	}
	w.layout, w.move = l, from(now)
}

// keepSides keeps the sides of conflicts, which svn forgets when they are resolved. They are
// where this process sees them without its own mount.
func (w *Watch) keepSides() {
	dir, err := w.Scratch()
	if err == nil {
		err = svnsides.RecordBeside(w.Dir, dir, (*worlddir.Dir).Keep)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Log.Warn("the sides of conflicts are not kept", "error", err)
	}
}

func (w *Watch) stamp() stamp {
	s := stamp{edits: w.Edits()}
	if info, err := os.Lstat(w.Dir.TypesPath()); err == nil {
		s.types = info.ModTime()
	}
	return s
}

// wanted reports whether world.toml says vcs.auto = true now: a checkout may change it.
func (w *Watch) wanted() bool {
	now := *w.Dir
	return now.Configure(nil) == nil && now.Settings.VCSAuto
}

// call has a process of worldfs run vcs sync.
func (w *Watch) call(how string) error {
	args := append(w.Command[1:len(w.Command):len(w.Command)], "-C", w.Dir.Root, "vcs", "sync", how)
	cmd := exec.Command(w.Command[0], args...)
	cmd.Dir = "/" // the process goes into the mount by itself: this one would wait for it
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	if err != nil {
		w.Log.Warn("version control is not told", "error", err, "said", strings.TrimSpace(said.String()))
	} else {
		w.Log.Debug("version control", "said", strings.TrimSpace(said.String()))
	}
	return err
}

// Hold has no call begin until release is called, and waits for one that runs: what is
// killed halfway leaves a lock. With tell, what has changed and was not told yet is told
// first.
func (w *Watch) Hold(tell bool) (release func()) {
	if w == nil {
		return func() {}
	}
	select {
	case w.calling <- struct{}{}:
	case <-time.After(maxEnding):
		return func() {}
	}
	w.Flush()
	if tell {
		w.tellMoved(time.Now())
	}
	if tell && (w.pending || w.stamp() != w.seen) && w.wanted() {
		_ = w.call("--auto") // it is on record, and in the log
	}
	return func() { <-w.calling }
}
