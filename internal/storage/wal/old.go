package wal

import (
	"encoding/binary"
	"hash/crc32"
)

// A log of the format before this one, which an upgrade reads: no header, and
// records of any length directly after one another.
//
//	offset size
//	0      4    length of the payload, u32, not 0
//	4      4    CRC-32C of the salt, of what follows here and of the length
//	8      8    sequence number
//	16     n    payload
//
// The first thing that is no such record is the end of it, torn or not, unless a
// whole record with a later number lies behind it.
const oldHead = 16

// ParseOld returns the payloads of the records of such a log whose number is
// greater than after, and the number of the last. Damage shows where whole records
// lie behind one that is not: the error is then ErrDamaged, and the payloads are
// those before it.
func ParseOld(data []byte, salt, after uint64) (payloads [][]byte, last uint64, err error) {
	last = after
	before := uint64(0)
	for {
		seq, payload := parseOldRecord(data, salt)
		if payload == nil || before != 0 && seq != before+1 || seq > last+1 {
			break
		}
		if seq == last+1 {
			payloads, last = append(payloads, payload), seq
		}
		before, data = seq, data[oldHead+len(payload):]
	}
	if hasLaterOld(data, salt, last) {
		err = ErrDamaged
	}
	return payloads, last, err
}

// hasLaterOld reports whether a whole record that is later than last lies anywhere
// in data.
func hasLaterOld(data []byte, salt, last uint64) bool {
	for at := 0; at+oldHead < len(data); at++ {
		if binary.LittleEndian.Uint64(data[at+8:])-last-1 > Size {
			continue // no number that could come
		}
		if seq, payload := parseOldRecord(data[at:], salt); payload != nil && seq > last {
			return true
		}
	}
	return false
}

// parseOldRecord returns the record that data begins with; no payload: it begins
// with none.
func parseOldRecord(data []byte, salt uint64) (seq uint64, payload []byte) {
	if len(data) < oldHead {
		return 0, nil
	}
	n := uint64(binary.LittleEndian.Uint32(data))
	if n == 0 || n > uint64(len(data)-oldHead) {
		return 0, nil
	}
	record := data[:oldHead+n]
	sum := crc32.Checksum(binary.LittleEndian.AppendUint64(nil, salt), castagnoli)
	sum = crc32.Update(sum, castagnoli, record[8:])
	if binary.LittleEndian.Uint32(record[4:]) != crc32.Update(sum, castagnoli, record[:4]) {
		return 0, nil
	}
	return binary.LittleEndian.Uint64(record[8:]), record[oldHead:]
}
