package cache

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/worldfs/worldfs/entity"
)

// upgrades bring a state.db of the format that is their place to the next one.
var upgrades = map[uint32]func(tx *bbolt.Tx) error{1: upgradeFrom1, 2: upgradeFrom2}

// upgradeStore brings a state.db to the format of this program, all in the
// transaction of opening it: it is of the old format or of the new one.
func upgradeStore(tx *bbolt.Tx) error {
	b := tx.Bucket(bucketMeta)
	format := b.Get(keyFormat)
	if len(format) != 4 {
		return fmt.Errorf("%w: its format has no number", errRecord)
	}
	from := binary.LittleEndian.Uint32(format)
	if from > storeFormat {
		return fmt.Errorf("%w (its format is %d, this one knows up to %d)", ErrStateNewer, from, storeFormat)
	}
	for n := from; n < storeFormat; n++ {
		up := upgrades[n]
		if up == nil {
			return fmt.Errorf("%w: there is no format %d", errRecord, n)
		}
		if err := up(tx); err != nil {
			return fmt.Errorf("upgrade state from format %d: %w", n, err)
		}
	}
	if from == storeFormat {
		return nil
	}
	return b.Put(keyFormat, binary.LittleEndian.AppendUint32(nil, storeFormat))
}

// upgradeFrom1: times were nanoseconds in an i64, no atime was kept, and each
// plain file's stamp had a key of its own.
func upgradeFrom1(tx *bbolt.Tx) error {
	for _, up := range []func(*bbolt.Tx) error{upgradeTimes1, upgradeRecords1, upgradeStamps1} {
		if err := up(tx); err != nil {
			return err
		}
	}
	return nil
}

// upgradeFrom2: there was no log.
func upgradeFrom2(tx *bbolt.Tx) error {
	return tx.Bucket(bucketMeta).Put(keyLog, logNote(rand.Uint64(), 0))
}

func upgradeTimes1(tx *bbolt.Tx) error {
	b := tx.Bucket(bucketMeta)
	for _, key := range [][]byte{keyBorn, keyDir} {
		var value []byte
		for old := b.Get(key); len(old) >= 8; old = old[8:] {
			value = appendTime(value, nanoTime(old))
		}
		if err := b.Put(key, value); err != nil {
			return err
		}
	}
	return nil
}

func nanoTime(b []byte) time.Time { return time.Unix(0, int64(binary.LittleEndian.Uint64(b))) }

func upgradeRecords1(tx *bbolt.Tx) error {
	b := tx.Bucket(bucketFiles)
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

func parseRecord1(b []byte) (*record, error) {
	const fixed = 46
	if len(b) < fixed || b[0] != 1 {
		return nil, errRecord
	}
	r := parseRecordHead(b)
	r.attr.Mtime, r.attr.Ctime = nanoTime(b[22:]), nanoTime(b[30:])
	r.attr.Atime = r.attr.Mtime
	r.seq = binary.LittleEndian.Uint64(b[38:])
	return r, r.parseTexts(b[fixed:])
}

func upgradeStamps1(tx *bbolt.Tx) error {
	bucketPlain := []byte("plain")
	old := tx.Bucket(bucketPlain)
	if old == nil {
		return nil
	}
	stamps := make(map[entity.ID]stamp)
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
	return tx.DeleteBucket(bucketPlain)
}
