// Package wal is a write-ahead log in one file of a fixed size: what is appended
// is durable with one fdatasync, until the owner of the log has it elsewhere and
// begins the log anew.
//
// The file is written once in full before it is used and then again and again from
// its start. So an append changes neither the file's size nor where its blocks lie,
// and fdatasync has nothing to write but the record: no commit of the file system's
// journal.
//
// It is a row of blocks of 512 bytes, which a disk writes whole or not at all:
//
//	offset size
//	0      4    CRC-32C of the salt, of the block's place in the file, and of what follows here
//	4      8    number of the record, u64, one more than that of the record before; 0: none yet
//	12     4    length of the record's payload, u32
//	16     4    which block of the record this is, u32, from 0
//	20     492  that part of the payload, then zeros
//
// The first block is the header: "worldfs log\n", version u32, and the salt, u64,
// after a CRC-32C of these. Numbers are little-endian. The salt tells the log of one
// owner from those of others.
//
// Every block is valid at all times: blank since the file was made, of the log's
// present life, or of an earlier one, whose records have smaller numbers. The log
// ends at the first record that is not there in full; a power cut can leave the
// blocks of its last record partly old, but each of them is valid. So a block that
// is not valid is damage (ErrDamaged) and never the end.
package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// Size is what the file takes, and all records of one life of the log together
// may take.
const Size = 1 << 20

const (
	blockSize = 512
	blockHead = 20
	blockData = blockSize - blockHead
	blocks    = Size / blockSize

	version = 2
	magic   = "worldfs log\n"
)

// ErrFull is what appending a record gives for which there is no room left.
// Nothing was written.
var ErrFull = errors.New("write-ahead log is full")

// What reading a log gives that is not as it was written.
var (
	ErrDamaged = errors.New("the write-ahead log is damaged")
	ErrNewer   = errors.New("the write-ahead log was written by a newer worldfs; use that one")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Log is a log that is written. Not for use by more than one goroutine at once.
type Log struct {
	disk *disk.Disk
	file *os.File
	salt uint64
	next int // the block that the next record begins at
}

// Create makes an empty log at path, in place of what is there, and returns when
// it is durable. It does not write the file that is there anew: an fdatasync of it
// may have failed, and then it is not known which of its pages the kernel takes for
// written. Steps: "write wal", "fsync wal", "rename wal", "fsync directory of wal".
func Create(d *disk.Disk, path string, salt uint64) (*Log, error) {
	if err := d.WriteAtomic("wal", path, blank(salt), 0o600); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	return &Log{disk: d, file: f, salt: salt, next: 1}, nil
}

// blank returns the bytes of an empty log.
func blank(salt uint64) []byte {
	data := make([]byte, Size)
	head := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(head[len(magic):], version)
	head = binary.LittleEndian.AppendUint64(head, salt)
	copy(data[4:], head)
	binary.LittleEndian.PutUint32(data, crc32.Checksum(data[4:blockSize], castagnoli))
	for i := 1; i < blocks; i++ {
		seal(data[i*blockSize:(i+1)*blockSize], salt, i)
	}
	return data
}

// Append adds a record, which is durable when it returns without an error. seq is
// one more than that of the record before. After another error than ErrFull the
// record may be found or not; the log must not be appended to any more, since what
// the disk has of it is not known. Steps: "write wal", "fsync wal".
func (l *Log) Append(seq uint64, payload []byte) error {
	n := max(1, (len(payload)+blockData-1)/blockData)
	if n > blocks-l.next {
		return ErrFull
	}
	record := make([]byte, n*blockSize)
	for i := range n {
		b := record[i*blockSize : (i+1)*blockSize]
		binary.LittleEndian.PutUint64(b[4:], seq)
		binary.LittleEndian.PutUint32(b[12:], uint32(len(payload)))
		binary.LittleEndian.PutUint32(b[16:], uint32(i))
		copy(b[blockHead:], payload[min(i*blockData, len(payload)):])
		seal(b, l.salt, l.next+i)
	}
	if err := l.disk.WriteAt("wal", l.file, record, int64(l.next)*blockSize); err != nil {
		return err
	}
	if err := l.disk.SyncData("wal", l.file); err != nil {
		return err
	}
	l.next += n
	return nil
}

// Begin has the next record written at the log's start: what is in it is durable
// elsewhere.
func (l *Log) Begin() { l.next = 1 }

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

// Load returns the bytes of the log at path, none where there is no log.
func Load(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read write-ahead log: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, Size+1))
	if err != nil {
		return nil, fmt.Errorf("read write-ahead log: %w", err)
	}
	if data == nil {
		data = []byte{} // it is there, and empty
	}
	return data, nil
}

func seal(block []byte, salt uint64, place int) {
	binary.LittleEndian.PutUint32(block, checksum(block, salt, place))
}

func checksum(block []byte, salt uint64, place int) uint32 {
	var bound [16]byte
	binary.LittleEndian.PutUint64(bound[:], salt)
	binary.LittleEndian.PutUint64(bound[8:], uint64(place))
	return crc32.Update(crc32.Checksum(bound[:], castagnoli), castagnoli, block[4:blockSize])
}
