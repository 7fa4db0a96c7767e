package textcodec

import (
	"bytes"
	"math"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// The strict way reads a text only if it is canonical and there is nothing to
// find: it gives up at the first byte that Append would not have written. What
// it has no short way for it reads tolerantly and writes anew to compare.

// strict reads a canonical text.
func (d *decoder) strict(text []byte) (*entity.Entity, bool) {
	l, at := d.strictHeader(text)
	if l == nil {
		return nil, false
	}
	d.values = make([]entity.Value, len(l.Fields))
	d.bytes = slices.Grow(d.bytes, len(text)) // all that strings and blobs can come to
	for i, f := range l.Fields {
		next, ok := d.strictField(f, text, at, fieldDepth, &d.values[i])
		if !ok {
			return nil, false
		}
		at = next
	}
	if at != len(text) {
		return nil, false
	}
	e := d.take(l)
	for i, f := range l.Fields {
		if f.SaveWhen != "" && !e.Values[i].IsNull() && !e.SavesField(i) {
			return nil, false
		}
	}
	return e, true
}

// strictHeader reads the first three lines and returns where they end.
func (d *decoder) strictHeader(text []byte) (l *entity.Layout, at int) {
	end := bytes.IndexByte(text, '\n')
	if end < 0 || !isPlain(text[:end]) {
		return nil, 0
	}
	t := d.types.Get(string(text[:end]))
	if t == nil || t.Unknown {
		return nil, 0
	}
	revision, at, ok := strictUint(text, end+1)
	if !ok || revision > uint64(t.Revision) {
		return nil, 0
	}
	id, at, ok := strictUint(text, at)
	if !ok || id != uint64(d.id) {
		return nil, 0
	}
	return t.Layout(uint32(revision)), at
}

// strictField reads a field or member whose name stands at indent, or nothing
// where it is absent.
func (d *decoder) strictField(f *entity.Field, text []byte, at, indent int, v *entity.Value) (next int, ok bool) {
	from := at + indent + len("; ")
	to := from + len(f.Name)
	if to < len(text) && string(text[from:to]) == f.Name && text[to] == '\n' &&
		text[from-2] == ';' && text[from-1] == ' ' && isIndent(text, at, indent) && isPlain(f.Name) {
		return d.strictValue(&f.Shape, text, to+1, indent+step, false, v)
	}
	if from < len(text) && text[from] == '"' {
		d.scratch = appendFieldName(d.scratch[:0], f.Name, indent)
		if bytes.HasPrefix(text[at:], d.scratch) {
			return d.strictValue(&f.Shape, text, at+len(d.scratch), indent+step, false, v)
		}
	}
	return at, f.Optional || f.SaveWhen != "" && indent == fieldDepth
}

// isIndent reports whether indent spaces stand at an offset, and something
// after them.
func isIndent(text []byte, at, indent int) bool {
	end := at + indent
	switch {
	case end >= len(text):
		return false
	case indent == valueDepth: // most lines: one comparison of a word
		return string(text[at:at+valueDepth]) == spaces[:valueDepth]
	}
	return indent <= len(spaces) && string(text[at:end]) == spaces[:indent]
}

// strictValue reads the lines of a value at indent.
func (d *decoder) strictValue(s *entity.Shape, text []byte, at, indent int, element bool, v *entity.Value) (next int, ok bool) {
	if !isIndent(text, at, indent) {
		return 0, false
	}
	begin := at + indent
	switch k := s.Kind; k {
	case entity.KindF32, entity.KindVec2, entity.KindVec3, entity.KindVec4, entity.KindQuat,
		entity.KindMat3x4, entity.KindMat4:
		next, ok = d.strictVector(k, text, at, indent, v)
	case entity.KindF64:
		var b uint64
		b, next, ok = d.strictFloat(text, begin, 64)
		*v = entity.NewF64(b)
	case entity.KindSet, entity.KindArray:
		return d.strictList(s, text, at, indent, element, v)
	case entity.KindStruct:
		return d.strictStruct(s, text, at, indent, element, v)
	case entity.KindString:
		next, ok = d.strictString(text, at, indent, v)
	case entity.KindBool:
		next, ok = strictBool(text, begin, v)
	case entity.KindU8, entity.KindU16, entity.KindU32, entity.KindU64, entity.KindRef:
		var n uint64
		n, next, ok = strictUint(text, begin)
		ok = ok && entity.FitsUint(k, n)
		*v = entity.NewUint(k, n)
	case entity.KindI8, entity.KindI16, entity.KindI32, entity.KindI64:
		next, ok = strictInt(k, text, begin, v)
	}
	if ok {
		return next, true
	}
	return d.strictAny(s, text, at, indent, element, v)
}

func strictBool(text []byte, at int, v *entity.Value) (next int, ok bool) {
	const yes, no = "true\n", "false\n"
	rest := text[at:]
	switch {
	case len(rest) >= len(yes) && string(rest[:len(yes)]) == yes:
		*v = entity.NewBool(true)
		return at + len(yes), true
	case len(rest) >= len(no) && string(rest[:len(no)]) == no:
		*v = entity.NewBool(false)
		return at + len(no), true
	}
	return 0, false
}

// strictAny reads a value tolerantly and checks that it is written as it
// stands there.
func (d *decoder) strictAny(s *entity.Shape, text []byte, at, indent int, element bool, v *entity.Value) (next int, ok bool) {
	d.seek(text, at)
	if d.value(s, element, v) != nil || len(d.findings) > 0 {
		return 0, false
	}
	written := *v
	switch {
	case written.IsNull() && element:
		d.scratch = appendLine(d.scratch[:0], indent, "null")
	case written.Kind() == entity.KindString:
		d.scratch = appendString(d.scratch[:0], d.textOf(v), indent)
	case written.Kind() == entity.KindBlob:
		d.scratch = appendBlob(d.scratch[:0], d.textOf(v), indent)
	case written.Kind() == entity.KindExpr:
		d.scratch = appendExpr(d.scratch[:0], d.textOf(v), indent)
	case written.Kind().IsMatrix():
		return 0, false // strictVector reads all that are canonical
	case !written.IsNull():
		d.scratch = appendValue(d.scratch[:0], s, &written, indent)
	default:
		return 0, false // an absent field has no lines, not even its name
	}
	return d.start, bytes.Equal(text[at:d.start], d.scratch)
}

func (d *decoder) strictList(s *entity.Shape, text []byte, at, indent int, element bool, v *entity.Value) (next int, ok bool) {
	at += indent
	if at+1 >= len(text) || text[at] != '[' || text[at+1] != '\n' {
		return strictNull(s, text, at, element, v)
	}
	at += 2
	base := len(d.stack)
	var item entity.Value // out here it stays off the heap
	for {
		if !isIndent(text, at, indent) {
			return 0, false
		}
		if end := at + indent; end+1 < len(text) && text[end] == ']' && text[end+1] == '\n' {
			next = end + 2
			break
		}
		if at, ok = d.strictValue(s.Of, text, at, indent, true, &item); !ok {
			return 0, false
		}
		d.stack = append(d.stack, item)
	}
	items := d.pop(base)
	if s.Kind == entity.KindSet && !d.inOrder(items) {
		return 0, false
	}
	if key := s.KeyIndex(); key >= 0 {
		if _, twice := d.twice(items, key); twice {
			return 0, false
		}
	}
	*v = entity.NewList(s.Kind, items)
	return next, true
}

// strictNull reads the null that stands at an offset in place of a list or
// struct. It can only be an element: an absent field has no lines.
func strictNull(s *entity.Shape, text []byte, at int, element bool, v *entity.Value) (next int, ok bool) {
	const null = "null\n"
	*v = entity.Value{}
	next = at + len(null)
	return next, element && s.Optional && next <= len(text) && string(text[at:next]) == null
}

func (d *decoder) strictStruct(s *entity.Shape, text []byte, at, indent int, element bool, v *entity.Value) (next int, ok bool) {
	at += indent
	if at+1 >= len(text) || text[at] != '{' || text[at+1] != '\n' {
		return strictNull(s, text, at, element, v)
	}
	at += 2
	base := d.push(len(s.Fields))
	var member entity.Value // out here it stays off the heap
	for i, f := range s.Fields {
		member = entity.Value{}
		if at, ok = d.strictField(f, text, at, indent, &member); !ok {
			return 0, false
		}
		d.stack[base+i] = member
	}
	next = at + indent + 2
	if !isIndent(text, at, indent) || next > len(text) || text[next-2] != '}' || text[next-1] != '\n' {
		return 0, false
	}
	*v = entity.NewStruct(d.pop(base))
	return next, true
}

// strictString reads a string with no escapes but those of its line breaks.
// Should a piece too many follow, the text is not canonical, and the caller,
// which expects the next field or element there, finds that out.
func (d *decoder) strictString(text []byte, at, indent int, v *entity.Value) (next int, ok bool) {
	const broken = "\\n\"\n" // how a piece ends where the string has a line break
	from := len(d.bytes)
	for more := false; ; more = true {
		begin := at + indent + 1
		if text[begin-1] != '"' { // only of the first piece
			return 0, false
		}
		end := begin + visible(text[begin:])
		piece, rest := text[begin:end], text[end:]
		d.bytes = append(d.bytes, piece...)
		switch {
		case len(rest) > 1 && rest[0] == '"' && rest[1] == '\n' && (!more || len(piece) > 0):
			d.setText(v, entity.KindString, from)
			return end + 2, true
		case len(rest) < len(broken) || string(rest[:len(broken)]) != broken:
			d.bytes = d.bytes[:from]
			return 0, false
		}
		d.bytes = append(d.bytes, '\n')
		if at = end + len(broken); !more {
			indent += step
		}
		if !isIndent(text, at, indent) || text[at+indent] != '"' {
			d.setText(v, entity.KindString, from)
			return at, true
		}
	}
}

// strictUint reads a line with a number and no leading zeros.
func strictUint(text []byte, at int) (n uint64, next int, ok bool) {
	const most = 19 // digits that fit whatever they are
	i := at
	for ; i < len(text) && i-at <= most && '0' <= text[i] && text[i] <= '9'; i++ {
		n = n*10 + uint64(text[i]-'0')
	}
	digits := i - at
	if digits == 0 || digits > most || digits > 1 && text[at] == '0' || i == len(text) || text[i] != '\n' {
		return 0, 0, false
	}
	return n, i + 1, true
}

func strictInt(k entity.Kind, text []byte, at int, v *entity.Value) (next int, ok bool) {
	negative := text[at] == '-'
	if negative {
		at++
	}
	n, next, ok := strictUint(text, at)
	if !ok || n > math.MaxInt64 || negative && n == 0 {
		return 0, false
	}
	i := int64(n)
	if negative {
		i = -i
	}
	*v = entity.NewInt(k, i)
	return next, entity.FitsInt(k, i)
}

// strictVector reads a line a component.
func (d *decoder) strictVector(k entity.Kind, text []byte, at, indent int, v *entity.Value) (next int, ok bool) {
	var c [entity.MaxComponents]uint32
	for i := range k.Components() {
		if !isIndent(text, at, indent) {
			return 0, false
		}
		b, end, ok := strictF32(text, at+indent)
		if !ok {
			var wide uint64
			if wide, end, ok = d.strictFloat(text, at+indent, 32); !ok {
				return 0, false
			}
			b = uint32(wide)
		}
		c[i], at = b, end
	}
	d.setComponents(v, k, &c)
	return at, true
}

// strictFloat reads a line with any float: it takes the bits and compares the
// line with what is written for them.
func (d *decoder) strictFloat(text []byte, at, width int) (b uint64, next int, ok bool) {
	end := bytes.IndexByte(text[at:], '\n')
	if end < 0 || end > maxDecimal {
		return 0, 0, false
	}
	line := text[at : at+end]
	colon := bytes.IndexByte(line, ':')
	if colon < 0 || colon+2 > len(line) {
		return 0, 0, false
	}
	if b, ok = parseBits(line[colon+2:], width); !ok {
		return 0, 0, false
	}
	if width == 32 {
		d.scratch = appendF32(d.scratch[:0], uint32(b))
	} else {
		d.scratch = appendF64(d.scratch[:0], b)
	}
	return b, at + end + 1, bytes.Equal(d.scratch, line)
}

// strictF32 reads a line with an f32 of up to nine digits before the point.
func strictF32(text []byte, at int) (b uint32, next int, ok bool) {
	const most, places, shortest = 9, 6, len(".000000 : 0\n")
	negative := text[at] == '-'
	if negative {
		at++
	}
	line := text[at:]
	i, n := 0, uint64(0)
	for ; i < len(line) && i <= most; i++ {
		c := line[i] - '0'
		if c > 9 {
			break
		}
		n = n*10 + uint64(c)
	}
	if i == 0 || i > most || i > 1 && line[0] == '0' || len(line)-i < shortest {
		return 0, 0, false
	}
	tail := line[i : i+shortest]
	if tail[0] != '.' || string(tail[1+places:1+places+3]) != " : " {
		return 0, 0, false
	}
	for _, c := range tail[1 : 1+places] {
		c -= '0'
		if c > 9 {
			return 0, 0, false
		}
		n = n*10 + uint64(c)
	}
	b, next, ok = strictBits(text, at+i+shortest-2)
	if !ok || negative != (b>>31 != 0) {
		return 0, 0, false
	}
	exact, ok := millionths32(b)
	return b, next, ok && exact == n
}

// strictBits reads the bits of an f32 to the end of the line.
func strictBits(text []byte, at int) (b uint32, next int, ok bool) {
	const most = 8
	line := text[at:min(len(text), at+most+1)]
	for i, c := range line {
		d := lowerHexDigits[c]
		if d == 0xff {
			return b, at + i + 1, c == '\n' && i > 0 && (i == 1 || line[0] != '0')
		}
		b = b<<4 | uint32(d)
	}
	return 0, 0, false
}

// lowerHexDigits is hexDigits without the capital letters.
var lowerHexDigits = func() [256]byte {
	t := hexDigits
	for c := 'A'; c <= 'F'; c++ {
		t[c] = 0xff
	}
	return t
}()
