package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/wal"
)

// upgrades bring a state.db of the format that is their place to the next one.
var upgrades = map[uint32]func(tx *transaction) error{1: upgradeFrom1, 2: upgradeFrom2, 3: upgradeFrom3}

// upgrade brings a state.db to the format of this program, and keeps a copy of it
// and of its log. The log comes in first, and goes: from then on state.db alone is
// all there is, of the old format or of the new one.
func (s *Store) upgrade(path string, from uint32) error {
	if err := s.keepOld(path, from); err != nil {
		return fmt.Errorf("keep a copy of the state before its upgrade: %w", err)
	}
	db, err := openDatabase(path)
	if err != nil {
		return fmt.Errorf("upgrade %s: %w", path, err)
	}
	err = s.takeOldLog(db, from)
	if err == nil {
		err = db.Update(func(tx *transaction) error { return upgradeStore(tx, from) })
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("upgrade %s: %w", path, err)
	}
	return nil
}

// keepOld keeps copies of a state.db and its log, as state.db.format-3.
func (s *Store) keepOld(path string, from uint32) error {
	for _, path := range []string{s.logPath, path} { // state.db last: it says that both are there
		copied := fmt.Sprintf("%s.format-%d", path, from)
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if _, there := os.Lstat(copied); err == nil && there != nil {
			err = s.disk.WriteAtomic("old state", copied, data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeOldLog has a state.db of an older format take in its log, which goes then.
func (s *Store) takeOldLog(db *database, from uint32) error {
	data, err := wal.Load(s.logPath)
	if err != nil || data == nil {
		return err
	}
	if from == 3 {
		err = db.Update(func(tx *transaction) error { return putOldLog(tx, data) })
	}
	if err == nil {
		err = s.disk.Remove("wal", s.logPath)
	}
	if err == nil {
		err = s.disk.SyncDir("wal", filepath.Dir(s.logPath))
	}
	return err
}

func putOldLog(tx *transaction, data []byte) error {
	var m Meta
	m.get(tx.bucket(bucketMeta))
	records, last, err := wal.ParseOld(data, m.salt, m.logNumber)
	if err != nil {
		return &Damage{File: "state.wal", What: err.Error()}
	}
	for _, record := range records {
		u, err := parseUpdate(record)
		if err == nil {
			err = u.put(tx)
		}
		if err != nil {
			return err
		}
	}
	return tx.bucket(bucketMeta).Put(keyLog, logNote(m.salt, last))
}

// upgradeStore makes all the steps in one transaction.
func upgradeStore(tx *transaction, from uint32) error {
	for _, name := range buckets {
		if _, err := tx.bolt.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	for n := from; n < currentFormat; n++ {
		up := upgrades[n]
		if up == nil {
			return fmt.Errorf("%w: there is no format %d", ErrRecord, n)
		}
		if err := up(tx); err != nil {
			return fmt.Errorf("upgrade state from format %d: %w", n, err)
		}
	}
	return tx.bucket(bucketMeta).Put(keyFormat, binary.LittleEndian.AppendUint32(nil, currentFormat))
}

// upgradeFrom1: times were nanoseconds in an i64, no atime was kept, and each
// plain file's stamp had a key of its own.
func upgradeFrom1(tx *transaction) error {
	for _, up := range []func(*transaction) error{upgradeTimes1, upgradeRecords1, upgradeStamps1} {
		if err := up(tx); err != nil {
			return err
		}
	}
	return nil
}

// upgradeFrom2: there was no log.
func upgradeFrom2(tx *transaction) error {
	return tx.bucket(bucketMeta).Put(keyLog, logNote(rand.Uint64(), 0))
}

// upgradeFrom3: values had no checksums.
func upgradeFrom3(tx *transaction) error { return tx.sealAll() }

func upgradeTimes1(tx *transaction) error {
	b := tx.bucket(bucketMeta)
	for _, key := range [][]byte{keyBorn, keyDir} {
		var value []byte
		for old := b.Get(key); len(old) >= 8; old = old[8:] {
			value = fileattr.AppendTime(value, nanoTime(old))
		}
		if err := b.Put(key, value); err != nil {
			return err
		}
	}
	return nil
}

func nanoTime(b []byte) time.Time { return time.Unix(0, int64(binary.LittleEndian.Uint64(b))) }

func upgradeRecords1(tx *transaction) error {
	b := tx.bucket(bucketFiles)
	renewed := make(map[string][]byte)
	err := b.ForEach(func(k, v []byte) error {
		r, err := parseRecord1(v)
		if err == nil {
			renewed[string(k)] = r.append(nil)
		}
		return err
	})
	if err != nil {
		return err
	}
	return putAll(b, renewed)
}

func parseRecord1(b []byte) (*Record, error) {
	const fixed = 46
	if len(b) < fixed || b[0] != 1 {
		return nil, ErrRecord
	}
	r := parseRecordHead(b)
	r.Attr.Mtime, r.Attr.Ctime = nanoTime(b[22:]), nanoTime(b[30:])
	r.Attr.Atime = r.Attr.Mtime
	r.Seq = binary.LittleEndian.Uint64(b[38:])
	return r, r.parseTexts(b[fixed:])
}

func upgradeStamps1(tx *transaction) error {
	bucketPlain := []byte("plain")
	old := tx.bolt.Bucket(bucketPlain)
	if old == nil {
		return nil
	}
	stamps := make(map[entity.ID]Stamp)
	err := old.ForEach(func(k, v []byte) error {
		// What base it had is not known: there is no pack of that number.
		if st, ok := parseStamp(append(slices.Clone(v), 0, 0, 0, 0)); ok && len(k) == 4 {
			stamps[entity.ID(binary.BigEndian.Uint32(k))] = st
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := putStamps(tx, stamps, nil); err != nil {
		return err
	}
	return tx.bolt.DeleteBucket(bucketPlain)
}
