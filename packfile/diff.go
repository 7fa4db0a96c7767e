package packfile

import (
	"bytes"
	"iter"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

var _ entity.Differ = (*Pack)(nil)

// Differing yields the entities that are not the same in both packs, in the
// order of their IDs (see entity.Differing). Rows are compared as they lie;
// only those that differ are decoded, so that it costs about 200 ns an entity.
// ok is false if o is no pack.
func (p *Pack) Differing(o entity.Source) (pairs iter.Seq2[*entity.Entity, *entity.Entity], ok bool) {
	q, ok := o.(*Pack)
	if !ok {
		return nil, false
	}
	return func(yield func(*entity.Entity, *entity.Entity) bool) {
		switch {
		case p == q:
		case p.like == q:
			p.decodePairs(q, p.other, yield)
		case q.like == p:
			q.decodePairs(p, q.other, func(b, a *entity.Entity) bool { return yield(a, b) })
		default:
			newComparison(p, q).run(yield)
		}
	}, true
}

// pairing is the places of an entity in two packs, -1 where there is none.
type pairing struct{ in, there int }

// decodePairs yields those of the pairs that are not the same.
func (p *Pack) decodePairs(q *Pack, pairs []pairing, yield func(*entity.Entity, *entity.Entity) bool) {
	for _, at := range pairs {
		var a, b *entity.Entity
		if at.in >= 0 {
			a = p.decode(at.in)
		}
		if at.there >= 0 {
			b = q.decode(at.there)
		}
		if a == b || a != nil && b != nil && a.Same(b) {
			continue
		}
		if !yield(a, b) {
			return
		}
	}
}

// ParseLike is Parse and Check of a pack that has much in common with q, which has been
// Checked: what is the same there is not checked again. Differing then knows what is
// not.
func ParseLike(data []byte, q *Pack) (*Pack, error) {
	p, err := parse(data, q)
	if err != nil {
		return nil, err
	}
	if err := p.checkLike(q); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Pack) checkLike(q *Pack) error {
	c := newComparison(p, q)
	c.lists = len(p.bytes(secHeap))
	p.other = c.pairings()
	if c.lists < 0 {
		return p.corrupt(secHeap, p.header.sections[secHeap].off, "several values share a list")
	}
	v := newVerifier(p)
	for _, at := range p.other {
		if at.in < 0 {
			continue
		}
		if err := v.row(at.in); err != nil {
			return err
		}
	}
	p.like = q
	return nil
}

// pairings returns the places of the entities that are not known to be the same,
// in the order of their IDs.
func (c *comparison) pairings() (out []pairing) {
	if places, ok := c.otherRows(); ok {
		for _, i := range places {
			out = append(out, pairing{i, i})
		}
		return out
	}
	i, j := 0, 0
	for i < c.p.Len() || j < c.q.Len() {
		switch order := c.order(i, j); {
		case order < 0:
			out, i = append(out, pairing{i, -1}), i+1
		case order > 0:
			out, j = append(out, pairing{-1, j}), j+1
		default:
			if !c.sameRow(i, j) {
				out = append(out, pairing{i, j})
			}
			i, j = i+1, j+1
		}
	}
	return out
}

// comparison is two packs being compared.
type comparison struct {
	p, q   *Pack
	tables map[[2]uint32]bool // whether the rows of two tables are laid out alike
	shared int                // how many units at the beginning of the heaps are the same
	budget int                // as a decoder's, of one row
	lists  int                // the same for the lists of all rows
}

func newComparison(p, q *Pack) *comparison {
	c := &comparison{p: p, q: q, tables: make(map[[2]uint32]bool)}
	a, b := p.bytes(secHeap), q.bytes(secHeap)
	c.shared = sharedUnits(a, b)
	return c
}

// sharedUnits returns how many units of 4 bytes at the beginning of two heaps
// are the same.
func sharedUnits(a, b []byte) int {
	const block = 4096
	n, at := min(len(a), len(b)), 0
	for at+block <= n && bytes.Equal(a[at:at+block], b[at:at+block]) {
		at += block
	}
	for at+4 <= n && le.Uint32(a[at:]) == le.Uint32(b[at:]) {
		at += 4
	}
	return at / 4
}

// otherRows returns the places, in order, of the rows that are not the same bytes
// in both packs. ok is false unless the packs differ in nothing but rows of the
// same entities: then what is the same bytes is the same entity, and no row need
// be looked into.
func (c *comparison) otherRows() (places []int, ok bool) {
	for _, kind := range []int{secTypes, secTables, secHeap, secDirectory, secExtra} {
		if !bytes.Equal(c.p.bytes(kind), c.q.bytes(kind)) {
			return nil, false
		}
	}
	for n := range c.p.tables {
		t, u := &c.p.tables[n], &c.q.tables[n]
		for row := range differingRows(t.rows, u.rows, t.row.size) {
			place, there := c.p.find(t.ID(row))
			if !there || t.ID(row) != u.ID(row) {
				return nil, false
			}
			places = append(places, place)
		}
	}
	slices.Sort(places)
	return places, true
}

// differingRows yields the numbers of the rows of that size in which a and b,
// which are equally long, differ.
func differingRows(a, b []byte, size int) iter.Seq[int] {
	const together = 64 // rows compared at once
	return func(yield func(int) bool) {
		for at := 0; at < len(a); at += together * size {
			end := min(at+together*size, len(a))
			if bytes.Equal(a[at:end], b[at:end]) {
				continue
			}
			for row := at; row < end; row += size {
				if !bytes.Equal(a[row:row+size], b[row:row+size]) && !yield(row/size) {
					return
				}
			}
		}
	}
}

func (c *comparison) run(yield func(*entity.Entity, *entity.Entity) bool) {
	c.p.decodePairs(c.q, c.pairings(), yield)
}

// decode returns entity i, nil if it cannot be decoded (see Err). The few that differ
// do not keep a whole pack in memory.
func (p *Pack) decode(i int) *entity.Entity {
	d := decoder{pack: p, budget: p.header.sections[secHeap].len(), own: true}
	e, err := d.entity(i)
	p.keep(err)
	return e
}

// order tells which pack has the next entity: the first, both or the second.
func (c *comparison) order(i, j int) int {
	switch {
	case j == c.q.Len():
		return -1
	case i == c.p.Len():
		return 1
	}
	a, b := c.p.idAt(i), c.q.idAt(j)
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// sameRow reports whether two entities are known to be the same.
func (c *comparison) sameRow(i, j int) bool {
	t, row := c.p.place(i)
	u, other := c.q.place(j)
	if !c.alike(i, j, t, u) {
		return false
	}
	c.budget = len(c.p.bytes(secHeap))
	if !c.sameGroup(t.row, t.at+row*t.row.size, u.at+other*u.row.size) {
		return false
	}
	if len(c.p.bytes(secExtra)) == 0 && len(c.q.bytes(secExtra)) == 0 {
		return true
	}
	a, errA := c.p.rawFields(i)
	b, errB := c.q.rawFields(j)
	return errA == nil && errB == nil && equalRaw(a, b)
}

func equalRaw(a, b []entity.Raw) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// alike reports whether the rows of the tables of two entities are laid out by
// the same declaration.
func (c *comparison) alike(i, j int, t, u *Table) bool {
	if t.layout == u.layout {
		return true
	}
	key := [2]uint32{c.p.tableOf(i), c.q.tableOf(j)}
	same, known := c.tables[key]
	if !known {
		same = sameLayout(t.layout, u.layout)
		c.tables[key] = same
	}
	return same
}

// sameLayout reports whether two layouts are those of the same declaration.
func sameLayout(a, b *entity.Layout) bool {
	return a == b || a.Type.Name == b.Type.Name && a.Revision == b.Revision && a.Type.Unknown == b.Type.Unknown &&
		(a.Type == b.Type || a.Type.Unknown || bytes.Equal(typeLine(a.Type), typeLine(b.Type)))
}

func (p *Pack) tableOf(i int) uint32 {
	return le.Uint32(p.data[p.header.sections[secDirectory].off+i*directoryEntrySize:])
}

// sameGroup compares two groups of one layout at the files' offsets.
func (c *comparison) sameGroup(g *group, at, other int) bool {
	a, b := c.p.data[at:at+g.size], c.q.data[other:other+g.size]
	if !g.refs {
		return bytes.Equal(a, b)
	}
	for i := range g.slots {
		s := &g.slots[i]
		if g.present(a, s) != g.present(b, s) || g.present(a, s) && !c.sameSlot(s, at+s.offset, other+s.offset) {
			return false
		}
	}
	return true
}

func (c *comparison) sameSlot(s *slot, at, other int) bool {
	switch {
	case s.shape.Kind == entity.KindStruct:
		return c.sameGroup(s.inner, at, other)
	case s.hasRef():
		return c.sameThing(s, le.Uint32(c.p.data[at:]), le.Uint32(c.q.data[other:]))
	}
	return bytes.Equal(c.p.data[at:at+s.size], c.q.data[other:other+s.size])
}

// sameThing compares what two references stand for. What is wrong with them
// decoding will tell.
func (c *comparison) sameThing(s *slot, ref, other uint32) bool {
	if ref == 0 || other == 0 {
		return ref == other
	}
	element, isList := oneByte, s.shape.Kind.IsList()
	if isList {
		element = s.element()
	}
	at, n, err := c.p.heapAt(ref, element)
	if err != nil {
		return false
	}
	if isList {
		c.lists -= 4 + n*element.size
	}
	if ref == other && !element.refs && int(ref)+1+(n*element.size+3)/4 <= c.shared {
		return true
	}
	at2, n2, err := c.q.heapAt(other, element)
	c.budget -= 4 + n*element.size
	if err != nil || n != n2 || c.budget < 0 {
		return false
	}
	if !element.refs {
		return bytes.Equal(c.p.data[at:at+n*element.size], c.q.data[at2:at2+n*element.size])
	}
	for i := range n {
		if !c.sameGroup(element, at+i*element.size, at2+i*element.size) {
			return false
		}
	}
	return true
}
