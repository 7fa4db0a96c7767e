package packfile

import (
	"errors"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/worldfs/worldfs/entity"
)

// decoder makes entities of rows.
type decoder struct {
	pack *Pack

	// budget is how many bytes of lists may still be read. No list is referred
	// to twice, so all that an entity has fit into the heap; without this, a
	// few lists that refer to each other could stand for any number.
	budget int

	scratch *Scratch // where entities lie; nil: each has memory of its own
	own     bool     // texts are copied: an entity does not keep the pack's bytes alive
}

// text returns the string or the blob that a reference refers to.
func (d *decoder) text(ref uint32, isString bool) (string, error) {
	text, err := d.pack.textAt(ref, isString)
	if d.own {
		text = strings.Clone(text)
	}
	return text, err
}

func (d *decoder) newEntity() *entity.Entity {
	if d.scratch == nil {
		return new(entity.Entity)
	}
	return &d.scratch.entity
}

func (d *decoder) newValues(n int) []entity.Value {
	if d.scratch == nil {
		return make([]entity.Value, n)
	}
	return d.scratch.take(n)
}

func (d *decoder) entity(i int) (*entity.Entity, error) {
	t, row := d.pack.place(i)
	e := d.newEntity()
	e.ID, e.Layout = t.ID(row), t.layout
	var err error
	if e.Values, err = d.values(t.row, t.at+row*t.row.size, t.layout.Fields); err != nil {
		return nil, within(clip(e.Type())+" "+e.ID.String()+", ", err)
	}
	if e.Unknown, err = d.pack.rawFields(i); err != nil {
		return nil, within(clip(e.Type())+" "+e.ID.String()+", unknown fields: ", err)
	}
	for i, raw := range e.Unknown {
		if d.own {
			e.Unknown[i] = entity.Raw{Name: strings.Clone(raw.Name), Lines: strings.Clone(raw.Lines)}
		}
	}
	return e, nil
}

// within says before the reason what it is about.
func within(what string, err error) error {
	var pe *Error
	if !errors.As(err, &pe) {
		return err
	}
	c := *pe
	c.Reason = what + pe.Reason
	return &c
}

// values decodes the group at a file's offset, which is known to lie in it.
func (d *decoder) values(g *group, at int, fields []*entity.Field) ([]entity.Value, error) {
	out := d.newValues(len(g.slots))
	for i := range g.slots {
		v, err := d.value(g, &g.slots[i], at)
		if err != nil {
			return nil, within("field "+clip(fields[i].Name)+": ", err)
		}
		out[i] = v
	}
	return out, nil
}

// value decodes one slot of the group at a file's offset.
func (d *decoder) value(g *group, s *slot, at int) (entity.Value, error) {
	p := d.pack
	if !g.present(p.data[at:at+g.size], s) {
		return entity.Value{}, nil
	}
	at += s.offset
	switch k := s.shape.Kind; {
	case k == entity.KindStruct:
		members, err := d.values(s.inner, at, s.shape.Fields)
		return entity.NewStruct(members), err
	case k.IsList():
		items, err := d.list(s, at)
		return entity.NewList(k, items), err
	case k == entity.KindString:
		text, err := d.text(le.Uint32(p.data[at:]), true)
		return entity.NewString(text), err
	case k == entity.KindExpr:
		text, err := d.text(le.Uint32(p.data[at:]), true)
		if err == nil {
			err = s.shape.Check(entity.NewExpr(text))
		}
		return entity.NewExpr(text), err
	case k == entity.KindBlob:
		text, err := d.text(le.Uint32(p.data[at:]), false)
		return entity.NewBlob(text), err
	case k.IsMatrix():
		text := p.text[at : at+s.size]
		if d.own {
			text = strings.Clone(text)
		}
		return entity.NewMatrix(k, text), nil
	}
	v, ok := getScalar(p.data[at:at+s.size], s.shape.Kind)
	if !ok {
		return v, p.corrupt(p.sectionAt(at), at, "the bool is %d, neither 0 nor 1", p.data[at])
	}
	return v, nil
}

// list decodes the list whose reference stands at a file's offset.
func (d *decoder) list(s *slot, at int) ([]entity.Value, error) {
	p := d.pack
	ref := le.Uint32(p.data[at:])
	if ref == 0 {
		return nil, nil
	}
	element := s.element()
	at, n, err := p.heapAt(ref, element)
	if err != nil {
		return nil, err
	}
	if d.budget -= 4 + n*element.size; d.budget < 0 {
		return nil, p.corrupt(secHeap, at, "several values share a list")
	}
	items := d.newValues(n)
	for i := range items {
		if items[i], err = d.value(element, &element.slots[0], at+i*element.size); err != nil {
			return nil, err
		}
	}
	if s.shape.Kind == entity.KindSet && !inOrder(items) {
		return nil, p.corrupt(secHeap, at, "%v", errSetOrder)
	}
	return items, nil
}

// oneByte lays out the elements of texts.
var oneByte = &group{size: 1, align: 1}

// textAt returns the string or the blob that a reference refers to.
func (p *Pack) textAt(ref uint32, isString bool) (string, error) {
	if ref == 0 {
		return "", nil
	}
	at, n, err := p.heapAt(ref, oneByte)
	if err != nil {
		return "", err
	}
	text := p.text[at : at+n]
	if isString && !utf8.ValidString(text) {
		return "", p.corrupt(secHeap, at, "the string is not UTF-8")
	}
	return text, nil
}

// heapAt returns where in the file the things begin that a reference refers
// to, and how many they are; they are known to lie in the heap then.
func (p *Pack) heapAt(ref uint32, element *group) (at, n int, err error) {
	s := p.header.sections[secHeap]
	if ref == 0 || uint64(ref) >= uint64(s.len()/4) {
		return 0, 0, p.corrupt(secHeap, s.off, "a reference to unit %d of %d", ref, s.len()/4)
	}
	at = s.off + 4*int(ref)
	count := le.Uint32(p.data[at:])
	at += 4
	if uint64(count) > uint64(s.end-at)/uint64(element.size) {
		return 0, 0, p.corrupt(secHeap, at-4, "%d times %d bytes go beyond the end of the section", count, element.size)
	}
	if element.align == 8 && (at-s.off)%8 != 0 {
		return 0, 0, p.corrupt(secHeap, at, "the elements of the list are not aligned to 8")
	}
	return at, int(count), nil
}

// sectionAt returns the section that a file's offset lies in.
func (p *Pack) sectionAt(offset int) int {
	for kind, s := range p.header.sections {
		if offset >= s.off && offset < s.end {
			return kind
		}
	}
	return 0
}

// extraOf returns which fields of the extra section are entity i's.
func (p *Pack) extraOf(i int) (first, end int) {
	s := p.header.sections[secExtra]
	owner := func(k int) int { return int(le.Uint32(p.data[s.off+k*extraEntrySize:])) }
	all := s.len() / extraEntrySize
	if all == 0 {
		return 0, 0
	}
	first = sort.Search(all, func(k int) bool { return owner(k) >= i })
	end = first
	for end < all && owner(end) == i {
		end++
	}
	return first, end
}

// extraRefs returns where the name and the lines of a field of the extra section
// are.
func (p *Pack) extraRefs(k int) (name, lines uint32) {
	entry := p.data[p.header.sections[secExtra].off+k*extraEntrySize:]
	return le.Uint32(entry[4:]), le.Uint32(entry[8:])
}

// rawFields returns the unknown fields of entity i.
func (p *Pack) rawFields(i int) ([]entity.Raw, error) {
	first, end := p.extraOf(i)
	if end == first {
		return nil, nil
	}
	out := make([]entity.Raw, end-first)
	for k := range out {
		name, lines := p.extraRefs(first + k)
		var err error
		if out[k].Name, err = p.textAt(name, false); err != nil {
			return nil, err
		}
		if out[k].Lines, err = p.textAt(lines, false); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Text returns the string or the bytes that a slot's reference refers to, for
// callers that read rows in place. ok is false if it refers to nothing in the
// heap.
func (p *Pack) Text(ref uint32) (text string, ok bool) {
	text, err := p.textAt(ref, false)
	return text, err == nil
}
