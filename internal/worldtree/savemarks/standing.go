package savemarks

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// Standing is what a save has marked in a text of an entity and that is marked there still.
type Standing struct {
	Text   []byte   // with these conflicts alone
	Fields []string // that they are about, "" for the entity as a whole; none: nothing is marked any more
}

// In returns what of a mark stands in a text of its entity. Markers that stand about no whole
// properties are no save's.
func (m *Mark) In(text []byte, types *entity.Types) Standing {
	text, fields, err := textcodec.StillMarked(m.Text, text, m.ID, types)
	if err != nil {
		return Standing{}
	}
	return Standing{text, fields}
}

// Without returns what stands but the conflicts for which is is true. It is called with each
// field and the entity as the second side has it.
func (s Standing) Without(id entity.ID, types *entity.Types, is func(field string, other *entity.Entity) bool) Standing {
	other, err := textcodec.Theirs(s.Text, id, types)
	if err != nil || other == nil {
		return s
	}
	var left, out []string
	for _, field := range s.Fields {
		if field != "" && is(field, other) {
			out = append(out, field)
		} else {
			left = append(left, field)
		}
	}
	text, err := textcodec.Unmark(s.Text, id, types, out)
	if len(out) == 0 || err != nil {
		return s
	}
	return Standing{text, left}
}

// Has reports whether one of what stands is about a field.
func Has(standing []Standing, field string) bool {
	return slices.ContainsFunc(standing, func(s Standing) bool { return slices.Contains(s.Fields, field) })
}

// On returns a text in which what stands is marked of an entity, whatever the entity has there by
// now; and another text of that entity without what is marked in it about the same fields: a text
// has room for two values of a field, and what a save has left is nowhere else.
func (s Standing) On(e *entity.Entity, types *entity.Types, text []byte) (marked, rest []byte) {
	marked, err := textcodec.MarkAnew(e, types, s.Text)
	if err != nil {
		return s.Text, text
	}
	fields, _ := textcodec.Disputed(marked, e.ID, types)
	if !textcodec.HasMarkers(text) || len(fields) == 0 {
		return marked, text
	}
	if rest, err = textcodec.Unmark(text, e.ID, types, fields); err != nil {
		return marked, text
	}
	return marked, rest
}
