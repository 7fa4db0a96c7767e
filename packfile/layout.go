package packfile

import (
	"sync"

	"github.com/worldfs/worldfs/entity"
)

// group is a run of slots with presence bits after them: a row, a struct, or
// an element of a list. Where everything lies follows from the fields alone,
// by the rule in docs/pack-format.md, "Layout of a row".
type group struct {
	slots    []slot // in the order of the fields
	presence int    // offset of the presence bits
	size     int    // a multiple of align, at least 1
	align    int    // 1, 2, 4 or 8: that of the slot that needs most
	id       int    // offset of the entity's ID; rows only
	refs     bool   // whether there are references into the heap in it
	plain    []span // where the slots lie that are plain
	others   []int  // the other slots, in the order of the fields: so is what they refer to
}

// slot is the place of one value in a group.
type slot struct {
	shape  *entity.Shape
	offset int
	bit    int    // its presence bit, or -1 if it is always there
	size   int    // in bytes
	align  int    // 1, 2, 4 or 8
	inner  *group // struct: its members

	// element lays out an element of a set or an array, when there is one: a
	// pack pays for what is in it, not for what its types declare.
	element func() *group
}

// newRow lays out the rows of entities with these fields.
func newRow(fields []*entity.Field) *group {
	g := &group{slots: make([]slot, len(fields))}
	for i, f := range fields {
		g.slots[i] = newSlot(&f.Shape, f.Optional || f.SaveWhen != "")
	}
	g.place(true)
	return g
}

// newStruct lays out a struct's members.
func newStruct(fields []*entity.Field) *group {
	g := &group{slots: make([]slot, len(fields))}
	for i, f := range fields {
		g.slots[i] = newSlot(&f.Shape, f.Optional)
	}
	g.place(false)
	return g
}

// newElement lays out an element of a list: a struct with one member.
func newElement(of *entity.Shape) *group {
	g := &group{slots: []slot{newSlot(of, of.Optional)}}
	g.place(false)
	return g
}

func newSlot(s *entity.Shape, mayBeAbsent bool) slot {
	sl := slot{shape: s, bit: -1}
	if mayBeAbsent {
		sl.bit = 0 // place numbers it
	}
	switch {
	case s.Kind == entity.KindStruct:
		sl.inner = newStruct(s.Fields)
		sl.size, sl.align = sl.inner.size, sl.inner.align
	case s.Kind.IsList():
		sl.element = sync.OnceValue(func() *group { return newElement(s.Of) })
		sl.size, sl.align = 4, 4
	default:
		sl.size, sl.align = scalarSize(s)
	}
	return sl
}

// scalarSize returns the size and the alignment of a value that is neither a
// list nor a struct.
func scalarSize(s *entity.Shape) (size, align int) {
	switch s.Kind {
	case entity.KindBool:
		return 1, 1
	case entity.KindF64:
		return 8, 8
	case entity.KindGUID:
		return 16, 4
	case entity.KindString, entity.KindBlob, entity.KindExpr:
		return 4, 4
	case entity.KindFlags:
		if !s.WideFlags() {
			return 4, 4
		}
	}
	if n := s.Kind.Components(); n > 0 {
		return 4 * n, 4
	}
	n := s.Kind.Bits() / 8
	return n, n
}

// place gives every slot its offset: those that need alignment 8 first, then
// 4, 2 and 1, each in the order of the fields; a row's ID is the first of
// those that need 4. So there are no gaps before the presence bits.
func (g *group) place(isRow bool) {
	at, bits := 0, 0
	g.align = 1
	for _, align := range [...]int{8, 4, 2, 1} {
		if isRow && align == 4 {
			g.id, at, g.align = at, at+4, max(g.align, 4)
		}
		for i := range g.slots {
			if s := &g.slots[i]; s.align == align {
				s.offset, at = at, at+s.size
				g.align = max(g.align, align)
				g.refs = g.refs || s.hasRef() || s.inner != nil && s.inner.refs
				if s.isPlain() {
					g.addPlain(s)
				}
			}
		}
	}
	for i := range g.slots {
		s := &g.slots[i]
		if s.bit >= 0 {
			s.bit, bits = bits, bits+1
		}
		if !s.isPlain() {
			g.others = append(g.others, i)
		}
	}
	g.presence = at
	g.size = roundUp(max(at+(bits+7)/8, 1), g.align)
}

// isPlain reports whether a slot's value is always there and holds no reference.
func (s *slot) isPlain() bool { return s.bit < 0 && s.inner == nil && !s.hasRef() }

// addPlain notes where a plain slot lies, behind those before.
func (g *group) addPlain(s *slot) {
	end := s.offset + s.size
	if last := len(g.plain) - 1; last >= 0 && g.plain[last].end == s.offset {
		g.plain[last].end = end
		return
	}
	g.plain = append(g.plain, span{s.offset, end})
}

// hasRef reports whether the slot holds a reference into the heap.
func (s *slot) hasRef() bool {
	k := s.shape.Kind
	return k.IsList() || isText(k)
}

// isText reports whether values of the kind are bytes in the heap.
func isText(k entity.Kind) bool {
	return k == entity.KindString || k == entity.KindBlob || k == entity.KindExpr
}

func roundUp(n, align int) int { return (n + align - 1) &^ (align - 1) }
