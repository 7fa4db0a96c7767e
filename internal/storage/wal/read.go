package wal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Record is a record that was found whole.
type Record struct {
	Number  uint64
	Payload []byte
}

// Read returns the payloads of the records in the log at path whose number is
// greater than after, oldest first, and the number of the last, after if there
// are none. A log that is not there has none.
func Read(path string, salt, after uint64) (payloads [][]byte, last uint64, err error) {
	data, err := Load(path)
	if err != nil || data == nil {
		return nil, after, err
	}
	payloads, last, err = Parse(data, salt, after)
	if err != nil {
		return nil, after, fmt.Errorf("%s: %w", path, err)
	}
	return payloads, last, nil
}

// Parse is Read of a log's bytes. Where anything in them is not as it was written,
// or is another owner's, the error says so and is an ErrDamaged. A log that has never
// held a record may be any world's: its world may have had no time to note its salt.
func Parse(data []byte, salt, after uint64) (payloads [][]byte, last uint64, err error) {
	is, err := header(data)
	if err == nil && is != salt && isBlank(data, is) {
		return nil, after, nil
	}
	if err := check(data, salt); err != nil {
		return nil, after, err
	}
	last = after
	at, before := 1, uint64(0)
	for {
		r, n := recordAt(data, at)
		if n == 0 || before != 0 && r.Number <= before {
			break
		}
		if before != 0 && r.Number != before+1 || r.Number > last+1 {
			return nil, after, fmt.Errorf("%w: record %d is missing before record %d", ErrDamaged, last+1, r.Number)
		}
		if r.Number == last+1 {
			payloads, last = append(payloads, r.Payload), r.Number
		}
		at, before = at+n, r.Number
	}
	for i := at; i < blocks; i++ {
		if number := numberAt(data, i); number > last+1 {
			return nil, after, fmt.Errorf("%w: record %d is missing before record %d", ErrDamaged, last+1, number)
		}
	}
	return payloads, last, nil
}

// check finds whether every block is as it was written.
func check(data []byte, salt uint64) error {
	if len(data) != Size {
		return fmt.Errorf("%w: it has %d bytes and not %d", ErrDamaged, len(data), Size)
	}
	is, err := header(data)
	if err != nil {
		return err
	}
	if is != salt {
		return fmt.Errorf("%w: it belongs to another state.db", ErrDamaged)
	}
	for i := 1; i < blocks; i++ {
		if !whole(data, i, salt) {
			return fmt.Errorf("%w: its block %d, at offset %d, is not as it was written", ErrDamaged, i, i*blockSize)
		}
	}
	return nil
}

// header returns the salt that a log's first block gives.
func header(data []byte) (salt uint64, err error) {
	if len(data) < blockSize || crc32.Checksum(data[4:blockSize], castagnoli) != binary.LittleEndian.Uint32(data) ||
		string(data[4:4+len(magic)]) != magic {
		return 0, fmt.Errorf("%w: its header is not as it was written", ErrDamaged)
	}
	if v := binary.LittleEndian.Uint32(data[4+len(magic):]); v != version {
		return 0, fmt.Errorf("%w (its version is %d, this one knows %d)", ErrNewer, v, version)
	}
	return binary.LittleEndian.Uint64(data[8+len(magic):]), nil
}

// isBlank reports whether a log is as Create makes it.
func isBlank(data []byte, salt uint64) bool { return bytes.Equal(data, blank(salt)) }

func whole(data []byte, i int, salt uint64) bool {
	if (i+1)*blockSize > len(data) {
		return false
	}
	b := data[i*blockSize : (i+1)*blockSize]
	return binary.LittleEndian.Uint32(b) == checksum(b, salt, i)
}

func numberAt(data []byte, i int) uint64 { return binary.LittleEndian.Uint64(data[i*blockSize+4:]) }

// recordAt returns the record that begins with a block and how many blocks it has,
// 0 if none is there in full.
func recordAt(data []byte, at int) (r Record, n int) {
	if (at+1)*blockSize > len(data) {
		return r, 0
	}
	le := binary.LittleEndian
	first := data[at*blockSize:]
	r.Number = le.Uint64(first[4:])
	size := uint64(le.Uint32(first[12:]))
	if r.Number == 0 || le.Uint32(first[16:]) != 0 || size > uint64(len(data)) {
		return r, 0
	}
	n = max(1, (int(size)+blockData-1)/blockData)
	if (at+n)*blockSize > len(data) {
		return r, 0
	}
	for i := range n {
		b := data[(at+i)*blockSize : (at+i+1)*blockSize]
		if le.Uint64(b[4:]) != r.Number || uint64(le.Uint32(b[12:])) != size || le.Uint32(b[16:]) != uint32(i) {
			return r, 0
		}
		r.Payload = append(r.Payload, b[blockHead:]...)
	}
	r.Payload = r.Payload[:size]
	return r, n
}

// Salvage returns the records that are whole in a log that is damaged, of its
// present life and of earlier ones, in the order of their places. Where its header
// cannot be read salt is taken for its salt.
func Salvage(data []byte, salt uint64) (records []Record) {
	if is, err := header(data); err == nil {
		salt = is
	}
	for at := 1; (at+1)*blockSize <= len(data); {
		r, n := recordAt(data, at)
		if n == 0 || !allWhole(data, at, n, salt) {
			at++
			continue
		}
		records = append(records, r)
		at += n
	}
	return records
}

func allWhole(data []byte, at, n int, salt uint64) bool {
	for i := range n {
		if !whole(data, at+i, salt) {
			return false
		}
	}
	return true
}
