package packfile

import (
	"errors"

	"github.com/worldfs/worldfs/entity"
)

// valueWriter writes values into groups that lie in buf: the rows, or the
// heap, which grows while it is written to.
type valueWriter struct {
	heap *heapWriter
	buf  *[]byte
}

// value writes v into its slot of the group g at offset at. An absent value
// leaves the slot and its presence bit zero.
func (w valueWriter) value(s *slot, g *group, at int, v entity.Value) error {
	if v.IsNull() {
		return nil
	}
	if s.bit >= 0 {
		(*w.buf)[at+g.presence+s.bit/8] |= 1 << (s.bit % 8)
	}
	at += s.offset
	switch k := s.shape.Kind; {
	case k == entity.KindStruct:
		return w.members(s.inner, at, v.Items())
	case k.IsList():
		ref, err := w.list(s, v.Items())
		le.PutUint32((*w.buf)[at:], ref)
		return err
	case isText(k):
		ref, err := w.heap.text(v.Text())
		le.PutUint32((*w.buf)[at:], ref)
		return err
	}
	putScalar((*w.buf)[at:at+s.size], s.shape.Kind, v)
	return nil
}

func (w valueWriter) members(g *group, at int, members []entity.Value) error {
	for i := range g.slots {
		if err := w.value(&g.slots[i], g, at, members[i]); err != nil {
			return err
		}
	}
	return nil
}

// list stores the elements and then what they refer to.
func (w valueWriter) list(s *slot, items []entity.Value) (uint32, error) {
	if len(items) == 0 {
		return 0, nil
	}
	if s.shape.Kind == entity.KindSet && !inOrder(items) {
		return 0, errSetOrder
	}
	element := s.element()
	ref, at, err := w.heap.list(len(items), element)
	if err != nil {
		return 0, err
	}
	in := valueWriter{heap: w.heap, buf: &w.heap.buf}
	for _, item := range items {
		if err := in.value(&element.slots[0], element, at, item); err != nil {
			return 0, err
		}
		at += element.size
	}
	return ref, nil
}

// inOrder reports whether items are as a set's are: each after the one before.
func inOrder(items []entity.Value) bool {
	for i := 1; i < len(items); i++ {
		if items[i-1].Compare(items[i]) >= 0 {
			return false
		}
	}
	return true
}

// putScalar writes a value of fixed width, little-endian.
func putScalar(b []byte, kind entity.Kind, v entity.Value) {
	if n := kind.Components(); n > 0 {
		for i := range n {
			le.PutUint32(b[4*i:], v.Component(i))
		}
		return
	}
	if kind == entity.KindGUID {
		g := v.GUID()
		copy(b, g[:])
		return
	}
	putUint(b, v.Uint())
}

func putUint(b []byte, u uint64) {
	for i := range b {
		b[i] = byte(u >> (8 * i))
	}
}

// getUint reads 1, 2, 4 or 8 bytes.
func getUint(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(le.Uint16(b))
	case 4:
		return uint64(le.Uint32(b))
	}
	return le.Uint64(b)
}

// getScalar reads a value of fixed width. ok is false for a bool that is
// neither 0 nor 1.
func getScalar(b []byte, kind entity.Kind) (v entity.Value, ok bool) {
	switch {
	case kind == entity.KindBool:
		return entity.NewBool(b[0] != 0), b[0] <= 1
	case kind == entity.KindF32:
		return entity.NewF32(le.Uint32(b)), true
	case kind == entity.KindF64:
		return entity.NewF64(le.Uint64(b)), true
	case kind == entity.KindGUID:
		return entity.NewGUID(entity.GUID(b)), true
	case kind.Components() > 0:
		var c [4]uint32
		for i := range kind.Components() {
			c[i] = le.Uint32(b[4*i:])
		}
		return entity.NewVec(kind, c), true
	case kind.IsSigned():
		shift := 64 - kind.Bits()
		return entity.NewInt(kind, int64(getUint(b))<<shift>>shift), true
	}
	return entity.NewUint(kind, getUint(b)), true
}

var errSetOrder = errors.New("the set is not in order")
