package packfile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

const (
	tableEntrySize     = 32
	directoryEntrySize = 8
	extraEntrySize     = 12

	// flagUndeclared marks a table whose type has no declaration: its rows
	// hold the ID alone.
	flagUndeclared = 1
)

// maxEntities is the most that a pack holds: a place in the directory and one
// is a u32 that is not 0.
const maxEntities = math.MaxUint32 - 1

// Encode returns the pack of a world. The same world gives the same bytes,
// whatever its history: types and entities are put in order, and nothing but
// them goes in. The pack declares types and the types of entities that types
// lacks; types may be nil.
//
// An entity that does not Validate is refused, as is one whose type is
// declared otherwise than in types, a set out of order, and a source that met
// errors while it was read (one with an Err method, as Pack has).
func Encode(world entity.GUID, types *entity.Types, src entity.Source) ([]byte, error) {
	e := &encoder{world: world, heap: newHeap(), tables: make(map[tableKey]*tableWriter)}
	if err := e.collectTypes(types); err != nil {
		return nil, fmt.Errorf("encode pack: %w", err)
	}
	if err := e.collect(src); err != nil {
		return nil, fmt.Errorf("encode pack: %w", err)
	}
	parts, err := e.encode()
	if err != nil {
		return nil, fmt.Errorf("encode pack: %w", err)
	}
	return join(parts), nil
}

type encoder struct {
	world    entity.GUID
	declared declarations
	members  []member       // by ID
	homes    []*tableWriter // of the members
	tables   map[tableKey]*tableWriter
	ordered  []*tableWriter
	heap     *heapWriter
	sections [secCount + 1][]byte
	old      *copier // what the members that have no entity are copied from
}

// member is an entity of the pack to be made: itself, or its place in an older
// pack.
type member struct {
	entity *entity.Entity
	id     entity.ID
	place  uint32
}

type tableKey struct {
	name       string
	revision   uint32
	undeclared bool
}

// compareTables orders tables as they are in a pack.
func compareTables(a, b tableKey) int {
	return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.revision, b.revision), compareBools(a.undeclared, b.undeclared))
}

// tableWriter is a table and its rows.
type tableWriter struct {
	tableKey
	number  int
	row     *group
	members []member
}

func (e *encoder) collectTypes(types *entity.Types) error {
	e.declared.types = &entity.Types{}
	if types == nil {
		return nil
	}
	for _, t := range types.All() {
		if err := e.declared.add(t); err != nil {
			return err
		}
	}
	return nil
}

// collect sorts the entities into tables. They come in the order of their IDs.
func (e *encoder) collect(src entity.Source) error {
	last := entity.ID(0)
	for n := range src.All() {
		if err := n.Validate(); err != nil {
			return err
		}
		if n.ID <= last {
			return fmt.Errorf("%s comes after entity %d: entities must come in the order of their IDs", n, last)
		}
		last = n.ID
		if err := e.add(n); err != nil {
			return err
		}
	}
	if s, ok := src.(interface{ Err() error }); ok && s.Err() != nil {
		return s.Err()
	}
	return e.checkNumber()
}

func (e *encoder) checkNumber() error {
	if uint64(len(e.members)) > maxEntities {
		return fmt.Errorf("the world has %d entities, a pack holds %d", len(e.members), uint64(maxEntities))
	}
	return nil
}

func (e *encoder) add(n *entity.Entity) error {
	home, err := e.homeOf(n.Layout)
	if err != nil {
		return fmt.Errorf("%s: %w", n, err)
	}
	e.put(home, member{entity: n, id: n.ID})
	return nil
}

func (e *encoder) put(home *tableWriter, m member) {
	home.members = append(home.members, m)
	e.members = append(e.members, m)
	e.homes = append(e.homes, home)
}

// homeOf returns the table of the entities of a layout.
func (e *encoder) homeOf(l *entity.Layout) (*tableWriter, error) {
	t := l.Type
	if err := e.declared.add(t); err != nil {
		return nil, err
	}
	key := tableKey{t.Name, l.Revision, t.Unknown}
	home := e.tables[key]
	if home == nil {
		home = &tableWriter{tableKey: key, row: newRow(l.Fields)}
		e.tables[key] = home
		e.ordered = append(e.ordered, home)
	}
	return home, nil
}

func (e *encoder) encode() ([][]byte, error) {
	slices.SortFunc(e.ordered, func(a, b *tableWriter) int { return compareTables(a.tableKey, b.tableKey) })
	var err error
	if e.sections[secTypes], err = e.declared.lines(); err != nil {
		return nil, err
	}
	for _, write := range []func() error{e.writeTables, e.writeRows, e.writeExtra} {
		if err := write(); err != nil {
			return nil, err
		}
	}
	e.sections[secHeap] = e.heap.buf
	e.writeDirectory()
	return e.parts(), nil
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (e *encoder) writeTables() error {
	out := make([]byte, 0, len(e.ordered)*tableEntrySize)
	rows := 0
	for i, t := range e.ordered {
		name, err := e.heap.text(t.name)
		if err != nil {
			return err
		}
		t.number = i
		rows = roundUp(rows, 8)
		flags := uint32(0)
		if t.undeclared {
			flags = flagUndeclared
		}
		out = le.AppendUint32(out, name)
		out = le.AppendUint32(out, t.revision)
		out = le.AppendUint64(out, uint64(rows))
		out = le.AppendUint32(out, uint32(len(t.members)))
		out = le.AppendUint32(out, uint32(t.row.size))
		out = le.AppendUint32(out, uint32(t.row.id))
		out = le.AppendUint32(out, flags)
		rows += len(t.members) * t.row.size
	}
	e.sections[secTables] = out
	e.sections[secRows] = make([]byte, rows)
	return nil
}

func (e *encoder) writeRows() error {
	rows, at := e.sections[secRows], 0
	w := valueWriter{heap: e.heap, buf: &rows}
	for _, t := range e.ordered {
		at = roundUp(at, 8)
		for _, m := range t.members {
			le.PutUint32(rows[at+t.row.id:], uint32(m.id))
			if err := e.writeRow(w, t.row, at, m); err != nil {
				return err
			}
			at += t.row.size
		}
	}
	return nil
}

func (e *encoder) writeRow(w valueWriter, row *group, at int, m member) error {
	if m.entity == nil {
		return e.old.row(w, at, int(m.place))
	}
	for i := range row.slots {
		if err := w.value(&row.slots[i], row, at, m.entity.Values[i]); err != nil {
			return fmt.Errorf("%s, field %s: %w", m.entity, m.entity.Layout.Fields[i].Name, err)
		}
	}
	return nil
}

func (e *encoder) writeExtra() error {
	var out []byte
	for i, m := range e.members {
		add := func(name, lines uint32) {
			out = le.AppendUint32(out, uint32(i))
			out = le.AppendUint32(out, name)
			out = le.AppendUint32(out, lines)
		}
		write := e.writeUnknown
		if m.entity == nil {
			write = e.copyUnknown
		}
		if err := write(m, add); err != nil {
			return err
		}
	}
	e.sections[secExtra] = out
	return nil
}

func (e *encoder) writeUnknown(m member, add func(name, lines uint32)) error {
	for _, raw := range m.entity.Unknown {
		name, err := e.heap.text(raw.Name)
		if err != nil {
			return err
		}
		lines, err := e.heap.text(raw.Lines)
		if err != nil {
			return err
		}
		add(name, lines)
	}
	return nil
}

func (e *encoder) copyUnknown(m member, add func(name, lines uint32)) error {
	p := e.old.pack
	first, end := p.extraOf(int(m.place))
	for k := first; k < end; k++ {
		name, lines := p.extraRefs(k)
		name, err := e.old.text(e.heap, name)
		if err != nil {
			return err
		}
		if lines, err = e.old.text(e.heap, lines); err != nil {
			return err
		}
		add(name, lines)
	}
	return nil
}

func (e *encoder) writeDirectory() {
	out := make([]byte, 0, len(e.members)*directoryEntrySize)
	index := newIndex(len(e.members))
	next := make([]uint32, len(e.ordered))
	for i, m := range e.members {
		table := e.homes[i].number
		out = le.AppendUint32(out, uint32(table))
		out = le.AppendUint32(out, next[table])
		next[table]++
		index.put(m.id, i)
	}
	e.sections[secDirectory], e.sections[secIndex] = out, index
}

// parts returns the pack in parts, which are written one after the other.
func (e *encoder) parts() [][]byte {
	at := headerSize + secCount*sectionEntrySize
	head := make([]byte, at)
	for kind := secTypes; kind <= secCount; kind++ {
		s := e.sections[kind]
		at = roundUp(at, 8)
		entry := head[headerSize+(kind-1)*sectionEntrySize:]
		le.PutUint32(entry, uint32(kind))
		le.PutUint32(entry[4:], checksum(s))
		le.PutUint64(entry[8:], uint64(at))
		le.PutUint64(entry[16:], uint64(len(s)))
		at += len(s)
	}
	copy(head, magic)
	le.PutUint16(head[offMajor:], uint16(majorFor(e.declared.types)))
	le.PutUint16(head[offMinor:], Minor)
	le.PutUint32(head[offSections:], secCount)
	copy(head[offWorld:], e.world[:])
	le.PutUint64(head[offLength:], uint64(at))
	le.PutUint32(head[offEntities:], uint32(len(e.members)))
	sealHeader(head)

	parts := [][]byte{head}
	at = len(head)
	for _, section := range e.sections[1:] {
		if gap := roundUp(at, 8) - at; gap > 0 {
			parts = append(parts, make([]byte, gap))
			at += gap
		}
		parts = append(parts, section)
		at += len(section)
	}
	return parts
}

// join returns parts as one.
func join(parts [][]byte) []byte {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	out := make([]byte, 0, size)
	for _, part := range parts {
		for piece := range pieces(part) {
			out = append(out, piece...)
		}
	}
	return out
}

// Empty returns a world's pack without types and entities.
func Empty(world entity.GUID) *Pack {
	data, err := Encode(world, entity.NewTypes(), entity.NewWorld(world, nil))
	if err != nil {
		panic(err) // there is nothing in it that could not be encoded
	}
	p, err := Parse(data)
	if err != nil {
		panic(err) // it was encoded just now
	}
	return p
}
