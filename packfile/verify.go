package packfile

import (
	"unicode/utf8"

	"github.com/worldfs/worldfs/entity"
)

// verifier finds out whether rows can be decoded, without making entities of them:
// it looks at what can be wrong, which numbers cannot. What it does not understand
// it leaves to the decoder, which tells what is wrong.
type verifier struct {
	decoder
	doubtful map[*group][]int // the slots of a group in which something can be wrong
}

func newVerifier(p *Pack) *verifier {
	return &verifier{
		decoder:  decoder{pack: p, budget: p.header.sections[secHeap].len(), scratch: new(Scratch)},
		doubtful: make(map[*group][]int),
	}
}

// row checks entity i.
func (v *verifier) row(i int) error {
	t, row := v.pack.place(i)
	budget := v.budget
	if first, end := v.pack.extraOf(i); first == end && v.group(t.row, t.at+row*t.row.size) {
		return nil
	}
	v.budget = budget
	v.scratch.Reset()
	_, err := v.entity(i)
	return err
}

// slots returns the slots of a group in which something can be wrong.
func (v *verifier) slots(g *group) []int {
	slots, known := v.doubtful[g]
	if known {
		return slots
	}
	v.doubtful[g] = nil // where a group has itself in it
	for i := range g.slots {
		s := &g.slots[i]
		if s.hasRef() || s.shape.Kind == entity.KindBool || s.inner != nil && len(v.slots(s.inner)) > 0 {
			slots = append(slots, i)
		}
	}
	v.doubtful[g] = slots
	return slots
}

// group reports whether the group at a file's offset is known to be right.
func (v *verifier) group(g *group, at int) bool {
	b := v.pack.data[at : at+g.size]
	for _, i := range v.slots(g) {
		if s := &g.slots[i]; g.present(b, s) && !v.slot(s, at+s.offset) {
			return false
		}
	}
	return true
}

func (v *verifier) slot(s *slot, at int) bool {
	switch k := s.shape.Kind; {
	case k == entity.KindStruct:
		return v.group(s.inner, at)
	case k.IsList():
		return v.items(s, at)
	case k == entity.KindExpr:
		text, err := v.pack.textAt(le.Uint32(v.pack.data[at:]), false)
		return err == nil && s.shape.Check(entity.NewExpr(text)) == nil
	case k == entity.KindString, k == entity.KindBlob:
		text, err := v.pack.textAt(le.Uint32(v.pack.data[at:]), false)
		return err == nil && (k == entity.KindBlob || utf8.ValidString(text))
	case k == entity.KindBool:
		return v.pack.data[at] <= 1
	}
	return false
}

// items reports whether a list is known to be right. Of a set the order counts, for
// which it is decoded.
func (v *verifier) items(s *slot, at int) bool {
	if s.shape.Kind == entity.KindSet {
		v.scratch.Reset()
		_, err := v.list(s, at)
		return err == nil
	}
	ref := le.Uint32(v.pack.data[at:])
	if ref == 0 {
		return true
	}
	element := s.element()
	at, n, err := v.pack.heapAt(ref, element)
	if err != nil {
		return false
	}
	if v.budget -= 4 + n*element.size; v.budget < 0 {
		return false
	}
	if len(v.slots(element)) == 0 {
		return true
	}
	for i := range n {
		if !v.group(element, at+i*element.size) {
			return false
		}
	}
	return true
}
