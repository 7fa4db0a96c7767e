package packfile

import (
	"bytes"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// patch returns the pack of old's world with changes that leave everything
// where it is: the same entities of the same types, whose texts stay and whose
// lists keep their lengths, as where something is moved or a number is set. It
// is a copy of old in which those rows and lists are written anew; nothing else
// is looked at, and what Parse found out about old holds for it. Where they change
// nothing it is old itself. ok is false where the changes are others, or are not to
// be encoded at all.
func patch(world entity.GUID, types *entity.Types, old *Pack, changes map[entity.ID]*entity.Entity) (_ *Pack, ok bool) {
	if !old.canonical || world != old.World() || !old.declares(types) {
		return nil, false
	}
	w := patchWriter{old: old}
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		i, there := old.find(id)
		if !there || changes[id] == nil || !w.entity(i, changes[id]) {
			return nil, false
		}
	}
	if w.isDone() {
		return old, true
	}
	return w.apply(), true
}

// declares reports whether the pack's declarations are these.
func (p *Pack) declares(types *entity.Types) bool {
	if types == nil {
		return p.types.Len() == 0
	}
	all := types.All()
	if slices.Equal(all, p.types.All()) {
		return true
	}
	var d declarations
	d.types = types
	lines, err := d.lines()
	return err == nil && string(lines) == string(p.bytes(secTypes))
}

// patchWriter makes the bytes of an old pack that are others in the new one.
type patchWriter struct {
	old     *Pack
	patches []region
}

// region is bytes that take the place of a pack's, from an offset of the file.
type region struct {
	at    int
	bytes []byte
}

func (w *patchWriter) add(at, size int) region {
	r := region{at, make([]byte, size)}
	w.patches = append(w.patches, r)
	return r
}

// entity writes the row of entity i anew.
func (w *patchWriter) entity(i int, e *entity.Entity) bool {
	t, row := w.old.place(i)
	if !sameLayout(e.Layout, t.layout) || e.Validate() != nil {
		return false
	}
	unknown, err := w.old.rawFields(i)
	if err != nil || !slices.Equal(unknown, e.Unknown) {
		return false
	}
	r := w.add(t.at+row*t.row.size, t.row.size)
	le.PutUint32(r.bytes[t.row.id:], uint32(e.ID))
	return w.group(r, t.row, 0, e.Values)
}

// group writes values into the group at an offset of the region.
func (w *patchWriter) group(r region, g *group, at int, values []entity.Value) bool {
	for i := range g.slots {
		if !w.value(r, g, &g.slots[i], at, values[i]) {
			return false
		}
	}
	return true
}

func (w *patchWriter) value(r region, g *group, s *slot, at int, v entity.Value) bool {
	if v.IsNull() {
		return w.isEmpty(s, r.at+at+s.offset)
	}
	if s.bit >= 0 {
		r.bytes[at+g.presence+s.bit/8] |= 1 << (s.bit % 8)
	}
	at += s.offset
	switch {
	case s.inner != nil:
		return w.group(r, s.inner, at, v.Items())
	case !s.hasRef():
		putScalar(r.bytes[at:at+s.size], s.shape.Kind, v)
		return true
	}
	ref := le.Uint32(w.old.data[r.at+at:])
	le.PutUint32(r.bytes[at:], ref)
	if s.shape.Kind.IsList() {
		return w.list(s, ref, v.Items())
	}
	text, err := w.old.textAt(ref, false)
	return err == nil && text == v.Text()
}

// isEmpty reports whether nothing in the heap belongs to a slot, at an offset of
// the old file.
func (w *patchWriter) isEmpty(s *slot, at int) bool {
	if s.inner == nil {
		return !s.hasRef() || le.Uint32(w.old.data[at:]) == 0
	}
	for i := range s.inner.slots {
		if member := &s.inner.slots[i]; !w.isEmpty(member, at+member.offset) {
			return false
		}
	}
	return true
}

// list writes a list in the place of one of the same length.
func (w *patchWriter) list(s *slot, ref uint32, items []entity.Value) bool {
	if ref == 0 || len(items) == 0 {
		return ref == 0 && len(items) == 0
	}
	element := s.element()
	at, n, err := w.old.heapAt(ref, element)
	if err != nil || n != len(items) || s.shape.Kind == entity.KindSet && !inOrder(items) {
		return false
	}
	r := w.add(at, n*element.size)
	for i := range items {
		if !w.group(r, element, i*element.size, items[i:i+1]) {
			return false
		}
	}
	return true
}

// isDone reports whether the old pack is what the new one is to be.
func (w *patchWriter) isDone() bool {
	return w.old.BasedOn() == [32]byte{} && !slices.ContainsFunc(w.patches, func(r region) bool {
		return !bytes.Equal(w.old.data[r.at:r.at+len(r.bytes)], r.bytes)
	})
}

// apply makes the new pack.
func (w *patchWriter) apply() *Pack {
	data := clone(w.old.data)
	for _, r := range w.patches {
		copy(data[r.at:], r.bytes)
	}
	clear(data[offBasedOn : offBasedOn+32])
	for _, kind := range []int{secRows, secHeap} {
		s := w.old.header.sections[kind]
		le.PutUint32(data[headerSize+(kind-1)*sectionEntrySize+4:], checksum(data[s.off:s.end]))
	}
	sealHeader(data)
	h := *w.old.header
	h.basedOn = [32]byte{}
	p := newPack(data, &h)
	p.types, p.canonical = w.old.types, true
	p.tables = slices.Clone(w.old.tables)
	for i := range p.tables {
		t := &p.tables[i]
		end := t.at + len(t.rows)
		t.rows = data[t.at:end:end]
	}
	return p
}
