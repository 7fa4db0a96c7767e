package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/wal"
)

// Where an update becomes durable. What a caller waits for goes into the
// write-ahead log, state.wal: one fdatasync, where a transaction of state.db
// takes two. Every transaction of state.db begins with what only the log has,
// and notes the number of the log's last record; then the log begins anew.
//
// Where the log cannot be written, or has no room left, state.db takes the
// update; where that has failed, the log takes none until it has not: what
// cannot come into state.db in the end is not to be called durable.

// maxUnflushedTime is how long an update is in the log and not in state.db.
const maxUnflushedTime = time.Second

// logBackoff is how long no new log is made after one could not be written.
const logBackoff = time.Second

// ApplyFast makes an update durable for a caller that waits.
func (s *Store) ApplyFast(u Update) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if u.IsEmpty() && !s.behind {
		return nil
	}
	if s.loggedLocked(u) {
		return nil
	}
	return s.transactLocked(u.put)
}

// Apply makes an update durable in state.db.
func (s *Store) Apply(u Update) error { return s.update(u.put) }

// Flush brings state.db up to date with the log.
func (s *Store) Flush() error {
	if !s.LogIsAhead() {
		return nil
	}
	return s.update(func(*transaction) error { return nil })
}

// update runs a transaction of state.db, which is durable when it returns.
func (s *Store) update(f func(tx *transaction) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.transactLocked(f)
}

// transactLocked is update. The caller has writing.
func (s *Store) transactLocked(f func(tx *transaction) error) error {
	err := s.db.Update(func(tx *transaction) error {
		if err := s.unflushed.put(tx); err != nil { // it cannot change: that takes writing
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
	s.unflushed, s.unflushedSince = Update{}, time.Time{}
	s.mu.Unlock()
	if s.wal != nil {
		s.wal.Begin()
	}
	return nil
}

// loggedLocked reports whether the log has taken an update. The caller has writing.
func (s *Store) loggedLocked(u Update) bool {
	if s.behind || !s.openLogLocked() {
		return false
	}
	s.logNumber++ // whatever comes of it: if it fails, it may be found even so
	err := s.wal.Append(s.logNumber, u.appendTo(nil))
	if errors.Is(err, wal.ErrFull) {
		return false
	}
	if err != nil {
		s.warn("edits go into state.db, their log cannot be written", err)
		s.closeLogLocked()
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unflushed.add(u)
	if s.unflushedSince.IsZero() {
		s.unflushedSince = time.Now()
	}
	return true
}

// openLogLocked reports whether there is a log to write, which it makes if need be. The
// one that it takes the place of has nothing any more that state.db does not: it
// failed, and state.db was written since, or it is another process's. The caller
// has writing.
func (s *Store) openLogLocked() bool {
	if s.wal != nil {
		return true
	}
	if s.inMemory {
		return false
	}
	if time.Now().Before(s.noLogUntil) {
		return false
	}
	if err := s.createLogLocked(rand.Uint64()); err != nil {
		s.warn("edits go into state.db, there can be no log for them", err)
		s.closeLogLocked()
		return false
	}
	return true
}

// createLogLocked makes a log and has state.db note it, by a salt that no other log has: one
// that is gone later, or is another one of this world's, is then known to be. A crash
// between the two leaves a log that never held anything. The caller has writing.
func (s *Store) createLogLocked(salt uint64) error {
	log, err := wal.Create(s.disk, s.logPath, salt)
	if err != nil {
		return err
	}
	s.wal = log
	err = s.transactLocked(func(tx *transaction) error {
		meta := tx.bucket(bucketMeta)
		return errors.Join(meta.Put(keyLog, logNote(salt, s.logNumber)), meta.Put(keyLogIsUsed, []byte{1}))
	})
	if err == nil {
		s.salt, s.logIsUsed = salt, true
	}
	return err
}

// endLogLocked has state.db note that it has all that was ever in the log, which may go.
// The caller has writing.
func (s *Store) endLogLocked() error {
	if !s.logIsUsed {
		return nil
	}
	err := s.transactLocked(func(tx *transaction) error { return tx.bucket(bucketMeta).Delete(keyLogIsUsed) })
	s.logIsUsed = err != nil
	return err
}

// closeLogLocked has the next log be a new file. The caller has writing.
func (s *Store) closeLogLocked() {
	if s.wal != nil {
		_ = s.wal.Close() // what it took is durable
		s.wal = nil
	}
	s.noLogUntil = time.Now().Add(logBackoff)
}

// LogIsThere reports whether the log that is written, if any, lies where the next
// process will look for it.
func (s *Store) LogIsThere() bool {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.wal == nil || s.wal.IsAt(s.logPath)
}

// Renew writes state.db anew, with all that the log has. The next log is a new
// one, too.
func (s *Store) Renew(d *disk.Disk, path string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.transactLocked(func(tx *transaction) error { return tx.bucket(bucketMeta).Delete(keyLogIsUsed) }); err != nil {
		return err
	}
	s.closeLogLocked()
	return s.db.renew(d, path)
}

// logIsGone is what is wrong where there should be a log and is none.
const logIsGone = "it is gone, and may have had edits that were synced"

// replay brings state.db up to date with a log that a process has left, and
// reports whether there was anything in it.
func (s *Store) replay(m Meta) (bool, error) {
	s.salt, s.logNumber, s.noted, s.logIsUsed = m.salt, m.logNumber, m.logNumber, m.logIsUsed
	if _, err := os.Lstat(s.logPath); m.logIsUsed && errors.Is(err, fs.ErrNotExist) {
		return false, &Damage{File: "state.wal", What: logIsGone}
	}
	records, last, err := wal.Read(s.logPath, m.salt, m.logNumber)
	if errors.Is(err, wal.ErrDamaged) && !m.logIsUsed {
		s.warn("the log is damaged, and had nothing: the world was closed", err)
		return false, nil // the next log is made anew
	}
	if errors.Is(err, wal.ErrDamaged) {
		return false, &Damage{File: "state.wal", What: err.Error()}
	}
	if err != nil || len(records) == 0 {
		return false, err
	}
	for i, record := range records {
		u, err := parseUpdate(record)
		if err != nil {
			return false, fmt.Errorf("%s: record %d: %w", s.logPath, last-uint64(len(records)-1-i), err)
		}
		s.unflushed.add(u)
	}
	s.logNumber = last
	return true, s.Flush()
}

// Size returns how many bytes state.db has.
func (s *Store) Size() int64 { return s.db.size() }

// LogIsAhead reports whether the log has what state.db does not.
func (s *Store) LogIsAhead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.unflushed.IsEmpty()
}

// FlushDue returns when state.db is to be brought up to date with the log, zero
// for never.
func (s *Store) FlushDue() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unflushedSince.IsZero() {
		return time.Time{}
	}
	return s.unflushedSince.Add(maxUnflushedTime)
}

// Close closes state.db and the log. What only the log has stays there for the next
// process, if state.db does not take it.
func (s *Store) Close() error {
	if s.inMemory {
		return s.db.Close()
	}
	err := s.Flush()
	s.writing.Lock()
	defer s.writing.Unlock()
	if err == nil {
		err = s.endLogLocked()
	}
	s.behind = true
	s.closeLogLocked()
	return errors.Join(err, s.db.Close())
}

func (s *Store) warn(what string, err error) {
	if s.log != nil {
		s.log.Warn(what, "error", err)
	}
}

// logNote is what state.db notes of the log.
func logNote(salt, number uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, salt), number)
}

// unflushedText returns the bytes of a file that only the log has.
func (s *Store) unflushedText(id entity.ID) (text []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.unflushed.Records[id]
	if r == nil || r.KeepText {
		return nil, false
	}
	return slices.Clone(r.Text), true
}
