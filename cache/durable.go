package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/worldfs/worldfs/disk"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/wal"
)

// Where an update becomes durable. What somebody waits for goes into the
// write-ahead log, state.wal: one fdatasync, where a transaction of state.db
// takes two. Every transaction of state.db begins with what only the log has,
// and notes the number of the log's last record; then the log begins anew.
//
// Where the log cannot be written, or has no room left, state.db takes the
// update; where that has failed, the log takes none until it has not: what
// cannot come into state.db in the end is not to be called durable.

// aheadMost is how long an update is in the log and not in state.db.
const aheadMost = time.Second

// logAgain is how long no new log is made after one could not be written.
const logAgain = time.Second

// applySoon makes an update durable for somebody who waits.
func (s *store) applySoon(u update) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if u.isEmpty() && !s.behind {
		return nil
	}
	if s.logged(u) {
		return nil
	}
	return s.transact(u.put)
}

// apply makes an update durable in state.db.
func (s *store) apply(u update) error { return s.update(u.put) }

// settle brings state.db up to date with the log.
func (s *store) settle() error {
	if !s.isAhead() {
		return nil
	}
	return s.update(func(*stateTx) error { return nil })
}

// update runs a transaction of state.db, which is durable when it returns.
func (s *store) update(f func(tx *stateTx) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.transact(f)
}

// transact is update. The caller has writing.
func (s *store) transact(f func(tx *stateTx) error) error {
	err := s.db.Update(func(tx *stateTx) error {
		if err := s.ahead.put(tx); err != nil { // nobody changes it: that takes writing
			return err
		}
		if s.logNumber != s.noted {
			if err := tx.bucket(bucketMeta).Put(keyLog, logNote(s.salt, s.logNumber)); err != nil {
				return err
			}
		}
		return f(tx)
	})
	s.behind = err != nil
	if err != nil {
		return err
	}
	s.noted = s.logNumber
	s.mu.Lock()
	s.ahead, s.aheadSince = update{}, time.Time{}
	s.mu.Unlock()
	if s.wal != nil {
		s.wal.Begin()
	}
	return nil
}

// logged reports whether the log has taken an update. The caller has writing.
func (s *store) logged(u update) bool {
	if s.behind || !s.openLog() {
		return false
	}
	s.logNumber++ // whatever comes of it: if it fails, it may be found even so
	err := s.wal.Append(s.logNumber, u.appendTo(nil))
	if errors.Is(err, wal.ErrFull) {
		return false
	}
	if err != nil {
		s.warn("edits go into state.db, their log cannot be written", err)
		s.closeLog()
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead.add(u)
	if s.aheadSince.IsZero() {
		s.aheadSince = time.Now()
	}
	return true
}

// openLog reports whether there is a log to write, which it makes if need be. The
// one that it takes the place of has nothing any more that state.db does not: it
// failed, and state.db was written since, or it is another process's. The caller
// has writing.
func (s *store) openLog() bool {
	if s.wal != nil {
		return true
	}
	if s.inMemory {
		return false
	}
	if time.Now().Before(s.noLogUntil) {
		return false
	}
	if err := s.createLog(rand.Uint64()); err != nil {
		s.warn("edits go into state.db, there can be no log for them", err)
		s.closeLog()
		return false
	}
	return true
}

// createLog makes a log and has state.db note it, by a salt that no other log has: one
// that is gone later, or is another one of this world's, is then known to be. A crash
// between the two leaves a log that never held anything. The caller has writing.
func (s *store) createLog(salt uint64) error {
	log, err := wal.Create(s.disk, s.logPath, salt)
	if err != nil {
		return err
	}
	s.wal = log
	err = s.transact(func(tx *stateTx) error {
		meta := tx.bucket(bucketMeta)
		return errors.Join(meta.Put(keyLog, logNote(salt, s.logNumber)), meta.Put(keyLogIsUsed, []byte{1}))
	})
	if err == nil {
		s.salt, s.logIsUsed = salt, true
	}
	return err
}

// endLog has state.db note that it has all that was ever in the log, which may go.
// The caller has writing.
func (s *store) endLog() error {
	if !s.logIsUsed {
		return nil
	}
	err := s.transact(func(tx *stateTx) error { return tx.bucket(bucketMeta).Delete(keyLogIsUsed) })
	s.logIsUsed = err != nil
	return err
}

// closeLog has the next log be a new file. The caller has writing.
func (s *store) closeLog() {
	if s.wal != nil {
		_ = s.wal.Close() // what it took is durable
		s.wal = nil
	}
	s.noLogUntil = time.Now().Add(logAgain)
}

// logIsThere reports whether the log that is written, if any, lies where the next
// process will look for it.
func (s *store) logIsThere() bool {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.wal == nil || s.wal.IsAt(s.logPath)
}

// renew writes state.db anew, with all that the log has. The next log is a new
// one, too.
func (s *store) renew(d *disk.Disk, path string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.transact(func(tx *stateTx) error { return tx.bucket(bucketMeta).Delete(keyLogIsUsed) }); err != nil {
		return err
	}
	s.closeLog()
	return s.db.renew(d, path)
}

// logIsGone is what is wrong where there should be a log and is none.
const logIsGone = "it is gone, and may have had edits that were synced"

// replay brings state.db up to date with a log that a process has left, and
// reports whether there was anything in it.
func (s *store) replay(m meta) (bool, error) {
	s.salt, s.logNumber, s.noted, s.logIsUsed = m.salt, m.logNumber, m.logNumber, m.logIsUsed
	if _, err := os.Lstat(s.logPath); m.logIsUsed && errors.Is(err, fs.ErrNotExist) {
		return false, &StateDamage{File: "state.wal", What: logIsGone}
	}
	records, last, err := wal.Read(s.logPath, m.salt, m.logNumber)
	if errors.Is(err, wal.ErrDamaged) && !m.logIsUsed {
		s.warn("the log is damaged, and had nothing: the world was closed", err)
		return false, nil // the next log is made anew
	}
	if errors.Is(err, wal.ErrDamaged) {
		return false, &StateDamage{File: "state.wal", What: err.Error()}
	}
	if err != nil || len(records) == 0 {
		return false, err
	}
	for i, record := range records {
		u, err := parseUpdate(record)
		if err != nil {
			return false, fmt.Errorf("%s: record %d: %w", s.logPath, last-uint64(len(records)-1-i), err)
		}
		s.ahead.add(u)
	}
	s.logNumber = last
	return true, s.settle()
}

// isAhead reports whether the log has what state.db does not.
func (s *store) isAhead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ahead.isEmpty()
}

// settleDue returns when state.db is to be brought up to date with the log, zero
// for never.
func (s *store) settleDue() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aheadSince.IsZero() {
		return time.Time{}
	}
	return s.aheadSince.Add(aheadMost)
}

// close closes state.db and the log. What only the log has stays there for whoever
// comes next, if state.db does not take it.
func (s *store) close() error {
	err := s.settle()
	s.writing.Lock()
	defer s.writing.Unlock()
	if err == nil {
		err = s.endLog()
	}
	s.behind = true
	s.closeLog()
	return errors.Join(err, s.db.Close())
}

func (s *store) warn(what string, err error) {
	if s.log != nil {
		s.log.Warn(what, "error", err)
	}
}

// logNote is what state.db notes of the log.
func logNote(salt, number uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, salt), number)
}

// aheadText returns the bytes of a file that only the log has.
func (s *store) aheadText(id entity.ID) (text []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.ahead.records[id]
	if r == nil || r.keepText {
		return nil, false
	}
	return slices.Clone(r.text), true
}
