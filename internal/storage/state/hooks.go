package state

import (
	"time"

	"github.com/worldfs/worldfs/internal/storage/wal"
)

// Hooks break a store, for tests of the packages above.
type Hooks struct{ s *Store }

// Hooks returns what tests break the store with.
func (s *Store) Hooks() Hooks { return Hooks{s} }

// Close closes state.db and its log, so that every later update fails.
func (h Hooks) Close() error {
	h.s.writing.Lock()
	defer h.s.writing.Unlock()
	h.s.behind = true // the log takes nothing, either
	h.s.closeLogLocked()
	return h.s.db.Close()
}

// BlankLog puts a log without records in the place of the one that is used.
func (h Hooks) BlankLog() error {
	log, err := wal.Create(h.s.disk, h.s.logPath, h.s.salt)
	if err != nil {
		return err
	}
	return log.Close()
}

// Lock lets no update begin until unlock is called.
func (h Hooks) Lock() (unlock func()) {
	h.s.writing.Lock()
	return h.s.writing.Unlock
}

// BreakDatabase has every later update of state.db fail, but not of its log.
func (h Hooks) BreakDatabase() error { return h.s.db.Close() }

// Hold has state.db take nothing until release is called.
func (h Hooks) Hold() (release func() error, err error) {
	tx, err := h.s.db.db.Begin(true)
	if err != nil {
		return nil, err
	}
	return tx.Rollback, nil
}

// ForgetLog has the next update that goes into the log make a new one, as the first
// does.
func (h Hooks) ForgetLog() error {
	if err := h.s.Flush(); err != nil {
		return err
	}
	h.s.writing.Lock()
	defer h.s.writing.Unlock()
	h.s.closeLogLocked()
	h.s.noLogUntil = time.Time{}
	return nil
}
