package textcodec

import "github.com/worldfs/worldfs/entity"

// Disputed returns the names of the fields, known and unknown, about which conflicts are
// marked in a text of an entity. Whole reports whether one is about the entity as a whole, or
// cannot be told apart by fields.
func Disputed(text []byte, id entity.ID, types *entity.Types) (fields []string, whole bool) {
	if !HasMarkers(text) {
		return nil, false
	}
	m, err := readMarked(text, id, types)
	return m.Fields, err != nil || m.Whole != ""
}

// KeepFields returns a change of an entity, from was to is, without the change of some fields,
// and the names of those of them that it would have changed.
func KeepFields(was, is *entity.Entity, fields []string) (kept *entity.Entity, changed []string) {
	kept = is
	for _, name := range fields {
		if sameField(was, is, name) {
			continue
		}
		if changed = append(changed, name); len(changed) == 1 {
			kept = is.Clone()
		}
		give(kept, was, name)
	}
	return kept, changed
}
