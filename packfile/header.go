package packfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/worldfs/worldfs/entity"
)

// The header's fields by offset. They are part of the format.
const (
	offMagic    = 0
	offMajor    = 8
	offMinor    = 10
	offSections = 12
	offWorld    = 16
	offBasedOn  = 32
	offLength   = 64
	offEntities = 72
	offCRC      = 76
	headerSize  = 80 // and then the section table

	sectionEntrySize = 24
	maxSections      = 64
)

// The versions. A pack has the least one that has all that is in it, so that
// what does not use a newer one's additions is the same bytes as before, and is
// read by programs of before.
const (
	Major = 4 // the newest that is written and read
	Minor = 0

	majorFirst    = 1
	majorMatrices = 2 // the first with mat3x4 and mat4
	majorYields   = 3 // the first whose declarations say what yields in a merge
	majorExpr     = 4 // the first with expr, and whose types can be the editor's only
)

// The magic is no text in any encoding, and finds out transfers that changed
// line ends or cleared the eighth bit.
const magic = "\x89WPK\r\n\x1a\n"

// The sections by kind, in the order in which they stand in the file.
const (
	secTypes = iota + 1
	secTables
	secRows
	secHeap
	secDirectory
	secIndex
	secExtra
	secCount = secExtra
)

var sectionNames = [...]string{
	"header", "types", "tables", "rows", "heap", "directory", "index", "extra",
}

func sectionName(kind uint32) string {
	if kind > 0 && int(kind) < len(sectionNames) {
		return sectionNames[kind]
	}
	return fmt.Sprintf("of kind %d", kind)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var le = binary.LittleEndian

// header is what the header says, once it has been found to be right.
type header struct {
	major    int
	world    entity.GUID
	basedOn  [32]byte
	entities int
	sections [secCount + 1]span // by kind; 0 is the header
}

// span is a section's place in the file.
type span struct{ off, end int }

func (s span) len() int { return s.end - s.off }

// parseHeader reads the header and the section table and checks both: magic,
// then version, then length, then checksum, so that the error says which.
func parseHeader(data []byte) (*header, error) {
	if err := checkMagic(data); err != nil {
		return nil, err
	}
	if len(data) < headerSize {
		return nil, headerError(ErrTruncated, int64(len(data)), "the header needs %d bytes", headerSize)
	}
	n, err := sectionCount(data)
	if err != nil {
		return nil, err
	}
	size := headerSize + n*sectionEntrySize
	if len(data) < size {
		return nil, headerError(ErrTruncated, int64(len(data)), "the section table ends at %d", size)
	}
	if err := checkHeaderCRC(data[:size]); err != nil {
		return nil, err
	}
	if err := checkLength(data); err != nil {
		return nil, err
	}
	h := &header{major: int(le.Uint16(data[offMajor:])), entities: int(le.Uint32(data[offEntities:]))}
	copy(h.world[:], data[offWorld:])
	copy(h.basedOn[:], data[offBasedOn:])
	h.sections[0] = span{0, size}
	return h, h.readSections(data, n)
}

func checkMagic(data []byte) error {
	head := data[:min(len(data), len(magic))]
	switch {
	case !bytes.HasPrefix([]byte(magic), head):
		return headerError(ErrMagic, offMagic, "it does not begin as packs do")
	case len(data) < offMinor+2:
		return headerError(ErrTruncated, int64(len(data)), "the header needs %d bytes", headerSize)
	}
	if major := le.Uint16(data[offMajor:]); major < majorFirst || major > Major {
		if major == 0 {
			return headerError(ErrCorrupt, offMajor, "there is no version 0")
		}
		return headerError(ErrNewer, offMajor,
			"the pack has format version %d.%d, this program reads up to %d.x; use a newer worldfs, or have the pack's writer write version %d",
			major, le.Uint16(data[offMinor:]), Major, Major)
	}
	return nil
}

// sectionCount returns how many sections a header says there are.
func sectionCount(data []byte) (int, error) {
	n := int(le.Uint32(data[offSections:]))
	if n < secCount || n > maxSections {
		return 0, headerError(ErrCorrupt, offSections, "it says that there are %d sections, which cannot be", n)
	}
	return n, nil
}

// checkHeaderCRC compares the checksum of header and section table, which are head.
func checkHeaderCRC(head []byte) error {
	if want, got := le.Uint32(head[offCRC:]), headerCRC(head); want != got {
		return headerError(ErrChecksum, offCRC, "it says %08x, the bytes give %08x", want, got)
	}
	return nil
}

func checkLength(data []byte) error {
	switch want := le.Uint64(data[offLength:]); {
	case uint64(len(data)) < want:
		return headerError(ErrTruncated, int64(len(data)), "the file has %d bytes of %d", len(data), want)
	case uint64(len(data)) > want:
		return headerError(ErrCorrupt, int64(want), "the file goes on after its end: it has %d bytes, not %d", len(data), want)
	}
	return nil
}

// readSections reads the section table. Kinds that it does not know come last
// and are checked like the rest, then left alone.
func (h *header) readSections(data []byte, n int) error {
	at, last := h.sections[0].end, uint32(0)
	for i := range n {
		entry := headerSize + i*sectionEntrySize
		kind, s, err := readSection(data, entry, at)
		if err != nil {
			return err
		}
		if kind <= last || i < secCount && kind != uint32(i+1) {
			return headerError(ErrCorrupt, int64(entry), "section %s is out of order", sectionName(kind))
		}
		if i < secCount {
			h.sections[kind] = s
		}
		at, last = s.end, kind
	}
	if at != len(data) {
		return headerError(ErrCorrupt, offLength, "the last section ends at %d, the file at %d", at, len(data))
	}
	return nil
}

// readSection reads one entry of the section table and checks the section that
// it names, which must follow what ended at the offset at.
func readSection(data []byte, entry, at int) (kind uint32, s span, err error) {
	kind = le.Uint32(data[entry:])
	start, length := roundUp(at, 8), le.Uint64(data[entry+16:])
	if off := le.Uint64(data[entry+8:]); off != uint64(start) {
		return 0, s, headerError(ErrCorrupt, int64(entry), "section %s begins at %d, not %d", sectionName(kind), off, start)
	}
	if start > len(data) || length > uint64(len(data)-start) {
		return 0, s, headerError(ErrCorrupt, int64(entry), "section %s goes beyond the end of the file", sectionName(kind))
	}
	for i := at; i < start; i++ {
		if data[i] != 0 {
			return 0, s, &Error{sectionName(kind), int64(i), "the padding before the section is not zero", ErrCorrupt}
		}
	}
	s = span{start, start + int(length)}
	want, got := le.Uint32(data[entry+4:]), checksum(data[s.off:s.end])
	if want != got {
		reason := fmt.Sprintf("the %d bytes from here give %08x, not %08x", s.len(), got, want)
		return 0, s, &Error{sectionName(kind), int64(start), reason, ErrChecksum}
	}
	return kind, s, nil
}

// headerCRC returns the checksum of header and section table, in which the
// checksum's own bytes count as zero.
func headerCRC(head []byte) uint32 {
	crc := crc32.Update(0, castagnoli, head[:offCRC])
	crc = crc32.Update(crc, castagnoli, make([]byte, 4))
	return crc32.Update(crc, castagnoli, head[offCRC+4:])
}

// Hash returns a pack's content hash: SHA-256 of its bytes, in which based_on
// and the header's checksum count as zero. So a pack has the same hash
// whatever it was based on. What is no pack has a hash as well, so that a torn
// file can be told from the one that was known.
func Hash(data []byte) [32]byte {
	h := sha256.New()
	size := min(headerSize, len(data))
	h.Write(hashedHead(data[:size]))
	for piece := range pieces(data[size:]) {
		h.Write(piece)
	}
	return [32]byte(h.Sum(nil))
}

// hashedHead returns what counts for the hash of a pack's header, of which head
// is as much as there is.
func hashedHead(head []byte) []byte {
	if len(head) < headerSize {
		return head
	}
	head = bytes.Clone(head)
	clear(head[offBasedOn : offBasedOn+32])
	clear(head[offCRC : offCRC+4])
	return head
}

// SetBasedOn makes the pack in data say that its writer had loaded the pack of
// that content hash. The pack must be one that Parse accepts.
func SetBasedOn(data []byte, hash [32]byte) {
	copy(data[offBasedOn:], hash[:])
	sealHeader(data)
}

func sealHeader(data []byte) {
	size := headerSize + int(le.Uint32(data[offSections:]))*sectionEntrySize
	le.PutUint32(data[offCRC:], headerCRC(data[:size]))
}
