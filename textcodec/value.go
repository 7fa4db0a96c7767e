package textcodec

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/worldfs/worldfs/entity"
)

// value reads the value that begins on the current line and goes past it.
// Element says that it stands in a list, side by side with others.
func (d *decoder) value(s *entity.Shape, element bool, v *entity.Value) error {
	if d.line == nil {
		return d.truncated("there is no value")
	}
	if s.Kind != entity.KindExpr { // what an expression is stays as it is typed
		if err := d.compute(s); err != nil {
			return err
		}
	}
	if d.begins(';') {
		return d.fail("there is no value before %s; give %s", clip(d.line), wanted(s))
	}
	if d.is("null") {
		if !s.Optional {
			return d.fail("the value is not optional, so it cannot be null; give %s", wanted(s))
		}
		*v = entity.Value{}
		d.advance()
		return nil
	}
	switch k := s.Kind; {
	case k.Components() > 0:
		return d.vector(k, v)
	case k.IsList():
		return d.list(s, v)
	}
	switch s.Kind {
	case entity.KindStruct:
		return d.structure(s, v)
	case entity.KindFlags:
		return d.flags(s, v)
	case entity.KindString:
		return d.string(element, v)
	case entity.KindBlob:
		return d.blob(element, v)
	case entity.KindExpr:
		return d.expression(s, v)
	}
	return d.scalar(s, v)
}

// wanted says for people what a value of the shape looks like.
func wanted(s *entity.Shape) string {
	switch k := s.Kind; {
	case k == entity.KindBool:
		return "true or false"
	case k == entity.KindEnum:
		return "one of its names, or a number"
	case k.IsSigned() || k.IsUnsigned() && k != entity.KindFlags:
		return "a whole number that fits " + k.String()
	case k.IsList() || k == entity.KindFlags:
		return "a list: [ on a line, an element a line, ] on a line"
	case k == entity.KindStruct:
		return "a struct: { on a line, its members, } on a line"
	case k == entity.KindString:
		return "text in quotes"
	case k == entity.KindBlob:
		return "base64 in quotes"
	case k == entity.KindExpr:
		return "an equals sign and an expression, as in = 2 * sin(t)"
	case k == entity.KindGUID:
		return "a guid, as in 123e4567-e89b-12d3-a456-426614174000"
	}
	return "a decimal number"
}

func (d *decoder) unwanted(s *entity.Shape) error {
	if s.Kind == entity.KindEnum && len(s.Names) > 0 {
		return d.fail("%s is none of the names: %s", clip(d.line), namesOf(s))
	}
	return d.fail("%s is not %s", clip(d.line), wanted(s))
}

func namesOf(s *entity.Shape) string {
	var names []string
	for _, n := range s.Names {
		names = append(names, n.Name)
	}
	return clip(strings.Join(names, ", "))
}

// vector reads a float, vector, quaternion or matrix: a line a component.
func (d *decoder) vector(k entity.Kind, v *entity.Value) error {
	var c [entity.MaxComponents]uint32
	for i := range k.Components() {
		if d.line == nil {
			return d.truncated("component %d of the %s is missing", i+1, k)
		}
		if err := d.compute(&entity.Shape{Kind: entity.KindF32}); err != nil {
			return err
		}
		b, edited, reason := parseFloat(d.line, 32)
		if reason != "" {
			return d.fail("component %d of the %s: %s", i+1, k, reason)
		}
		d.findEdited(edited)
		c[i] = uint32(b)
		d.advance()
	}
	d.setComponents(v, k, &c)
	return nil
}

// setComponents makes v the value of the kind that has these components.
func (d *decoder) setComponents(v *entity.Value, k entity.Kind, c *[entity.MaxComponents]uint32) {
	switch {
	case k == entity.KindF32:
		*v = entity.NewF32(c[0])
	case !k.IsMatrix():
		*v = entity.NewVec(k, [4]uint32(c[:4]))
	default:
		from := len(d.bytes)
		for _, bits := range c[:k.Components()] {
			d.bytes = binary.LittleEndian.AppendUint32(d.bytes, bits)
		}
		d.setText(v, k, from)
	}
}

func (d *decoder) findEdited(edited bool) {
	if edited {
		d.find(entity.CodeFloatEdited, d.number, d.field(), "%s: the decimal is not what the bits say, so a person edited it; the decimal counts, fmt mends the bits", clip(d.line))
	}
}

// scalar reads a value that stands on one line.
func (d *decoder) scalar(s *entity.Shape, v *entity.Value) error {
	var err error
	ok := false
	switch k := s.Kind; {
	case k == entity.KindBool:
		ok = d.is("true") || d.is("false")
		*v = entity.NewBool(d.is("true"))
	case k == entity.KindEnum:
		*v, ok = parseEnum(s, d.line)
	case k.IsSigned():
		var n int64
		n, err = strconv.ParseInt(short(d.line), 10, k.Bits())
		*v, ok = entity.NewInt(k, n), err == nil
	case k.IsUnsigned():
		var n uint64
		n, err = strconv.ParseUint(strings.TrimPrefix(short(d.line), "+"), 10, k.Bits())
		*v, ok = entity.NewUint(k, n), err == nil
	case k == entity.KindF64:
		b, edited, reason := parseFloat(d.line, 64)
		if reason != "" {
			return d.fail("%s", reason)
		}
		d.findEdited(edited)
		*v, ok = entity.NewF64(b), true
	case k == entity.KindGUID:
		*v, ok = parseGUID(d.line)
	}
	if !ok {
		return d.unwanted(s)
	}
	d.advance()
	return nil
}

// short returns a line, or nothing where it is too long for a number: that of
// a gigabyte is not copied to find that it is none.
func short(line []byte) string {
	if len(line) > 64 {
		return ""
	}
	return string(line)
}

func parseEnum(s *entity.Shape, line []byte) (entity.Value, bool) {
	if c := line[0]; '0' <= c && c <= '9' || c == '-' || c == '+' {
		n, err := strconv.ParseInt(short(line), 10, 32)
		return entity.NewInt(entity.KindEnum, n), err == nil
	}
	n, ok := numberOf(s, line)
	return entity.NewInt(entity.KindEnum, n), ok
}

// numberOf returns the value or bit whose name stands on a line.
func numberOf(s *entity.Shape, line []byte) (int64, bool) {
	if line[0] == '"' {
		name, reason := parseName(line)
		if reason != "" {
			return 0, false
		}
		return s.NumberOf(name)
	}
	for i := range s.Names {
		if s.Names[i].Name == string(line) {
			return s.Names[i].Number, true
		}
	}
	return 0, false
}

func parseGUID(line []byte) (entity.Value, bool) {
	var g entity.GUID
	if len(line) != 36 || line[8] != '-' || line[13] != '-' || line[18] != '-' || line[23] != '-' {
		return entity.Value{}, false
	}
	at := 0
	for _, part := range [...][]byte{line[:8], line[9:13], line[14:18], line[19:23], line[24:]} {
		n, err := hex.Decode(g[at:], part)
		if err != nil {
			return entity.Value{}, false
		}
		at += n
	}
	return entity.NewGUID(g), true
}

// pieces reads quoted pieces, one a line, and gives what stands between the
// quotes of each to add. A piece outside of lists continues the one before it
// wherever it stands; in a list only where it is indented deeper than the
// first, since otherwise it is the next element.
func (d *decoder) pieces(s *entity.Shape, element bool, add func(body []byte) error) error {
	if !d.begins('"') {
		return d.unwanted(s)
	}
	first := d.indent
	for again := false; d.begins('"') && (!again || !element || d.indent > first); again = true {
		if err := d.checkQuotes(); err != nil {
			return err
		}
		if err := add(d.line[1 : len(d.line)-1]); err != nil {
			return err
		}
		d.advance()
	}
	return nil
}

var stringShape, blobShape = &entity.Shape{Kind: entity.KindString}, &entity.Shape{Kind: entity.KindBlob}

func (d *decoder) string(element bool, v *entity.Value) error {
	from, number := len(d.bytes), d.number
	err := d.pieces(stringShape, element, func(body []byte) error {
		var reason string
		if d.bytes, reason = appendUnquoted(d.bytes, body); reason != "" {
			return d.fail("%s", reason)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !utf8.Valid(d.bytes[from:]) {
		return d.failAt(number, "the escapes in the string make it something else than UTF-8; use \\u and four digits for a character")
	}
	d.setText(v, entity.KindString, from)
	return nil
}

// expression reads the source behind an equals sign. What it says is not looked at:
// one that is wrong is a value like any other, and a finding of the world's. A number
// or a name without the sign is one, too.
func (d *decoder) expression(s *entity.Shape, v *entity.Value) error {
	source := d.line
	switch {
	case d.begins('='):
		source = bytes.Trim(source[1:], blank)
	case bytes.IndexByte([]byte(`"[]{}`), source[0]) >= 0:
		return d.unwanted(s)
	}
	if err := s.Check(entity.NewExpr(string(source))); err != nil {
		return d.fail("%v", err)
	}
	from := len(d.bytes)
	d.bytes = append(d.bytes, source...)
	d.setText(v, entity.KindExpr, from)
	d.advance()
	return nil
}

func (d *decoder) blob(element bool, v *entity.Value) error {
	from, number := len(d.bytes), d.number
	d.scratch = d.scratch[:0]
	err := d.pieces(blobShape, element, func(body []byte) error {
		d.scratch = append(d.scratch, body...)
		return nil
	})
	if err != nil {
		return err
	}
	if d.bytes, err = base64.StdEncoding.AppendDecode(d.bytes, d.scratch); err != nil {
		return d.failAt(number, "what stands in the quotes is not base64: %v", err)
	}
	d.setText(v, entity.KindBlob, from)
	return nil
}
