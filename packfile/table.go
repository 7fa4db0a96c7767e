package packfile

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
)

// Table is the rows of the entities of one type at one revision, in the order
// of their IDs, to be read in place.
type Table struct {
	layout *entity.Layout
	row    *group
	rows   []byte
	at     int // offset of rows in the file
	count  int
}

// Tables returns the pack's tables in order of type, then revision. The caller
// does not change them.
func (p *Pack) Tables() []Table { return p.tables }

// Layout returns the type at the revision of the table's entities.
func (t *Table) Layout() *entity.Layout { return t.layout }

// Len returns how many rows there are.
func (t *Table) Len() int { return t.count }

// Stride returns a row's size in bytes.
func (t *Table) Stride() int { return t.row.size }

// Row returns row i. The caller does not change it.
func (t *Table) Row(i int) []byte {
	at := i * t.row.size
	return t.rows[at : at+t.row.size : at+t.row.size]
}

// ID returns the ID of row i.
func (t *Table) ID(i int) entity.ID {
	return entity.ID(le.Uint32(t.rows[i*t.row.size+t.row.id:]))
}

// Offset returns where in a row the value of the layout's field of that place
// begins.
func (t *Table) Offset(field int) int { return t.row.slots[field].offset }

// Present reports whether the row has a value for the field.
func (t *Table) Present(row []byte, field int) bool {
	return t.row.present(row, &t.row.slots[field])
}

// present reports whether the group in b has a value in the slot.
func (g *group) present(b []byte, s *slot) bool {
	return s.bit < 0 || b[g.presence+s.bit/8]>>(s.bit%8)&1 != 0
}

// tableReader reads the section of tables.
type tableReader struct {
	pack    *Pack
	unknown map[string]*entity.Type
	last    tableKey // of the table before, if there is one
	total   uint64   // rows so far
	at      int      // where the last table's rows ended, in the section
}

func (p *Pack) parseTables() error {
	s := p.header.sections[secTables]
	if s.len()%tableEntrySize != 0 {
		return p.corrupt(secTables, s.off, "its length %d is no multiple of %d", s.len(), tableEntrySize)
	}
	p.tables = make([]Table, s.len()/tableEntrySize)
	r := tableReader{pack: p, unknown: make(map[string]*entity.Type)}
	for i := range p.tables {
		if err := r.read(&p.tables[i], s.off+i*tableEntrySize); err != nil {
			return err
		}
	}
	if r.total != uint64(p.Len()) {
		return p.corrupt(secTables, s.off, "the tables have %d rows for %d entities", r.total, p.Len())
	}
	if rows := p.header.sections[secRows]; r.at != rows.len() {
		return p.corrupt(secTables, s.off, "the rows end at %d, their section at %d", r.at, rows.len())
	}
	return nil
}

// read reads one entry and holds it against the layout that the type's
// declaration gives.
func (r *tableReader) read(t *Table, at int) error {
	p, entry := r.pack, r.pack.data[at:at+tableEntrySize]
	name, err := p.textAt(le.Uint32(entry), false)
	if err != nil {
		return err
	}
	flags := le.Uint32(entry[28:])
	if flags&^flagUndeclared != 0 {
		return p.corrupt(secTables, at+28, "unknown flags %#x", flags)
	}
	key := tableKey{name, le.Uint32(entry[4:]), flags&flagUndeclared != 0}
	if r.total > 0 && compareTables(r.last, key) >= 0 {
		return p.corrupt(secTables, at, "the table of %s, revision %d, comes after that of %s, revision %d", clip(name), key.revision, clip(r.last.name), r.last.revision)
	}
	r.last = key
	typ := r.typeOf(name, flags&flagUndeclared != 0)
	if typ == nil {
		return p.corrupt(secTables, at, "there is no declaration of type %q", clip(name))
	}
	t.layout = typ.Layout(le.Uint32(entry[4:]))
	t.row = newRow(t.layout.Fields)
	if stride, id := le.Uint32(entry[20:]), le.Uint32(entry[24:]); uint64(stride) != uint64(t.row.size) || uint64(id) != uint64(t.row.id) {
		return p.corrupt(secTables, at+20, "rows of %s, revision %d, have %d bytes with the ID at %d; the type's declaration gives %d and %d",
			clip(name), t.layout.Revision, stride, id, t.row.size, t.row.id)
	}
	return r.rows(t, at, le.Uint64(entry[8:]), le.Uint32(entry[16:]))
}

func (r *tableReader) typeOf(name string, undeclared bool) *entity.Type {
	if !undeclared {
		return r.pack.types.Get(name)
	}
	t := r.unknown[name]
	if t == nil {
		t = entity.UnknownType(name)
		r.unknown[name] = t
	}
	return t
}

func (r *tableReader) rows(t *Table, at int, offset uint64, count uint32) error {
	p, section := r.pack, r.pack.header.sections[secRows]
	start := roundUp(r.at, 8)
	if offset != uint64(start) {
		return p.corrupt(secTables, at+8, "the rows begin at %d, not at %d", offset, start)
	}
	if count == 0 || start > section.len() || uint64(count) > uint64(section.len()-start)/uint64(t.row.size) {
		return p.corrupt(secTables, at+16, "%d rows of %d bytes at %d in a section of %d", count, t.row.size, start, section.len())
	}
	t.count, t.at = int(count), section.off+start
	r.at, r.total = start+t.count*t.row.size, r.total+uint64(count)
	t.rows = p.data[t.at : section.off+r.at : section.off+r.at]
	return nil
}

// corrupt returns an error about the byte at a file's offset.
func (p *Pack) corrupt(kind, offset int, format string, args ...any) error {
	return &Error{sectionNames[kind], int64(offset), fmt.Sprintf(format, args...), ErrCorrupt}
}

// clip shortens a name that came out of a file to what a message can bear.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
