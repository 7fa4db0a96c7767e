package packfile

import (
	"bytes"
	"runtime"

	"github.com/worldfs/worldfs/entity"
)

// Digests returns a number for each entity, in the order of their IDs: two
// entities that are the same, in whichever packs, have the same, and two that
// are not have different ones but by accident (one in 2^64). It is for finding
// out quickly how far packs are apart, not for being sure. It costs about 200 ns
// an entity.
func (p *Pack) Digests() []uint64 {
	d := newDigester(p)
	out := make([]uint64, p.Len())
	for i := range out {
		if i%1000 == 0 {
			runtime.Gosched() // it is for later: others first
		}
		out[i] = d.entity(i)
	}
	return out
}

// DigestsAfter is Digests of a pack that EncodeChanges made of old, whose digests
// were before, and changes: only what changed is looked at. ok is false where that
// cannot be, since types have changed or before are not old's.
func (p *Pack) DigestsAfter(old *Pack, before []uint64, changes map[entity.ID]*entity.Entity) (digests []uint64, ok bool) {
	if len(before) != old.Len() || !bytes.Equal(p.bytes(secTypes), old.bytes(secTypes)) {
		return nil, false
	}
	d := newDigester(p)
	out := make([]uint64, p.Len())
	j := 0
	for i := range out {
		id := p.idAt(i)
		if _, changed := changes[id]; changed {
			out[i] = d.entity(i)
			continue
		}
		for j < old.Len() && old.idAt(j) < id {
			j++
		}
		if j == old.Len() || old.idAt(j) != id {
			return nil, false
		}
		out[i] = before[j]
	}
	return out, true
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// digestOf goes on with the FNV-1a hash h, eight bytes at a time where it can.
func digestOf[T string | []byte](h uint64, b T) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h, uint64(b[0])|uint64(b[1])<<8|uint64(b[2])<<16|uint64(b[3])<<24|
			uint64(b[4])<<32|uint64(b[5])<<40|uint64(b[6])<<48|uint64(b[7])<<56)
	}
	for i := range len(b) {
		h = (h ^ uint64(b[i])) * fnvPrime
	}
	return h
}

func mix(h, n uint64) uint64 {
	h = (h ^ n) * fnvPrime
	return h ^ h>>29
}

type digester struct {
	pack   *Pack
	tables []uint64 // of their types and revisions
	budget int      // as a decoder's
}

func newDigester(p *Pack) *digester {
	d := &digester{pack: p, tables: make([]uint64, len(p.tables)), budget: len(p.bytes(secHeap))}
	for i := range p.tables {
		l := p.tables[i].layout
		d.tables[i] = mix(digestOf(fnvOffset, l.Type.Name), uint64(l.Revision))
	}
	return d
}

func (d *digester) entity(i int) uint64 {
	p := d.pack
	t, row := p.place(i)
	h := d.group(d.tables[p.tableOf(i)], t.row, t.at+row*t.row.size, t.row)
	raw, err := p.rawFields(i)
	if err != nil {
		return mix(h, uint64(i))
	}
	for _, r := range raw {
		h = digestOf(digestOf(mix(h, uint64(len(r.Name))), r.Name), r.Lines)
	}
	return h
}

// group goes on with h over the group g at a file's offset.
func (d *digester) group(h uint64, g *group, at int, row *group) uint64 {
	b := d.pack.data[at : at+g.size]
	if !g.refs {
		return digestOf(h, b)
	}
	if g == row {
		h = mix(h, uint64(le.Uint32(b[g.id:])))
	}
	for i := range g.slots {
		s := &g.slots[i]
		if !g.present(b, s) {
			h = mix(h, 0)
			continue
		}
		h = mix(h, 1)
		switch {
		case s.inner != nil:
			h = d.group(h, s.inner, at+s.offset, nil)
		case s.hasRef():
			h = d.thing(h, s, le.Uint32(b[s.offset:]))
		default:
			h = digestOf(h, b[s.offset:s.offset+s.size])
		}
	}
	return h
}

// thing goes on with h over what a reference stands for.
func (d *digester) thing(h uint64, s *slot, ref uint32) uint64 {
	if ref == 0 {
		return mix(h, 0)
	}
	element := oneByte
	if s.shape.Kind.IsList() {
		element = s.element()
	}
	at, n, err := d.pack.heapAt(ref, element)
	if element != oneByte {
		d.budget -= 4 + n*element.size
	}
	if err != nil || d.budget < 0 {
		return mix(h, uint64(ref))
	}
	h = mix(h, uint64(n))
	if !element.refs {
		return digestOf(h, d.pack.data[at:at+n*element.size])
	}
	for i := range n {
		h = d.group(h, element, at+i*element.size, nil)
	}
	return h
}

// CheckAgainst is Check for a pack that is for the most part the same as one
// that is known to be good: what is the same is good too, and not decoded.
func (p *Pack) CheckAgainst(good *Pack) error {
	c := newComparison(p, good)
	d := decoder{pack: p, budget: p.header.sections[secHeap].len()}
	if places, ok := c.otherRows(); ok {
		for _, i := range places {
			if _, err := d.entity(i); err != nil {
				return err
			}
		}
		return nil
	}
	j := 0
	for i := range p.Len() {
		for j < good.Len() && good.idAt(j) < p.idAt(i) {
			j++
		}
		if j < good.Len() && good.idAt(j) == p.idAt(i) && c.sameRow(i, j) {
			continue
		}
		if _, err := d.entity(i); err != nil {
			return err
		}
	}
	return nil
}
