package cheader

import (
	"github.com/worldfs/worldfs/entity"
)

// group is the layout of a row, of a struct's members or of a list's element, as
// docs/pack-format.md has it under "Layout of a row".
type group struct {
	slots    []*slot // in the order of the fields
	placed   []*slot // in the order of their offsets
	isRow    bool
	id       int // a row's: offset of the ID
	presence int // offset of the presence bits
	bits     int
	size     int
	align    int
}

type slot struct {
	name        string
	shape       *entity.Shape
	offset      int
	size, align int
	bit         int    // -1 if the value is always there
	inner       *group // struct: its members; list: an element
}

func rowOf(l *entity.Layout) *group {
	g := &group{isRow: true}
	for _, f := range l.Fields {
		g.add(f.Name, &f.Shape, f.Optional || f.SaveWhen != "")
	}
	return g.place()
}

func membersOf(s *entity.Shape) *group {
	g := &group{}
	for _, f := range s.Fields {
		g.add(f.Name, &f.Shape, f.Optional)
	}
	return g.place()
}

func elementOf(of *entity.Shape) *group {
	g := &group{}
	g.add("", of, of.Optional)
	return g.place()
}

func (g *group) add(name string, s *entity.Shape, mayBeAbsent bool) {
	sl := &slot{name: name, shape: s, bit: -1}
	if mayBeAbsent {
		sl.bit, g.bits = g.bits, g.bits+1
	}
	switch {
	case s.Kind == entity.KindStruct:
		sl.inner = membersOf(s)
		sl.size, sl.align = sl.inner.size, sl.inner.align
	case s.Kind.IsList():
		sl.inner = elementOf(s.Of)
		sl.size, sl.align = 4, 4
	default:
		sl.size, sl.align = sizeOf(s)
	}
	g.slots = append(g.slots, sl)
}

// sizeOf returns the size and the alignment of a single value.
func sizeOf(s *entity.Shape) (size, align int) {
	switch k := s.Kind; {
	case k == entity.KindBool:
		return 1, 1
	case k == entity.KindF64, k == entity.KindFlags && s.WideFlags():
		return 8, 8
	case k == entity.KindGUID:
		return 16, 4
	case k.Components() > 0:
		return 4 * k.Components(), 4
	case k == entity.KindFlags, k == entity.KindString, k == entity.KindBlob, k == entity.KindExpr:
		return 4, 4
	default:
		return k.Bits() / 8, k.Bits() / 8
	}
}

// place gives each slot its offset.
func (g *group) place() *group {
	at := 0
	g.align = 1
	for _, align := range []int{8, 4, 2, 1} {
		if g.isRow && align == 4 {
			g.id, at, g.align = at, at+4, max(g.align, 4)
		}
		for _, s := range g.slots {
			if s.align == align {
				s.offset, at, g.align = at, at+s.size, max(g.align, align)
				g.placed = append(g.placed, s)
			}
		}
	}
	g.presence = at
	g.size = (max(at+g.presenceBytes(), 1) + g.align - 1) &^ (g.align - 1)
	return g
}

func (g *group) presenceBytes() int { return (g.bits + 7) / 8 }
