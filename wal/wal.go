// Package wal is a write-ahead log in one file of a fixed size: what is appended
// is durable with one fdatasync, until whoever keeps the log has it elsewhere and
// begins it anew.
//
// The file is filled with zeros before it is used and then written again and
// again from its start. So an append changes neither the file's size nor where
// its blocks lie, and fdatasync has nothing to write but the record: no commit of
// the file system's journal.
//
// It is a row of records, each directly after the one before:
//
//	offset size
//	0      4    length of the payload, u32, not 0
//	4      4    CRC-32C of the salt, of what follows here and of the length
//	8      8    sequence number, u64, one more than that of the record before
//	16     n    payload
//
// Numbers are little-endian. The first thing that is no such record is the end.
// It may be zeros, a record that was cut off by a crash, or what is left of the
// log's earlier life, whose records have smaller numbers. A log of another life of
// the keeper has another salt: none of its records count.
package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/disk"
)

// Size is what the file takes, and all records of one life of the log together
// may take.
const Size = 1 << 20

const headSize = 16

// ErrFull is what appending a record gives for which there is no room left.
// Nothing was written.
var ErrFull = errors.New("write-ahead log is full")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Log is a log that is written. Not for use by more than one goroutine at once.
type Log struct {
	disk *disk.Disk
	file *os.File
	salt uint64
	end  int64 // the next record is written here
}

// Create makes an empty log at path, in place of what is there, and returns when
// it is durable. Why not the file that is there: an fdatasync of it may have
// failed, and then nobody knows which of its pages the kernel takes for written.
// Steps: "remove wal", "write wal", "fsync wal", "fsync directory of wal".
func Create(d *disk.Disk, path string, salt uint64) (*Log, error) {
	if err := d.Remove("wal", path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := d.WriteFile("wal", path, make([]byte, Size), 0o600); err != nil {
		return nil, err
	}
	if err := d.SyncDir("wal", filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	return &Log{disk: d, file: f, salt: salt}, nil
}

// Append adds a record, which is durable when it returns without an error. seq is
// one more than that of the record before. After another error than ErrFull the
// record may be found or not; the log must not be appended to any more, since what
// the disk has of it is not known. Steps: "write wal", "fsync wal".
func (l *Log) Append(seq uint64, payload []byte) error {
	size := headSize + int64(len(payload))
	if size > Size-l.end {
		return ErrFull
	}
	record := make([]byte, headSize, size)
	binary.LittleEndian.PutUint32(record, uint32(len(payload)))
	binary.LittleEndian.PutUint64(record[8:], seq)
	record = append(record, payload...)
	binary.LittleEndian.PutUint32(record[4:], checksum(record, l.salt))
	if err := l.disk.WriteAt("wal", l.file, record, l.end); err != nil {
		return err
	}
	if err := l.disk.SyncData("wal", l.file); err != nil {
		return err
	}
	l.end += size
	return nil
}

// Begin has the next record written at the log's start: what is in it is durable
// elsewhere.
func (l *Log) Begin() { l.end = 0 }

// IsAt reports whether the log is still the file at path.
func (l *Log) IsAt(path string) bool {
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, there)
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }

// Read returns the payloads of the records in the log at path whose number is
// greater than after, oldest first, and the number of the last, after if there
// are none. A log that is not there has none.
func Read(path string, salt, after uint64) (payloads [][]byte, last uint64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, after, nil
	}
	if err != nil {
		return nil, after, fmt.Errorf("read write-ahead log: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, Size))
	if err != nil {
		return nil, after, fmt.Errorf("read write-ahead log: %w", err)
	}
	payloads, last = Parse(data, salt, after)
	return payloads, last, nil
}

// Parse is Read of a log's bytes, which the payloads are parts of.
func Parse(data []byte, salt, after uint64) (payloads [][]byte, last uint64) {
	last = after
	for before := uint64(0); ; {
		seq, payload := parseRecord(data, salt)
		if payload == nil || before != 0 && seq != before+1 || seq > last+1 {
			return payloads, last
		}
		if seq == last+1 {
			payloads, last = append(payloads, payload), seq
		}
		before, data = seq, data[headSize+len(payload):]
	}
}

// parseRecord returns the record that data begins with; no payload: it begins
// with none.
func parseRecord(data []byte, salt uint64) (seq uint64, payload []byte) {
	if len(data) < headSize {
		return 0, nil
	}
	n := uint64(binary.LittleEndian.Uint32(data))
	if n == 0 || n > uint64(len(data)-headSize) {
		return 0, nil
	}
	record := data[:headSize+n]
	if binary.LittleEndian.Uint32(record[4:]) != checksum(record, salt) {
		return 0, nil
	}
	return binary.LittleEndian.Uint64(record[8:]), record[headSize:]
}

func checksum(record []byte, salt uint64) uint32 {
	sum := crc32.Checksum(binary.LittleEndian.AppendUint64(nil, salt), castagnoli)
	sum = crc32.Update(sum, castagnoli, record[8:])
	return crc32.Update(sum, castagnoli, record[:4])
}
