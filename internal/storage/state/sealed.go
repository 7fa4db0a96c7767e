package state

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

// What bbolt checks is its meta pages alone. So every value of state.db ends in a
// checksum of our own, and one value, keySums, has how many there are in each
// bucket and what their checksums add up to: a value that is missing, or stands
// where an earlier transaction has left it, shows as well as one that was changed.

// sealSize is what the checksum takes that every value ends in: CRC-32C of the
// bucket's name, a zero, the key's length, u32, the key, and the value. A value
// that has got to another key does not fit it.
const sealSize = 4

func sealOf(bucket, key, value []byte) uint32 {
	var size [5]byte
	binary.LittleEndian.PutUint32(size[1:], uint32(len(key)))
	sum := crc32.Checksum(bucket, castagnoli)
	sum = crc32.Update(sum, castagnoli, size[:])
	sum = crc32.Update(sum, castagnoli, key)
	return crc32.Update(sum, castagnoli, value)
}

func seal(bucket, key, value []byte) []byte {
	sealed := append(make([]byte, 0, len(value)+sealSize), value...)
	return binary.LittleEndian.AppendUint32(sealed, sealOf(bucket, key, value))
}

// unseal returns the value that seal was given, and its checksum.
func unseal(bucket, key, sealed []byte) (value []byte, sum uint32, ok bool) {
	n := len(sealed) - sealSize
	if n < 0 {
		return nil, 0, false
	}
	value, sum = sealed[:n:n], binary.LittleEndian.Uint32(sealed[n:])
	return value, sum, sum == sealOf(bucket, key, value)
}

// tally is how many values a bucket has, and what their checksums add up to.
type tally struct{ count, sum uint64 }

func (t *tally) add(sum uint32)  { t.count, t.sum = t.count+1, t.sum+uint64(sum) }
func (t *tally) drop(sum uint32) { t.count, t.sum = t.count-1, t.sum-uint64(sum) }

// tallies are of the buckets, in their order in buckets.
type tallies [6]tally

// stateSums is what keySums holds.
type stateSums struct {
	format  uint32
	txid    uint64 // of the transaction that wrote it
	tallies tallies
}

func (s stateSums) append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(le.AppendUint32(dst, s.format), s.txid)
	for _, t := range s.tallies {
		dst = le.AppendUint64(le.AppendUint64(dst, t.count), t.sum)
	}
	return dst
}

func parseStateSums(b []byte) (s stateSums, ok bool) {
	le := binary.LittleEndian
	if len(b) != 12+16*len(s.tallies) {
		return s, false
	}
	s.format, s.txid = le.Uint32(b), le.Uint64(b[4:])
	for i := range s.tallies {
		s.tallies[i] = tally{le.Uint64(b[12+16*i:]), le.Uint64(b[20+16*i:])}
	}
	return s, true
}

// isBare reports whether a value of meta stands as it is: builds from before there
// were checksums read the format, and keySums has its own.
func isBare(bucket, key []byte) bool {
	return bytes.Equal(bucket, bucketMeta) && (bytes.Equal(key, keyFormat) || bytes.Equal(key, keySums))
}

// transaction is a transaction of state.db.
type transaction struct {
	bolt    *bbolt.Tx
	tallies tallies
	bare    bool // of a format that has no checksums
}

// bucket returns a bucket, which must be there.
func (t *transaction) bucket(name []byte) sealedBucket {
	i := slices.IndexFunc(buckets, func(b []byte) bool { return bytes.Equal(b, name) })
	return sealedBucket{t.bolt.Bucket(name), name, &t.tallies[i], t.bare}
}

// load reads the tallies, which a transaction that writes goes on from.
func (t *transaction) load() {
	if meta := t.bolt.Bucket(bucketMeta); meta != nil {
		value, _, ok := unseal(bucketMeta, keySums, meta.Get(keySums))
		if sums, parsed := parseStateSums(value); ok && parsed {
			t.tallies = sums.tallies
			return
		}
	}
	t.bare = true // until upgradeFrom3, or init of a new one, seals all of it
}

// store writes them.
func (t *transaction) store() error {
	if t.bare {
		return nil
	}
	sums := stateSums{currentFormat, uint64(t.bolt.ID()), t.tallies}
	return t.bolt.Bucket(bucketMeta).Put(keySums, seal(bucketMeta, keySums, sums.append(nil)))
}

// sealedBucket is a bucket in a transaction.
type sealedBucket struct {
	bolt  *bbolt.Bucket
	name  []byte
	tally *tally
	bare  bool
}

// Get returns a value, nil if there is none. It is the database's.
func (b sealedBucket) Get(key []byte) []byte {
	value, _ := b.open(key, b.bolt.Get(key))
	return value
}

// open returns a stored value, and its checksum.
func (b sealedBucket) open(key, stored []byte) (value []byte, sum uint32) {
	if stored == nil || b.bare || isBare(b.name, key) {
		return stored, 0
	}
	value, sum, ok := unseal(b.name, key, stored)
	if !ok {
		panic(damagef("value %x of bucket %s is not what was written", key, b.name)) // see database.guard
	}
	return value, sum
}

// Put sets a value.
func (b sealedBucket) Put(key, value []byte) error {
	if b.bare || isBare(b.name, key) {
		return b.bolt.Put(key, value)
	}
	b.forget(key)
	sealed := seal(b.name, key, value)
	b.tally.add(binary.LittleEndian.Uint32(sealed[len(value):]))
	return b.bolt.Put(key, sealed)
}

// forget takes the value that a key has out of the tally.
func (b sealedBucket) forget(key []byte) {
	if stored := b.bolt.Get(key); stored != nil && !b.bare && !isBare(b.name, key) {
		_, sum := b.open(key, stored)
		b.tally.drop(sum)
	}
}

// Delete drops a key, which need not be there.
func (b sealedBucket) Delete(key []byte) error {
	b.forget(key)
	return b.bolt.Delete(key)
}

// ForEach calls f for every key, in order.
func (b sealedBucket) ForEach(f func(k, v []byte) error) error {
	return b.bolt.ForEach(func(k, v []byte) error {
		if bytes.Equal(b.name, bucketMeta) && bytes.Equal(k, keySums) {
			return nil
		}
		value, _ := b.open(k, v)
		return f(k, value)
	})
}

// clear drops every key.
func (b sealedBucket) clear() error {
	var keys [][]byte
	if err := b.bolt.ForEach(func(k, _ []byte) error { keys = append(keys, bytes.Clone(k)); return nil }); err != nil {
		return err
	}
	for _, k := range keys {
		if err := b.bolt.Delete(k); err != nil {
			return err
		}
	}
	*b.tally = tally{}
	return nil
}

// sealAll gives every value of a database that has none its checksum.
func (t *transaction) sealAll() error {
	for _, name := range buckets {
		bare := t.bucket(name)
		values := make(map[string][]byte)
		if err := bare.ForEach(func(k, v []byte) error { values[string(k)] = bytes.Clone(v); return nil }); err != nil {
			return err
		}
		sealed := bare
		sealed.bare = false
		for key := range values {
			if isBare(name, []byte(key)) {
				continue
			}
			if err := bare.bolt.Delete([]byte(key)); err != nil {
				return fmt.Errorf("bucket %s: %w", name, err)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if err := sealed.Put([]byte(key), values[key]); err != nil {
				return fmt.Errorf("bucket %s: %w", name, err)
			}
		}
	}
	t.bare = false
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
