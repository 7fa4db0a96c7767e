package boltfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Walk calls visit for every element of every bucket that the tree of the last
// transaction leads to, and returns what is wrong with that tree. Where there is
// nothing, bbolt reads the same. An element of a damaged page is visited where it
// lies in the page: whether it is whole only its own checksum can say.
func (f *File) Walk(visit func(Element)) []Fault {
	w := walk{file: f, visit: visit, seen: make(map[uint64]bool)}
	w.faults = append(w.faults, f.faults...)
	if f.meta.pageSize != 0 {
		w.tree(f.meta.root, span{}, 0)
	}
	return w.faults
}

// walk is one Walk.
type walk struct {
	file   *File
	visit  func(Element)
	bucket string // "": the bucket of buckets
	seen   map[uint64]bool
	faults []Fault
}

// span is the keys that may stand in a page: from from to before to, nil for no
// bound.
type span struct{ from, to []byte }

func (s span) has(key []byte) bool {
	return bytes.Compare(key, s.from) >= 0 && (s.to == nil || bytes.Compare(key, s.to) < 0)
}

func (w *walk) fault(s span, format string, args ...any) {
	w.faults = append(w.faults, Fault{Bucket: w.bucket, From: s.from, To: s.to, What: fmt.Sprintf(format, args...)})
}

// tree walks what lies below a page.
func (w *walk) tree(id uint64, s span, depth int) {
	p, ok := w.file.pageAt(id)
	switch {
	case !ok || id < 2 || id+p.more >= w.file.meta.pages:
		w.fault(s, "page %d is not in the file", id)
	case p.id != id:
		w.fault(s, "page %d says that it is page %d", id, p.id)
	case depth > maxDepth || w.again(p):
		w.fault(s, "page %d is in two places", id)
	default:
		w.page(p, s, depth)
	}
}

// again reports whether a page, or one that belongs to it, was met before.
func (w *walk) again(p page) bool {
	for id := p.id; id <= p.id+p.more; id++ {
		if w.seen[id] {
			return true
		}
		w.seen[id] = true
	}
	return false
}

func (w *walk) page(p page, s span, depth int) {
	switch {
	case !p.fits():
		w.fault(s, "page %d has more elements than it has room for", p.id)
	case p.kind == leafKind:
		w.leaf(p, s, depth)
	case p.kind == branchKind && p.count > 0:
		w.branch(p, s, depth)
	default:
		w.fault(s, "page %d is neither branch nor leaf", p.id)
	}
}

// branch walks the pages below. A key is the least that the page below may have,
// and the next key is more than that has; a lookup goes by nothing else.
func (w *walk) branch(p page, s span, depth int) {
	type child struct {
		key []byte
		id  uint64
	}
	var children []child
	for i := range p.count {
		key, below, ok := p.branch(i)
		if !ok || i > 0 && !s.has(key) || i > 0 && bytes.Compare(key, children[i-1].key) <= 0 {
			w.fault(s, "page %d has its keys in disorder", p.id)
			return
		}
		children = append(children, child{key, below})
	}
	if !s.has(children[0].key) {
		w.fault(s, "page %d has its keys in disorder", p.id)
		return
	}
	for i, c := range children {
		below := span{c.key, s.to}
		if i+1 < len(children) {
			below.to = children[i+1].key
		}
		w.tree(c.id, below, depth+1)
	}
}

func (w *walk) leaf(p page, s span, depth int) {
	var last []byte
	orderly := true
	for i := range p.count {
		key, value, bucket, ok := p.leaf(i)
		if !ok || !s.has(key) || i > 0 && last != nil && bytes.Compare(key, last) <= 0 || bucket != (w.bucket == "") {
			orderly = false
		}
		if !ok {
			continue
		}
		last = key
		if w.bucket == "" {
			w.sub(key, value, p.id, depth)
		} else {
			w.visit(Element{Bucket: w.bucket, Key: key, Value: value, Page: p.id})
		}
	}
	if !orderly {
		w.fault(s, "page %d has its keys in disorder", p.id)
	}
}

// sub walks a bucket, in its pages or in its value.
func (w *walk) sub(name, value []byte, in uint64, depth int) {
	if len(name) == 0 || len(value) < bucketSize {
		w.fault(span{}, "page %d has a bucket that is cut off", in)
		return
	}
	w.bucket = string(name)
	defer func() { w.bucket = "" }()
	if root := binary.LittleEndian.Uint64(value); root != 0 {
		w.tree(root, span{}, depth+1)
		return
	}
	p, ok := parsePage(value[bucketSize:])
	if !ok || !p.fits() || p.kind != leafKind {
		w.fault(span{}, "the bucket in page %d is damaged", in)
		return
	}
	p.id = in
	w.leaf(p, span{}, depth)
}
