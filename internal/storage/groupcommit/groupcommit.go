// Package groupcommit has callers that wait for their edits to be durable share commits.
package groupcommit

import "sync"

// Group commit: a caller that waits for an edit to be durable waits for the commit
// under way, if that has the edit, or else for the next. The first caller that needs
// the next one is its leader and makes it for all that join before it begins. All of
// them are woken at once. With a lock that each caller takes in turn, to see whether
// anything is left to do, a late caller would overtake them and they would wait for
// one commit more. (DeWitt et al., "Implementation Techniques for Main Memory
// Database Systems", 1984.)

// Commit is a commit that callers can wait for.
type Commit struct {
	done   chan struct{} // closed when it is over
	err    error         // why nothing is durable; final once done is closed
	covers uint64        // the last edit that is in it, 0 until that is known
}

// New returns a commit that no caller waits for yet.
func New() *Commit { return &Commit{done: make(chan struct{})} }

// Wait returns when the commit is over.
func (b *Commit) Wait() error {
	<-b.done
	return b.err
}

// Group are the commit under way and the one after it.
type Group struct {
	mu      sync.Mutex
	running *Commit // nil: none
	next    *Commit // nil: no caller waits for it yet
}

// Join returns the commit to wait for that has an edit. leads says that the
// caller is to make it.
func (b *Group) Join(edit uint64) (commit *Commit, leads bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running != nil && b.running.covers >= edit {
		return b.running, false
	}
	if b.next == nil {
		b.next = New()
		leads = true
	}
	return b.next, leads
}

// Begin notes that a commit is under way: a caller that joins from now on may be
// too late for it.
func (b *Group) Begin(commit *Commit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = commit
	if b.next == commit {
		b.next = nil
	}
}

// Collected notes what is in the commit under way.
func (b *Group) Collected(edit uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running.covers = edit
}

// End tells all callers that wait what has come of the commit under way.
func (b *Group) End(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running.err = err
	close(b.running.done)
	b.running = nil
}
