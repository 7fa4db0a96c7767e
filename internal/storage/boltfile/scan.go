package boltfile

import "encoding/binary"

// Scan calls visit for everything in the file that looks like an element of a
// leaf, whether the tree leads to it or not: also what earlier transactions have
// left in pages that are free now. Which bucket it was in is not known. Only a
// checksum in the value can say that it is one.
func (f *File) Scan(visit func(Element)) {
	for id := range uint64(len(f.data) / f.pageSize) {
		at := int(id) * f.pageSize
		if p, ok := parsePage(f.data[at:]); ok {
			p.id = id
			scanPage(p, f.pageSize, visit)
		}
	}
}

// scanPage reads a page as a leaf. How many elements it has its header says and,
// again, the offset of the first one's key, which follows the last of them.
func scanPage(p page, size int, visit func(Element)) {
	if len(p.data) < headerSize+elementSize {
		return
	}
	most := (min(size, len(p.data)) - headerSize) / elementSize
	first := int(min(binary.LittleEndian.Uint32(p.data[headerSize+4:]), uint32(size))) / elementSize
	for i := range min(max(p.count, first), most) {
		key, value, bucket, ok := p.leaf(i)
		switch {
		case !ok || len(key) == 0:
		case !bucket:
			visit(Element{Key: key, Value: value, Page: p.id})
		case len(value) > bucketSize:
			if inside, ok := parsePage(value[bucketSize:]); ok {
				inside.id = p.id
				scanPage(inside, len(inside.data), visit)
			}
		}
	}
}
