package cache

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/fileattr"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// record is what state.db keeps of one entity's file beyond what the pack has.
// An entity that was never touched has none: its file has the default
// attributes and its text is rendered from the pack.
type record struct {
	gone        bool // there is no file of this name
	unpublished bool // the pack does not have it yet
	hasText     bool // text is the file's bytes; otherwise they are rendered from the pack
	hasGood     bool // good is the canonical text of the last good values, which the pack does not have
	goodNone    bool // the entity has no values: its text never parsed
	attr        fileattr.Attr
	seq         uint64
	text        []byte
	good        []byte

	keepText bool // not stored: text is what the record there holds
}

const (
	recordVersion = 2

	recordGone        = 1 << 0
	recordUnpublished = 1 << 1
	recordHasText     = 1 << 2
	recordHasGood     = 1 << 3
	recordGoodNone    = 1 << 4
)

var errRecord = errors.New("record of a file in state.db is damaged")

// Append appends the record's bytes, part of state.db's format:
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
func (r *record) append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = append(dst, recordVersion, r.flags())
	dst = le.AppendUint32(dst, r.attr.Mode)
	dst = le.AppendUint32(dst, r.attr.UID)
	dst = le.AppendUint32(dst, r.attr.GID)
	dst = le.AppendUint64(dst, r.attr.Ino)
	for _, t := range []time.Time{r.attr.Mtime, r.attr.Ctime, r.attr.Atime} {
		dst = fileattr.AppendTime(dst, t)
	}
	dst = le.AppendUint64(dst, r.seq)
	return appendLong(appendLong(dst, r.text), r.good)
}

func appendLong(dst, b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(b))), b...)
}

func (r *record) flags() (flags byte) {
	for _, f := range []struct {
		bit byte
		set bool
	}{
		{recordGone, r.gone}, {recordUnpublished, r.unpublished}, {recordHasText, r.hasText},
		{recordHasGood, r.hasGood}, {recordGoodNone, r.goodNone},
	} {
		if f.set {
			flags |= f.bit
		}
	}
	return flags
}

// parseRecord reads what append wrote. text and good are copies: b belongs to
// the database.
func parseRecord(b []byte) (*record, error) {
	const fixed = 66
	if len(b) < fixed || b[0] != recordVersion {
		return nil, errRecord
	}
	r := parseRecordHead(b)
	r.attr.Mtime, r.attr.Ctime, r.attr.Atime = fileattr.ParseTime(b[22:]), fileattr.ParseTime(b[34:]), fileattr.ParseTime(b[46:])
	r.seq = binary.LittleEndian.Uint64(b[58:])
	return r, r.parseTexts(b[fixed:])
}

// parseRecordHead reads what records of all versions have in common.
func parseRecordHead(b []byte) *record {
	le, flags := binary.LittleEndian, b[1]
	return &record{
		gone: flags&recordGone != 0, unpublished: flags&recordUnpublished != 0,
		hasText: flags&recordHasText != 0, hasGood: flags&recordHasGood != 0,
		goodNone: flags&recordGoodNone != 0,
		attr:     fileattr.Attr{Mode: le.Uint32(b[2:]), UID: le.Uint32(b[6:]), GID: le.Uint32(b[10:]), Ino: le.Uint64(b[14:])},
	}
}

func (r *record) parseTexts(rest []byte) error {
	for _, part := range []*[]byte{&r.text, &r.good} {
		if len(rest) < 4 || uint64(len(rest)-4) < uint64(binary.LittleEndian.Uint32(rest)) {
			return errRecord
		}
		n := binary.LittleEndian.Uint32(rest)
		*part = append([]byte(nil), rest[4:4+n]...)
		rest = rest[4+n:]
	}
	return nil
}

// dropStale drops a text that reads as other values than the pack has, which
// came in after it.
func (r *record) dropStale(id entity.ID, p *packfile.Pack) {
	if !r.hasText {
		return
	}
	res, err := textcodec.Decode(r.text, id, p.Types())
	if e, ok := p.Get(id); err == nil && ok && !e.Equal(res.Entity) {
		r.hasText, r.text = false, nil
	}
}
