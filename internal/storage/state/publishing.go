package state

import (
	"encoding/binary"

	"github.com/worldfs/worldfs/entity"
)

// Mark says what is being published; it is noted before the exchange, and dropped
// when all is in step with the new pack.
type Mark struct {
	Next    [32]byte           // hash of the pack being published
	NextSeq uint64             // the last edit that it may have; 0: nothing is being published
	Taking  [32]byte           // the save that it takes in, zero for none
	Lacks   map[entity.ID]bool // those whose last edit it does not have
}

// append appends the mark's bytes, part of state.db's format:
//
//	offset size
//	0      32   hash of the pack
//	32     8    number of the last edit that it may have
//	40     32   hash of the save that it takes in
//	72     4n   IDs whose last edit it lacks
func (m Mark) append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = append(dst, m.Next[:]...)
	dst = le.AppendUint64(dst, m.NextSeq)
	dst = append(dst, m.Taking[:]...)
	for id := range m.Lacks {
		dst = le.AppendUint32(dst, uint32(id))
	}
	return dst
}

// parseMark reads what append wrote, the zero mark where there is none. Before there
// were saves to take in it ended after the edit's number.
func parseMark(b []byte) (m Mark) {
	le := binary.LittleEndian
	copy(m.Next[:], b)
	if len(b) >= 40 {
		m.NextSeq = le.Uint64(b[32:])
	}
	if len(b) < 72 {
		return m
	}
	copy(m.Taking[:], b[40:])
	m.Lacks = make(map[entity.ID]bool)
	for ids := b[72:]; len(ids) >= 4; ids = ids[4:] {
		m.Lacks[entity.ID(le.Uint32(ids))] = true
	}
	return m
}

// NextHas reports whether the pack that was being published has what a record
// says.
func (m *Mark) NextHas(id entity.ID, r *Record) bool { return r.Seq <= m.NextSeq && !m.Lacks[id] }
