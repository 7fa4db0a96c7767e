// Package boltfile reads a bbolt file page by page without believing any of it.
// bbolt itself takes its pages for good: a damaged one makes it panic, recurse
// without end, or leave keys out. Walk finds what is wrong with the tree before
// bbolt is given the file; Scan finds what is whole when the tree is not.
//
// A file is pages of one size. All numbers are little-endian:
//
//	offset size
//	0      8    number of the page
//	8      2    kind: 1 branch, 2 leaf, 4 meta, 16 free pages
//	10     2    number of elements
//	12     4    how many pages follow that belong to it
//	16     …    elements; in a meta page what parseMeta reads
//
// An element is 16 bytes in a row of them, and its key and value behind the row:
//
//	branch  offset of the key u32, its length u32, number of the page below u64
//	leaf    1 for a bucket u32, offset of the key u32, its length u32, the value's u32
//
// Offsets count from the element. A bucket's value is the number of its root page
// and a sequence, u64 each; where the number is 0 a page follows in the value.
//
// Neither panics, whatever the bytes are; both take time in proportion to the
// file's size.
package boltfile

import (
	"encoding/binary"
	"hash/fnv"
)

const (
	headerSize  = 16
	elementSize = 16
	bucketSize  = 16
	metaSize    = 64

	magic   = 0xED0CDAED
	version = 2

	branchKind = 1
	leafKind   = 2
	metaKind   = 4

	// maxDepth is far more than the levels of any tree that fits on a disk.
	maxDepth = 64

	minPage, maxPage = 512, 1 << 16
)

// File is the bytes of a bbolt file.
type File struct {
	data     []byte
	pageSize int
	meta     meta // of the last transaction
	faults   []Fault
}

// Element is a key and its value in a bucket. Both belong to the file.
type Element struct {
	Bucket     string
	Key, Value []byte
	Page       uint64 // where it was found
}

// Fault is something that cannot be right.
type Fault struct {
	Bucket   string // "": it is not known which are concerned, or all
	From, To []byte // the keys that may be missing; To nil: up to the last
	What     string
}

// meta is what a meta page says.
type meta struct {
	pageSize int
	root     uint64
	pages    uint64 // no page from here on is used
	txid     uint64
}

// Parse looks at a file's meta pages.
func Parse(data []byte) *File {
	f := &File{data: data, pageSize: pageSizeOf(data)}
	if len(data) < 4*f.pageSize {
		f.fault("the file is empty or cut off")
	}
	found := false
	for i := range 2 {
		m, ok := parseMeta(data, i*f.pageSize, uint64(i))
		if !ok {
			f.fault("a meta page is damaged")
			continue
		}
		if !found || m.txid > f.meta.txid {
			f.meta, found = m, true
		}
	}
	return f
}

func (f *File) fault(what string) { f.faults = append(f.faults, Fault{What: what}) }

// Txid returns the number of the last transaction that a meta page tells of.
func (f *File) Txid() uint64 { return f.meta.txid }

// pageSizeOf returns the size that a meta page gives: the second lies behind the
// first, however large that is.
func pageSizeOf(data []byte) int {
	if m, ok := parseMeta(data, 0, 0); ok {
		return m.pageSize
	}
	for size := minPage; size <= maxPage; size *= 2 {
		if m, ok := parseMeta(data, size, 1); ok && m.pageSize == size {
			return size
		}
	}
	return 4096
}

// parseMeta reads a meta page:
//
//	offset size
//	16     4+4  magic, version
//	24     4+4  size of a page, flags
//	32     8+8  root page of the bucket of buckets, its sequence
//	48     8    page of the free pages
//	56     8    number of pages
//	64     8    number of the transaction
//	72     8    FNV-1a of these
func parseMeta(data []byte, at int, id uint64) (m meta, ok bool) {
	if at < 0 || len(data)-at < headerSize+metaSize {
		return m, false
	}
	page, le := data[at:at+headerSize+metaSize], binary.LittleEndian
	body := page[headerSize:]
	sum := fnv.New64a()
	sum.Write(body[:metaSize-8])
	m = meta{pageSize: int(le.Uint32(body[8:])), root: le.Uint64(body[16:]), pages: le.Uint64(body[40:]), txid: le.Uint64(body[48:])}
	ok = le.Uint64(page) == id && le.Uint16(page[8:]) == metaKind &&
		le.Uint32(body) == magic && le.Uint32(body[4:]) == version &&
		le.Uint64(body[metaSize-8:]) == sum.Sum64() &&
		m.pageSize >= minPage && m.pageSize <= maxPage && m.pageSize&(m.pageSize-1) == 0
	return m, ok
}

// page is one page and those that belong to it.
type page struct {
	data  []byte
	id    uint64
	kind  uint16
	count int
	more  uint64
}

// pageAt returns the page of a number, as far as it lies in the file.
func (f *File) pageAt(id uint64) (p page, ok bool) {
	pages := uint64(len(f.data) / f.pageSize)
	if id >= pages {
		return p, false
	}
	p, ok = parsePage(f.data[int(id)*f.pageSize:])
	if !ok || p.more >= pages-id {
		return p, false
	}
	p.data = p.data[:int(p.more+1)*f.pageSize]
	return p, true
}

func parsePage(data []byte) (p page, ok bool) {
	if len(data) < headerSize {
		return p, false
	}
	le := binary.LittleEndian
	return page{
		data: data, id: le.Uint64(data), kind: le.Uint16(data[8:]),
		count: int(le.Uint16(data[10:])), more: uint64(le.Uint32(data[12:])),
	}, true
}

// fits reports whether all elements lie in the page.
func (p page) fits() bool { return headerSize+p.count*elementSize <= len(p.data) }

// branch returns an element of a branch.
func (p page) branch(i int) (key []byte, below uint64, ok bool) {
	at := headerSize + i*elementSize
	le := binary.LittleEndian
	key, ok = cut(p.data, at, le.Uint32(p.data[at:]), le.Uint32(p.data[at+4:]))
	return key, le.Uint64(p.data[at+8:]), ok
}

// leaf returns an element of a leaf.
func (p page) leaf(i int) (key, value []byte, bucket, ok bool) {
	at := headerSize + i*elementSize
	le := binary.LittleEndian
	flags, pos := le.Uint32(p.data[at:]), le.Uint32(p.data[at+4:])
	keySize, valueSize := le.Uint32(p.data[at+8:]), le.Uint32(p.data[at+12:])
	key, ok = cut(p.data, at, pos, keySize)
	if !ok {
		return nil, nil, false, false
	}
	value, ok = cut(p.data, at+int(pos), keySize, valueSize)
	return key, value, flags == 1, ok && flags <= 1
}

// cut returns size bytes from an offset after at.
func cut(data []byte, at int, offset, size uint32) ([]byte, bool) {
	begin := uint64(at) + uint64(offset)
	end := begin + uint64(size)
	if end > uint64(len(data)) {
		return nil, false
	}
	return data[begin:end:end], true
}
