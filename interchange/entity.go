package interchange

import (
	"strconv"

	"github.com/worldfs/worldfs/entity"
)

// AppendEntity appends the canonical JSON object of an entity: one line without
// its end. Fields are in the order of the type; absent ones are left out, or null where
// they would be read as their default, and the fields altogether are left out where the
// type is unknown.
func AppendEntity(dst []byte, e *entity.Entity) []byte {
	dst = append(dst, `{"id":`...)
	dst = strconv.AppendUint(dst, uint64(e.ID), 10)
	dst = append(dst, `,"type":`...)
	dst = appendString(dst, e.Type())
	dst = append(dst, `,"revision":`...)
	dst = strconv.AppendUint(dst, uint64(e.Revision()), 10)
	if !e.Layout.Type.Unknown {
		dst = append(dst, `,"fields":`...)
		dst = appendMembers(dst, e.Layout.Fields, e.Values, func(i int) bool { return wouldFill(e, i) })
	}
	if len(e.Unknown) > 0 {
		dst = append(dst, `,"unknown":`...)
		dst = appendUnknown(dst, e.Unknown)
	}
	return append(dst, '}')
}

// wouldFill reports whether field i, which is absent, has its default where it is left out:
// a field that is saved under a condition, which holds.
func wouldFill(e *entity.Entity, i int) bool {
	f := e.Layout.Fields[i]
	if f.SaveWhen == "" || f.Optional || !e.SavesField(i) {
		return false
	}
	filled := e.Clone()
	filled.Values[i] = f.DefaultValue()
	return filled.SavesField(i)
}

func appendUnknown(dst []byte, unknown []entity.Raw) []byte {
	for i, raw := range unknown {
		if i == 0 {
			dst = append(dst, '[')
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"name":`...)
		dst = appendString(dst, raw.Name)
		dst = append(dst, `,"lines":`...)
		dst = appendString(dst, raw.Lines)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}
