package interchange

import (
	"encoding/base64"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
)

// AppendValue appends the canonical JSON of a value of the shape, null where
// there is none.
func AppendValue(dst []byte, s *entity.Shape, v entity.Value) []byte {
	switch k := v.Kind(); {
	case k == entity.KindNull:
		return append(dst, "null"...)
	case k == entity.KindBool:
		if v.Bool() {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case k == entity.KindEnum:
		if name, ok := s.NameOf(v.Int()); ok {
			return appendString(dst, name)
		}
		return appendInt(dst, v.Int())
	case k == entity.KindFlags:
		return appendFlags(dst, s, v.Uint())
	case k.IsSigned():
		return appendInt(dst, v.Int())
	case k.IsUnsigned():
		return appendUint(dst, v.Uint())
	case k == entity.KindF64:
		return appendF64(dst, v.F64())
	case k == entity.KindF32:
		return appendF32(dst, v.F32())
	case k.Components() > 0:
		return appendVector(dst, v)
	case k == entity.KindBlob:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(v.Text()))
		return append(dst, '"')
	case k == entity.KindGUID:
		return appendGUID(dst, v.GUID())
	case k.IsList():
		return appendList(dst, s, v)
	case k == entity.KindStruct:
		return appendMembers(dst, s.Fields, v.Items(), func(int) bool { return false })
	}
	return appendString(dst, v.Text())
}

// appendString quotes s. What is not UTF-8, which the model does not let in,
// comes out as replacement characters.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

func appendFlags(dst []byte, s *entity.Shape, flags uint64) []byte {
	dst = append(dst, '[')
	sep := false
	for bit := range int64(64) {
		if flags>>bit&1 == 0 {
			continue
		}
		if sep {
			dst = append(dst, ',')
		}
		sep = true
		if name, ok := s.NameOf(bit); ok {
			dst = appendString(dst, name)
		} else {
			dst = appendInt(dst, bit)
		}
	}
	return append(dst, ']')
}

func appendVector(dst []byte, v entity.Value) []byte {
	dst = append(dst, '[')
	for i := range v.Kind().Components() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendF32(dst, v.Component(i))
	}
	return append(dst, ']')
}

func appendList(dst []byte, s *entity.Shape, v entity.Value) []byte {
	dst = append(dst, '[')
	for i, item := range v.Items() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendValue(dst, s.Of, item)
	}
	return append(dst, ']')
}

// appendMembers appends an object of the values that are there, by the names
// of their fields, and null for those that are not where isNull reports it.
func appendMembers(dst []byte, fields []*entity.Field, values []entity.Value, isNull func(i int) bool) []byte {
	dst = append(dst, '{')
	sep := false
	for i, f := range fields {
		if values[i].IsNull() && !isNull(i) {
			continue
		}
		if sep {
			dst = append(dst, ',')
		}
		sep = true
		dst = appendString(dst, f.Name)
		dst = append(dst, ':')
		dst = AppendValue(dst, &f.Shape, values[i])
	}
	return append(dst, '}')
}
