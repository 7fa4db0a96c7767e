package packfile

import (
	"errors"
	"math"
)

// heapWriter makes the heap: what has no fixed size, each at a multiple of 4
// from the section's beginning and referred to by that multiple. 0 is what is
// empty. Texts are stored once, in the order of their first use; a list is
// stored for each value that has it.
type heapWriter struct {
	buf   []byte
	texts map[string]uint32 // of those that may come again
}

var errHeapFull = errors.New("the world's strings and lists are more than 16 GiB, which a pack cannot hold")

func newHeap() *heapWriter {
	return &heapWriter{buf: make([]byte, 4), texts: make(map[string]uint32)}
}

// text stores a string or a blob.
func (h *heapWriter) text(s string) (uint32, error) {
	if s == "" {
		return 0, nil
	}
	if ref, ok := h.texts[s]; ok {
		return ref, nil
	}
	ref, err := h.lonely(s)
	h.texts[s] = ref
	return ref, err
}

// lonely stores a text that is not there and will not come again.
func (h *heapWriter) lonely(s string) (uint32, error) {
	ref, err := h.here(len(s))
	if err != nil {
		return 0, err
	}
	h.buf = le.AppendUint32(h.buf, uint32(len(s)))
	h.buf = append(h.buf, s...)
	h.pad(4)
	return ref, nil
}

// list makes room for a list of n elements and returns where the first begins.
// The count stands in the 4 bytes before it.
func (h *heapWriter) list(n int, element *group) (ref uint32, at int, err error) {
	if element.align == 8 && len(h.buf)%8 == 0 {
		h.buf = append(h.buf, 0, 0, 0, 0)
	}
	if ref, err = h.here(n); err != nil {
		return 0, 0, err
	}
	h.buf = le.AppendUint32(h.buf, uint32(n))
	at = len(h.buf)
	h.buf = append(h.buf, make([]byte, n*element.size)...)
	h.pad(4)
	return ref, at, nil
}

// here returns a reference to the heap's end, where n things are to be put.
func (h *heapWriter) here(n int) (uint32, error) {
	if len(h.buf)/4 > math.MaxUint32 || n > math.MaxUint32 {
		return 0, errHeapFull
	}
	return uint32(len(h.buf) / 4), nil
}

func (h *heapWriter) pad(align int) {
	for len(h.buf)%align != 0 {
		h.buf = append(h.buf, 0)
	}
}
