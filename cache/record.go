package cache

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/worldfs/worldfs/entity"
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
	attr        Attr
	seq         uint64
	text        []byte
	good        []byte

	keepText bool // not stored: text is what the record there holds
}

const (
	recordVersion = 1

	recordGone        = 1 << 0
	recordUnpublished = 1 << 1
	recordHasText     = 1 << 2
	recordHasGood     = 1 << 3
	recordGoodNone    = 1 << 4
)

var errRecord = errors.New("record of a file in state.db is damaged")

// append appends the record's bytes, part of state.db's format:
//
//	offset size
//	0      1    version, 1
//	1      1    flags
//	2      4    permission bits
//	6      4+4  uid, gid
//	14     8    inode number
//	22     8+8  mtime, ctime in nanoseconds since 1970
//	38     8    number of the edit
//	46     4+n  length of text, text
//	50+n   4+m  length of good, good
func (r *record) append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = append(dst, recordVersion, r.flags())
	dst = le.AppendUint32(dst, r.attr.Mode)
	dst = le.AppendUint32(dst, r.attr.UID)
	dst = le.AppendUint32(dst, r.attr.GID)
	dst = le.AppendUint64(dst, r.attr.Ino)
	dst = le.AppendUint64(dst, uint64(r.attr.Mtime.UnixNano()))
	dst = le.AppendUint64(dst, uint64(r.attr.Ctime.UnixNano()))
	dst = le.AppendUint64(dst, r.seq)
	dst = le.AppendUint32(dst, uint32(len(r.text)))
	dst = append(dst, r.text...)
	dst = le.AppendUint32(dst, uint32(len(r.good)))
	return append(dst, r.good...)
}

func (r *record) flags() (flags byte) {
	for bit, set := range map[byte]bool{
		recordGone: r.gone, recordUnpublished: r.unpublished, recordHasText: r.hasText,
		recordHasGood: r.hasGood, recordGoodNone: r.goodNone,
	} {
		if set {
			flags |= bit
		}
	}
	return flags
}

// parseRecord reads what append wrote. text and good are copies: b belongs to
// the database.
func parseRecord(b []byte) (*record, error) {
	const fixed = 46
	if len(b) < fixed || b[0] != recordVersion {
		return nil, errRecord
	}
	le, flags := binary.LittleEndian, b[1]
	r := &record{
		gone: flags&recordGone != 0, unpublished: flags&recordUnpublished != 0,
		hasText: flags&recordHasText != 0, hasGood: flags&recordHasGood != 0,
		goodNone: flags&recordGoodNone != 0,
		attr: Attr{
			Mode: le.Uint32(b[2:]), UID: le.Uint32(b[6:]), GID: le.Uint32(b[10:]), Ino: le.Uint64(b[14:]),
			Mtime: time.Unix(0, int64(le.Uint64(b[22:]))), Ctime: time.Unix(0, int64(le.Uint64(b[30:]))),
		},
		seq: le.Uint64(b[38:]),
	}
	r.attr.Atime = r.attr.Mtime
	rest := b[fixed:]
	for _, part := range []*[]byte{&r.text, &r.good} {
		if len(rest) < 4 || uint64(len(rest)-4) < uint64(le.Uint32(rest)) {
			return nil, errRecord
		}
		n := le.Uint32(rest)
		*part = append([]byte(nil), rest[4:4+n]...)
		rest = rest[4+n:]
	}
	return r, nil
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
