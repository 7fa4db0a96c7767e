package packfile

import (
	"iter"

	"github.com/worldfs/worldfs/entity"
)

// MountParents yields the entities that are mounted on something, in the order of the tables,
// and what that is. It reads one value of each row of the types that have a mount, and
// nothing else.
func (p *Pack) MountParents() iter.Seq2[entity.ID, entity.ID] {
	return func(yield func(entity.ID, entity.ID) bool) {
		for i := range p.tables {
			if !p.tables[i].mountParents(yield) {
				return
			}
		}
	}
}

// mountParents yields the table's part of that, and reports whether yield wants more.
func (t *Table) mountParents(yield func(entity.ID, entity.ID) bool) bool {
	m := t.layout.Type.Mount
	if m == nil {
		return true
	}
	field := t.layout.Index(m.Parent)
	if field < 0 || t.layout.Fields[field].Kind != entity.KindRef {
		return true
	}
	at := t.Offset(field)
	for i := range t.count {
		row := t.Row(i)
		if !t.Present(row, field) {
			continue
		}
		if on := entity.ID(le.Uint32(row[at:])); on != 0 && !yield(t.ID(i), on) {
			return false
		}
	}
	return true
}
