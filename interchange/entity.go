package interchange

import (
	"strconv"

	"github.com/worldfs/worldfs/entity"
)

// AppendEntity appends the canonical JSON object of an entity: one line without
// its end. Fields are in the order of the type; absent ones are left out, and
// so are the fields altogether where the type is unknown.
func AppendEntity(dst []byte, e *entity.Entity) []byte {
	dst = append(dst, `{"id":`...)
	dst = strconv.AppendUint(dst, uint64(e.ID), 10)
	dst = append(dst, `,"type":`...)
	dst = appendString(dst, e.Type())
	dst = append(dst, `,"revision":`...)
	dst = strconv.AppendUint(dst, uint64(e.Revision()), 10)
	if !e.Layout.Type.Unknown {
		dst = append(dst, `,"fields":`...)
		dst = appendMembers(dst, e.Layout.Fields, e.Values)
	}
	if len(e.Unknown) > 0 {
		dst = append(dst, `,"unknown":`...)
		dst = appendUnknown(dst, e.Unknown)
	}
	return append(dst, '}')
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
