package packfile

import (
	"bytes"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// checkVersion finds out that the pack's version is the one that has what its
// types declare and no greater one: a world has one pack.
func (p *Pack) checkVersion() error {
	if need := majorFor(p.types); p.header.major != need {
		return headerError(ErrCorrupt, offMajor, "the version is %d, and the declarations of the types are those of version %d", p.header.major, need)
	}
	return nil
}

// checkHeap checks what every reference into the heap relies on.
func (p *Pack) checkHeap() error {
	s := p.header.sections[secHeap]
	if s.len() < 4 || s.len()%4 != 0 {
		return p.corrupt(secHeap, s.off, "its length %d is no multiple of 4 from 4 on", s.len())
	}
	return nil
}

// hasPlacesOf reports whether the entities lie in the places of another pack's, which
// have been checked: the same IDs in tables of the same sizes, under the same directory
// and index.
func (p *Pack) hasPlacesOf(q *Pack) bool {
	for _, kind := range []int{secDirectory, secIndex} {
		if !bytes.Equal(p.bytes(kind), q.bytes(kind)) {
			return false
		}
	}
	return slices.EqualFunc(p.tables, q.tables, func(t, u Table) bool {
		if t.count != u.count {
			return false
		}
		for row := range t.count {
			if t.ID(row) != u.ID(row) {
				return false
			}
		}
		return true
	})
}

// checkPlaces finds out that every entity has its place, by directory and index.
func (p *Pack) checkPlaces() error {
	if err := p.checkDirectory(); err != nil {
		return err
	}
	return p.checkIndex()
}

// checkDirectory finds out that the directory has every row of every table
// once, in the order of IDs: the rows of a table come one after the other.
func (p *Pack) checkDirectory() error {
	s := p.header.sections[secDirectory]
	if uint64(s.len()) != uint64(p.Len())*directoryEntrySize {
		return p.corrupt(secDirectory, s.off, "it has %d bytes for %d entities", s.len(), p.Len())
	}
	next := make([]uint32, len(p.tables))
	last := entity.ID(0)
	for at := s.off; at < s.end; at += directoryEntrySize {
		n, row := le.Uint32(p.data[at:]), le.Uint32(p.data[at+4:])
		if uint64(n) >= uint64(len(p.tables)) {
			return p.corrupt(secDirectory, at, "table %d of %d", n, len(p.tables))
		}
		t := &p.tables[n]
		if row != next[n] || int(row) >= t.count {
			return p.corrupt(secDirectory, at+4, "row %d of table %d, which has %d rows and comes to row %d", row, n, t.count, next[n])
		}
		next[n]++
		id := t.ID(int(row))
		if id <= last {
			return p.corrupt(secDirectory, at, "entity %d comes after entity %d", id, last)
		}
		last = id
	}
	return nil
}

// checkIndex finds out that every entity is found under its ID, and nothing
// else is.
func (p *Pack) checkIndex() error {
	s := p.header.sections[secIndex]
	if uint64(s.len()) != 4*uint64(indexSlots(p.Len())) {
		return p.corrupt(secIndex, s.off, "it has %d bytes for %d entities", s.len(), p.Len())
	}
	used := 0
	for slot := range p.index.slots() {
		if p.index.at(slot) != 0 {
			used++
		}
	}
	if used != p.Len() {
		return p.corrupt(secIndex, s.off, "%d of its slots are used, for %d entities", used, p.Len())
	}
	for i := range p.Len() {
		id := p.idAt(i)
		slot := homeSlot(id, p.index.slots())
		for p.index.at(slot) != uint32(i+1) {
			if p.index.at(slot) == 0 {
				return p.corrupt(secIndex, s.off+4*slot, "entity %d is not found", id)
			}
			slot = p.index.after(slot)
		}
	}
	return nil
}

// checkExtra finds out that the unknown fields are in the order of their
// entities.
func (p *Pack) checkExtra() error {
	s := p.header.sections[secExtra]
	if s.len()%extraEntrySize != 0 {
		return p.corrupt(secExtra, s.off, "its length %d is no multiple of %d", s.len(), extraEntrySize)
	}
	last := uint32(0)
	for at := s.off; at < s.end; at += extraEntrySize {
		n := le.Uint32(p.data[at:])
		if uint64(n) >= uint64(p.Len()) || n < last {
			return p.corrupt(secExtra, at, "entity %d of %d, after %d", n, p.Len(), last)
		}
		last = n
	}
	return nil
}
