package textcodec

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"

	"github.com/worldfs/worldfs/entity"
)

const (
	step       = 4    // how much deeper one level is indented
	fieldDepth = 0    // where a field's name stands
	valueDepth = step // where its value does
	blobPiece  = 57   // bytes of a blob in a piece: 76 characters
)

const spaces = "                                                                                                "

// Append appends the canonical text of e to dst. It never fails for a valid
// entity; e is in the canonical form that entity.Canonicalize brings about.
func Append(dst []byte, e *entity.Entity) []byte {
	dst = appendName(dst, e.Type())
	dst = append(dst, '\n')
	dst = strconv.AppendUint(dst, uint64(e.Revision()), 10)
	dst = append(dst, '\n')
	dst = strconv.AppendUint(dst, uint64(e.ID), 10)
	dst = append(dst, '\n')
	// Lines before any field have no name to be told by, so they stay there.
	for i := range e.Unknown {
		if e.Unknown[i].Name == "" {
			dst = appendRaw(dst, e.Unknown[i])
		}
	}
	for i, f := range e.Layout.Fields {
		dst = appendField(dst, f, &e.Values[i], fieldDepth)
	}
	for i := range e.Unknown {
		if e.Unknown[i].Name != "" {
			dst = appendRaw(dst, e.Unknown[i])
		}
	}
	return dst
}

func appendRaw(dst []byte, r entity.Raw) []byte {
	if r.Name != "" {
		dst = appendFieldName(dst, r.Name, fieldDepth)
	}
	if r.Lines == "" {
		return dst
	}
	dst = append(dst, r.Lines...)
	return append(dst, '\n')
}

// appendField appends a field or member whose name stands at indent. One that
// is absent has no lines.
func appendField(dst []byte, f *entity.Field, v *entity.Value, indent int) []byte {
	if v.IsNull() {
		return dst
	}
	dst = appendFieldName(dst, f.Name, indent)
	return appendValue(dst, &f.Shape, v, indent+step)
}

func appendFieldName(dst []byte, name string, indent int) []byte {
	dst = appendIndent(dst, indent)
	dst = append(dst, "; "...)
	dst = appendName(dst, name)
	return append(dst, '\n')
}

func appendIndent(dst []byte, indent int) []byte {
	for ; indent > len(spaces); indent -= len(spaces) {
		dst = append(dst, spaces...)
	}
	return append(dst, spaces[:indent]...)
}

func appendLine(dst []byte, indent int, line string) []byte {
	dst = appendIndent(dst, indent)
	dst = append(dst, line...)
	return append(dst, '\n')
}

// appendValue appends the lines of a value at indent.
func appendValue(dst []byte, s *entity.Shape, v *entity.Value, indent int) []byte {
	switch k := v.Kind(); {
	case k.Components() > 0:
		for i := range k.Components() {
			dst = appendIndent(dst, indent)
			dst = appendF32(dst, v.Component(i))
			dst = append(dst, '\n')
		}
		return dst
	case k == entity.KindString:
		return appendString(dst, v.Text(), indent)
	case k == entity.KindBlob:
		return appendBlob(dst, v.Text(), indent)
	case k == entity.KindExpr:
		return appendExpr(dst, v.Text(), indent)
	case k == entity.KindFlags:
		return appendFlags(dst, s, v.Uint(), indent)
	case k.IsList():
		dst = appendLine(dst, indent, "[")
		items := v.Items()
		for i := range items {
			dst = appendValue(dst, s.Of, &items[i], indent)
		}
		return appendLine(dst, indent, "]")
	case k == entity.KindStruct:
		dst = appendLine(dst, indent, "{")
		items := v.Items()
		for i, f := range s.Fields {
			dst = appendField(dst, f, &items[i], indent)
		}
		return appendLine(dst, indent, "}")
	}
	dst = appendIndent(dst, indent)
	dst = appendScalar(dst, s, v)
	return append(dst, '\n')
}

// appendExpr appends the line of an expression: its source behind an equals sign.
func appendExpr[T string | []byte](dst []byte, source T, indent int) []byte {
	dst = append(appendIndent(dst, indent), '=')
	if len(source) > 0 {
		dst = append(dst, ' ')
		dst = append(dst, source...)
	}
	return append(dst, '\n')
}

// appendScalar appends a value that stands on one line.
func appendScalar(dst []byte, s *entity.Shape, v *entity.Value) []byte {
	switch k := v.Kind(); {
	case k == entity.KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case k == entity.KindEnum:
		if name, ok := s.NameOf(v.Int()); ok {
			return appendName(dst, name)
		}
		return strconv.AppendInt(dst, v.Int(), 10)
	case k.IsSigned():
		return strconv.AppendInt(dst, v.Int(), 10)
	case k.IsUnsigned():
		return strconv.AppendUint(dst, v.Uint(), 10)
	case k == entity.KindF64:
		return appendF64(dst, v.F64())
	case k == entity.KindGUID:
		return appendGUID(dst, v.GUID())
	}
	return append(dst, "null"...)
}

func appendGUID(dst []byte, g entity.GUID) []byte {
	for i, part := range [...][]byte{g[:4], g[4:6], g[6:8], g[8:10], g[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return dst
}

// appendString appends a string, broken after each line break in it.
func appendString[T string | []byte](dst []byte, s T, indent int) []byte {
	for at := indent; ; at = indent + step {
		var n int
		dst = appendIndent(dst, at)
		dst, n = appendPiece(dst, s)
		dst = append(dst, '\n')
		if s = s[n:]; len(s) == 0 {
			return dst
		}
	}
}

func appendBlob[T string | []byte](dst []byte, s T, indent int) []byte {
	var piece [blobPiece]byte
	for at := indent; ; at = indent + step {
		n := copy(piece[:], s)
		dst = appendIndent(dst, at)
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, piece[:n])
		dst = append(dst, '"', '\n')
		if s = s[n:]; len(s) == 0 {
			return dst
		}
	}
}

func appendFlags(dst []byte, s *entity.Shape, flags uint64, indent int) []byte {
	dst = appendLine(dst, indent, "[")
	for bit := int64(0); flags != 0; bit, flags = bit+1, flags>>1 {
		if flags&1 == 0 {
			continue
		}
		dst = appendIndent(dst, indent)
		if name, ok := s.NameOf(bit); ok {
			dst = appendName(dst, name)
		} else {
			dst = append(dst, '#')
			dst = strconv.AppendInt(dst, bit, 10)
		}
		dst = append(dst, '\n')
	}
	return appendLine(dst, indent, "]")
}
