package packfile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// EncodeChanges returns the pack that Encode makes of what old has, but for
// changes: entities in place of those of their IDs, nil for those that are not
// there any more. What did not change is copied and not decoded: where the
// changes leave everything in its place (see patch), in one piece, and else row
// by row, which costs about a fifth of Encode. Where they change nothing it may be
// old itself. Types stay the very same: the pack's entities are under those of the
// changed ones. old must have been Checked, or be one that Encode made.
func EncodeChanges(world entity.GUID, types *entity.Types, old *Pack, changes map[entity.ID]*entity.Entity) (*Pack, error) {
	if p, ok := patch(world, types, old, changes); ok {
		return p, nil
	}
	e, data, err := copyWithChanges(world, types, old, changes)
	if err != nil {
		return nil, err
	}
	lastParsed.Store(&parsed{string(e.sections[secTypes]), e.declared.types.All()})
	p, err := Parse(join(data))
	if err != nil {
		return nil, fmt.Errorf("encode pack: %w", err)
	}
	p.canonical = true
	return p, nil
}

// EncodedChanges is the bytes of EncodeChanges, in parts that are written one after
// the other: that spares the memory of one more pack.
func EncodedChanges(world entity.GUID, types *entity.Types, old *Pack, changes map[entity.ID]*entity.Entity) ([][]byte, error) {
	if p, ok := patch(world, types, old, changes); ok {
		return [][]byte{p.data}, nil
	}
	_, data, err := copyWithChanges(world, types, old, changes)
	return data, err
}

func copyWithChanges(world entity.GUID, types *entity.Types, old *Pack, changes map[entity.ID]*entity.Entity) (*encoder, [][]byte, error) {
	e := &encoder{world: world, heap: newHeap(), tables: make(map[tableKey]*tableWriter), old: newCopier(old)}
	data, err := e.encodeChanges(types, changes)
	if err != nil {
		return nil, nil, fmt.Errorf("encode pack: %w", err)
	}
	return e, data, nil
}

func (e *encoder) encodeChanges(types *entity.Types, changes map[entity.ID]*entity.Entity) ([][]byte, error) {
	if err := e.collectTypes(types); err != nil {
		return nil, err
	}
	if err := e.collectChanges(changes); err != nil {
		return nil, err
	}
	room := len(e.old.pack.bytes(secHeap)) // and for some changes: to grow it would take as much once more
	e.heap.buf = slices.Grow(e.heap.buf, room+room/64+64<<10)
	if e.old.pack.canonical {
		e.old.again = e.textsOf(changes)
	} else {
		e.heap.texts = make(map[string]uint32, e.old.pack.Len()) // about one each: to grow takes as long as to fill
	}
	return e.encode()
}

func (e *encoder) collectChanges(changes map[entity.ID]*entity.Entity) error {
	old := e.old.pack
	e.members = make([]member, 0, old.Len()+len(changes))
	e.homes = make([]*tableWriter, 0, old.Len()+len(changes))
	ids := slices.Sorted(maps.Keys(changes))
	for i := range old.Len() {
		id := old.idAt(i)
		for len(ids) > 0 && ids[0] < id {
			if err := e.addChanged(changes[ids[0]]); err != nil {
				return err
			}
			ids = ids[1:]
		}
		if len(ids) > 0 && ids[0] == id {
			if err := e.addChanged(changes[id]); err != nil {
				return err
			}
			ids = ids[1:]
			continue
		}
		home, err := e.oldHome(i)
		if err != nil {
			return err
		}
		e.put(home, member{id: id, place: uint32(i)})
	}
	for _, id := range ids {
		if err := e.addChanged(changes[id]); err != nil {
			return err
		}
	}
	return e.checkNumber()
}

func (e *encoder) addChanged(n *entity.Entity) error {
	if n == nil {
		return nil
	}
	if err := n.Validate(); err != nil {
		return err
	}
	return e.add(n)
}

// oldHome returns the table for an entity of the old pack.
func (e *encoder) oldHome(place int) (*tableWriter, error) {
	table := e.old.pack.tableOf(place)
	if home := e.old.homes[table]; home != nil {
		return home, nil
	}
	home, err := e.homeOf(e.old.pack.tables[table].layout)
	e.old.homes[table] = home
	return home, err
}

// textsOf returns the texts that are not copied by reference: those of the
// changed entities, and the names of types.
func (e *encoder) textsOf(changes map[entity.ID]*entity.Entity) map[string]bool {
	texts := make(map[string]bool)
	for _, t := range e.ordered {
		texts[t.name] = true
	}
	for _, n := range changes {
		if n == nil {
			continue
		}
		for _, v := range n.Values {
			addTexts(texts, v)
		}
		for _, raw := range n.Unknown {
			texts[raw.Name], texts[raw.Lines] = true, true
		}
	}
	return texts
}

func addTexts(texts map[string]bool, v entity.Value) {
	switch k := v.Kind(); {
	case isText(k):
		texts[v.Text()] = true
	case k == entity.KindStruct || k.IsList():
		for _, item := range v.Items() {
			addTexts(texts, item)
		}
	}
}

// copier copies rows of an older pack, and what they refer to.
type copier struct {
	pack  *Pack
	homes []*tableWriter // of its tables
	texts []uint32       // where the text of that reference is in the new heap; 0: nowhere yet

	// again are the texts that others than the copier put into the heap, too. Of
	// the rest an old pack that is canonical has each under one reference. nil
	// where that is not known.
	again map[string]bool
}

func newCopier(old *Pack) *copier {
	return &copier{pack: old, homes: make([]*tableWriter, len(old.tables)), texts: make([]uint32, len(old.bytes(secHeap))/4+1)}
}

// row copies the row of an entity to an offset in the rows.
func (c *copier) row(w valueWriter, at, place int) error {
	t, row := c.pack.place(place)
	if err := c.group(w, t.row, at, t.at+row*t.row.size); err != nil {
		return fmt.Errorf("entity %d: %w", c.pack.idAt(place), err)
	}
	return nil
}

// group copies a group from an offset of the old file to one of the buffer. It
// copies what is present and nothing between, so that the bytes are those that
// encoding gives.
func (c *copier) group(w valueWriter, g *group, to, from int) error {
	b := c.pack.data[from : from+g.size]
	for _, s := range g.plain {
		copy((*w.buf)[to+s.off:to+s.end], b[s.off:s.end])
	}
	for _, i := range g.others {
		s := &g.slots[i]
		if !g.present(b, s) {
			continue
		}
		if s.bit >= 0 {
			(*w.buf)[to+g.presence+s.bit/8] |= 1 << (s.bit % 8)
		}
		if err := c.slot(w, s, to+s.offset, from+s.offset); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) slot(w valueWriter, s *slot, to, from int) (err error) {
	switch {
	case s.inner != nil:
		return c.group(w, s.inner, to, from)
	case !s.hasRef():
		copy((*w.buf)[to:to+s.size], c.pack.data[from:from+s.size])
		return nil
	}
	ref := le.Uint32(c.pack.data[from:])
	if ref == 0 {
		return nil
	}
	if s.shape.Kind.IsList() {
		ref, err = c.list(w.heap, s.element(), ref)
	} else {
		ref, err = c.text(w.heap, ref)
	}
	le.PutUint32((*w.buf)[to:], ref)
	return err
}

func (c *copier) text(heap *heapWriter, ref uint32) (uint32, error) {
	if ref == 0 {
		return 0, nil
	}
	if int(ref) < len(c.texts) && c.texts[ref] != 0 {
		return c.texts[ref], nil
	}
	text, err := c.pack.textAt(ref, false)
	if err != nil {
		return 0, err
	}
	put := heap.text
	if c.again != nil && !c.again[text] {
		put = heap.lonely
	}
	now, err := put(text)
	c.texts[ref] = now
	return now, err
}

func (c *copier) list(heap *heapWriter, element *group, ref uint32) (uint32, error) {
	from, n, err := c.pack.heapAt(ref, element)
	if err != nil || n == 0 {
		return 0, err
	}
	now, to, err := heap.list(n, element)
	if err != nil {
		return 0, err
	}
	if len(element.others) == 0 {
		copy(heap.buf[to:], c.pack.data[from:from+n*element.size])
		return now, nil
	}
	in := valueWriter{heap: heap, buf: &heap.buf}
	for i := range n {
		if err := c.group(in, element, to+i*element.size, from+i*element.size); err != nil {
			return 0, err
		}
	}
	return now, nil
}
