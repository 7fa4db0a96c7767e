package history

import (
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/worldfs/worldfs/entity"
)

// Kind says what an entry is about.
type Kind uint8

// The kinds of entries.
const (
	Changed Kind = iota + 1 // an entity came, went, or has other values: Was, Is
	Broken                  // its text does not parse: Is, and Note says why
	Mended                  // its text parses again, or is gone
	Lost                    // Is lost a conflict; Note says which
	Bulk                    // more changed than is kept one by one; Note says what
)

// Entry is something that happened to an entity.
type Entry struct {
	Position uint64 // where in the log; given by Append
	Time     time.Time
	ID       entity.ID
	Kind     Kind
	By       string // what did it: "edit", "import", "undo", …
	Note     string // more about that, in words
	Was, Is  []byte // texts before and after; nil: there was, or is, none
	Cut      bool   // the texts were too large to keep
}

const (
	entryFixed = 8 + 8 + 4 + 1 + 1 + 1 + 2
	maxEntry   = maxSegment + entryFixed + 255 + maxNote + 8
	maxNote    = 4 << 10 // longer ones are cut

	flagWas = 1 << 0
	flagIs  = 1 << 1
	flagCut = 1 << 2
)

// appendFrame appends the entry as a segment has it:
//
//	offset size
//	0      8    position
//	8      8    time, in nanoseconds since 1970
//	16     4    entity
//	20     1    kind
//	21     1    flags: 1 there was a text, 2 there is one, 4 they were too large
//	22     1+n  length of by, by
//	23+n   2+m  length of note, note
//	       4+k  length of the text before, the text
//	       …    the text after, to the end
func (e *Entry) appendFrame(dst []byte) []byte {
	le := binary.LittleEndian
	start := len(dst)
	dst = append(dst, make([]byte, frameSize)...)
	dst = le.AppendUint64(dst, e.Position)
	dst = le.AppendUint64(dst, uint64(e.Time.UnixNano()))
	dst = le.AppendUint32(dst, uint32(e.ID))
	dst = append(dst, byte(e.Kind), e.flags())
	by, note := clip(e.By, 255), clip(e.Note, maxNote)
	dst = append(append(dst, byte(len(by))), by...)
	dst = append(le.AppendUint16(dst, uint16(len(note))), note...)
	dst = append(le.AppendUint32(dst, uint32(len(e.Was))), e.Was...)
	dst = append(dst, e.Is...)
	payload := dst[start+frameSize:]
	le.PutUint32(dst[start:], uint32(len(payload)))
	le.PutUint32(dst[start+4:], crc32.Checksum(payload, checksum))
	return dst
}

func clip(s string, most int) string { return s[:min(len(s), most)] }

func (e *Entry) flags() (flags byte) {
	if e.Was != nil {
		flags |= flagWas
	}
	if e.Is != nil {
		flags |= flagIs
	}
	if e.Cut {
		flags |= flagCut
	}
	return flags
}

// parseEntry reads what appendFrame wrote. The texts are b's.
func parseEntry(b []byte) (*Entry, error) {
	if len(b) < entryFixed {
		return nil, errDamaged
	}
	le := binary.LittleEndian
	e := &Entry{
		Position: le.Uint64(b), Time: time.Unix(0, int64(le.Uint64(b[8:]))),
		ID: entity.ID(le.Uint32(b[16:])), Kind: Kind(b[20]),
	}
	flags, n := b[21], int(b[22])
	e.Cut = flags&flagCut != 0
	b = b[23:]
	if len(b) < n+2 {
		return nil, errDamaged
	}
	e.By, b = string(b[:n]), b[n:]
	n, b = int(le.Uint16(b)), b[2:]
	if n > maxNote || len(b) < n+4 {
		return nil, errDamaged
	}
	e.Note, b = string(b[:n]), b[n:]
	was, b := uint64(le.Uint32(b)), b[4:]
	if uint64(len(b)) < was {
		return nil, errDamaged
	}
	if flags&flagWas != 0 {
		e.Was = b[:was:was]
	}
	if flags&flagIs != 0 {
		e.Is = b[was:]
	}
	return e, nil
}
