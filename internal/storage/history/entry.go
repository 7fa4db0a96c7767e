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
	Marked                  // a conflict was left in its text, whose values are as before: Was, Is
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
	Source          // how, and by which user; nothing is known of entries of version 1
}

// Origin says where a change was made.
type Origin uint8

// The origins of changes.
const (
	Unknown Origin = iota // an entry of version 1, or of a publishing that was cut off
	Here                  // an edit, or a command, of this machine
	Brought               // version control, an import or a clone has brought it, or a change of types
)

// Source says how a change came, and from which user, beside what Entry.By says.
type Source struct {
	Set     uint64 // the change set that it is of: what came at once; 0: not known
	Undoes  uint64 // the change set of which this takes back what was done to the entity, 0 for none
	Origin  Origin
	Who     string // the user's name, or number; "" if not known
	Program string // what wrote it through the mount, "vim" or "git checkout"; "" if not known
}

const (
	entryFixed  = 8 + 8 + 4 + 1 + 1 + 1 + 2
	sourceFixed = 8 + 8 + 1 + 1 + 1
	maxEntry    = maxSegment + entryFixed + 255 + maxNote + sourceFixed + 2*255 + 8
	maxNote     = 4 << 10 // longer ones are cut

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
//	       8    change set, 0 if not known (this and the next four since version 2)
//	       8    the change set that is taken back, 0 for none
//	       1    origin: 0 not known, 1 made here, 2 brought from elsewhere
//	       1+p  length of the user name, the user name
//	       1+q  length of program, program
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
	dst = e.Source.Append(dst)
	dst = append(le.AppendUint32(dst, uint32(len(e.Was))), e.Was...)
	dst = append(dst, e.Is...)
	payload := dst[start+frameSize:]
	le.PutUint32(dst[start:], uint32(len(payload)))
	le.PutUint32(dst[start+4:], crc32.Checksum(payload, checksum))
	return dst
}

// Append appends the source as an entry has it.
func (s *Source) Append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(le.AppendUint64(dst, s.Set), s.Undoes)
	dst = append(dst, byte(s.Origin))
	for _, text := range []string{clip(s.Who, 255), clip(s.Program, 255)} {
		dst = append(append(dst, byte(len(text))), text...)
	}
	return dst
}

// ParseSource reads what Append wrote and returns what follows it.
func ParseSource(b []byte) (s Source, rest []byte, err error) {
	const fixed = sourceFixed - 2
	if len(b) < fixed {
		return s, nil, errDamaged
	}
	le := binary.LittleEndian
	s.Set, s.Undoes, s.Origin = le.Uint64(b), le.Uint64(b[8:]), Origin(b[16])
	b = b[fixed:]
	for _, text := range []*string{&s.Who, &s.Program} {
		if len(b) < 1 || len(b) < 1+int(b[0]) {
			return s, nil, errDamaged
		}
		n := 1 + int(b[0])
		*text, b = string(b[1:n]), b[n:]
	}
	return s, b, nil
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

// parseEntry reads what appendFrame of a version wrote. The texts are b's.
func parseEntry(b []byte, version uint32) (*Entry, error) {
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
	if n > maxNote || len(b) < n {
		return nil, errDamaged
	}
	e.Note, b = string(b[:n]), b[n:]
	if version > 1 {
		var err error
		if e.Source, b, err = ParseSource(b); err != nil {
			return nil, err
		}
	}
	if len(b) < 4 {
		return nil, errDamaged
	}
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
