package state

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/history"
)

// Record is what state.db keeps of one entity's file beyond what the pack has.
// An entity that was never touched has none: its file has the default
// attributes and its text is rendered from the pack.
type Record struct {
	Gone        bool // there is no file of this name
	Unpublished bool // the pack does not have it yet
	HasText     bool // text is the file's bytes; otherwise they are rendered from the pack
	HasGood     bool // good is the canonical text of the last good values, which the pack does not have
	GoodNone    bool // the entity has no values: its text never parsed
	Attr        fileattr.Attr
	Seq         uint64
	Text        []byte
	Good        []byte
	By          string         // what the text came in by, for the history, which may not have it yet; "" if not known
	Source      history.Source // likewise

	KeepText bool // not stored: text is what the record there holds
}

const (
	recordVersion = 2

	recordGone        = 1 << 0
	recordUnpublished = 1 << 1
	recordHasText     = 1 << 2
	recordHasGood     = 1 << 3
	recordGoodNone    = 1 << 4
)

// ErrRecord is what reading a damaged record gives.
var ErrRecord = errors.New("record of a file in state.db is damaged")

// append appends the record's bytes, part of state.db's format:
//
//	offset size
//	0      1    version, 2
//	1      1    flags
//	2      4    permission bits
//	6      4+4  uid, gid
//	14     8    inode number
//	22     12   mtime (see AppendTime)
//	34     12   ctime; of a file that is gone: when it went
//	46     12   atime
//	58     8    number of the edit
//	66     4+n  length of text, text
//	70+n   4+m  length of good, good
//	74+n+m 1+b  length of by, by; with what follows it, left out where it is not known, and by
//	            builds before format 2 of the history
//	       …    the source, as in an entry of the history
func (r *Record) append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = append(dst, recordVersion, r.flags())
	dst = le.AppendUint32(dst, r.Attr.Mode)
	dst = le.AppendUint32(dst, r.Attr.UID)
	dst = le.AppendUint32(dst, r.Attr.GID)
	dst = le.AppendUint64(dst, r.Attr.Ino)
	for _, t := range []time.Time{r.Attr.Mtime, r.Attr.Ctime, r.Attr.Atime} {
		dst = fileattr.AppendTime(dst, t)
	}
	dst = le.AppendUint64(dst, r.Seq)
	dst = appendLong(appendLong(dst, r.Text), r.Good)
	if r.By == "" {
		return dst
	}
	by := r.By[:min(len(r.By), 255)]
	return r.Source.Append(append(append(dst, byte(len(by))), by...))
}

func appendLong(dst, b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(b))), b...)
}

func (r *Record) flags() (flags byte) {
	for _, f := range []struct {
		bit byte
		set bool
	}{
		{recordGone, r.Gone}, {recordUnpublished, r.Unpublished}, {recordHasText, r.HasText},
		{recordHasGood, r.HasGood}, {recordGoodNone, r.GoodNone},
	} {
		if f.set {
			flags |= f.bit
		}
	}
	return flags
}

// parseRecord reads what append wrote. text and good are copies: b belongs to
// the database.
func parseRecord(b []byte) (*Record, error) {
	const fixed = 66
	if len(b) < fixed || b[0] != recordVersion {
		return nil, ErrRecord
	}
	r := parseRecordHead(b)
	r.Attr.Mtime, r.Attr.Ctime, r.Attr.Atime = fileattr.ParseTime(b[22:]), fileattr.ParseTime(b[34:]), fileattr.ParseTime(b[46:])
	r.Seq = binary.LittleEndian.Uint64(b[58:])
	return r, r.parseTexts(b[fixed:])
}

// parseRecordHead reads what records of all versions have in common.
func parseRecordHead(b []byte) *Record {
	le, flags := binary.LittleEndian, b[1]
	return &Record{
		Gone: flags&recordGone != 0, Unpublished: flags&recordUnpublished != 0,
		HasText: flags&recordHasText != 0, HasGood: flags&recordHasGood != 0,
		GoodNone: flags&recordGoodNone != 0,
		Attr:     fileattr.Attr{Mode: le.Uint32(b[2:]), UID: le.Uint32(b[6:]), GID: le.Uint32(b[10:]), Ino: le.Uint64(b[14:])},
	}
}

func (r *Record) parseTexts(rest []byte) error {
	for _, part := range []*[]byte{&r.Text, &r.Good} {
		if len(rest) < 4 || uint64(len(rest)-4) < uint64(binary.LittleEndian.Uint32(rest)) {
			return ErrRecord
		}
		n := binary.LittleEndian.Uint32(rest)
		*part = append([]byte(nil), rest[4:4+n]...)
		rest = rest[4+n:]
	}
	return r.parseSource(rest)
}

func (r *Record) parseSource(rest []byte) (err error) {
	if len(rest) == 0 {
		return nil
	}
	n := 1 + int(rest[0])
	if len(rest) < n {
		return ErrRecord
	}
	r.By = string(rest[1:n])
	if r.Source, _, err = history.ParseSource(rest[n:]); err != nil {
		return ErrRecord
	}
	return nil
}
