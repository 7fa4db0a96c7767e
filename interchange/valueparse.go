package interchange

import (
	"bytes"
	"encoding/base64"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
)

// ParseValue reads the JSON of a value of the shape. Every spelling of a value
// is read; sets come out sorted.
func ParseValue(raw []byte, s *entity.Shape) (entity.Value, error) {
	v, err := parseValueAt(raw, 0, s)
	if err != nil {
		return entity.Value{}, err
	}
	return v, nil
}

// parseValueAt reads a value that stands at an offset of a line.
func parseValueAt(raw []byte, base int, s *entity.Shape) (entity.Value, *Error) {
	p := borrow(raw, base)
	defer p.giveBack()
	p.filling = freeFilling + fillingPerByte*len(raw)
	v, err := p.value(s)
	if err != nil {
		return entity.Value{}, err
	}
	return v, p.end()
}

// A struct of many members is written {} in two bytes, an entity of a large type
// in fifty. So that a short file cannot ask for any amount of memory, the
// values that are left to their defaults are counted: so many are free, and so
// many more for each byte that is read.
const (
	freeFilling    = 1 << 20
	fillingPerByte = 8
)

// valueParser reads values out of one piece of JSON after another. It keeps
// its decoder and scratch space between them.
type valueParser struct {
	dec     *jsontext.Decoder
	buf     bytes.Buffer
	src     []byte // the piece
	base    int    // where it stands in the line
	scratch []byte
	filling int // how many more values may be left to their defaults

	defaults map[*entity.Field]entity.Value // structs made of their members' defaults
}

func (p *valueParser) reset(raw []byte, base int) {
	p.src, p.base = raw, base
	p.buf = *bytes.NewBuffer(raw)
	if p.dec == nil {
		p.dec = jsontext.NewDecoder(&p.buf)
	} else {
		p.dec.Reset(&p.buf)
	}
}

// parsers are valueParsers that no goroutine uses at the moment: a decoder is dear to
// make, and there are several pieces in a line.
var parsers = sync.Pool{New: func() any { return new(valueParser) }}

func borrow(raw []byte, base int) *valueParser {
	p := parsers.Get().(*valueParser)
	p.reset(raw, base)
	return p
}

func (p *valueParser) giveBack() {
	p.src, p.buf, p.defaults = nil, bytes.Buffer{}, nil
	if cap(p.scratch) > batchSize {
		p.scratch = nil
	}
	parsers.Put(p)
}

// offset is where in the line the parser stands.
func (p *valueParser) offset() int { return p.base + int(p.dec.InputOffset()) }

func (p *valueParser) failf(format string, args ...any) *Error {
	return failf(p.offset(), format, args...)
}

// end fails if anything but white space is left.
func (p *valueParser) end() *Error {
	switch _, err := p.dec.ReadToken(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return syntaxError(err, p.base)
	}
	return p.failf("there is more after the end of the JSON value")
}

// token reads a token of the kind wanted.
func (p *valueParser) token(want jsontext.Kind) *Error {
	if got := p.dec.PeekKind(); got != want && got != jsontext.KindInvalid {
		return p.failf("want %s, got %s", kindWord(want), kindWord(got))
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return syntaxError(err, p.base)
	}
	return nil
}

// scalar reads a literal, number or string of one of the kinds wanted and
// returns it as written.
func (p *valueParser) scalar(what string, want ...jsontext.Kind) (jsontext.Value, *Error) {
	got := p.dec.PeekKind()
	for _, k := range want {
		if got == k {
			raw, err := p.dec.ReadValue()
			if err != nil {
				return nil, syntaxError(err, p.base)
			}
			return raw, nil
		}
	}
	if got == jsontext.KindInvalid {
		_, err := p.dec.ReadToken()
		return nil, syntaxError(err, p.base)
	}
	return nil, p.failf("want %s, got %s", what, kindWord(got))
}

func kindWord(k jsontext.Kind) string {
	switch k {
	case jsontext.KindTrue, jsontext.KindFalse:
		return "true or false"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	case jsontext.KindEndArray, jsontext.KindEndObject:
		return "no more"
	}
	return "null"
}

// value reads a value of the shape.
func (p *valueParser) value(s *entity.Shape) (entity.Value, *Error) {
	if p.dec.PeekKind() == jsontext.KindNull {
		if !s.Optional {
			return entity.Value{}, p.failf("null, but the value is not optional")
		}
		return entity.Value{}, p.token(jsontext.KindNull)
	}
	switch k := s.Kind; {
	case k == entity.KindBool:
		raw, err := p.scalar("true or false", jsontext.KindTrue, jsontext.KindFalse)
		return entity.NewBool(len(raw) == 4), err
	case k == entity.KindEnum:
		return p.enum(s)
	case k == entity.KindFlags:
		return p.flags(s)
	case k.IsSigned(), k.IsUnsigned():
		return p.integer(k)
	case k == entity.KindF64:
		bits, err := p.float(64)
		return entity.NewF64(bits), err
	case k == entity.KindF32:
		bits, err := p.float(32)
		return entity.NewF32(uint32(bits)), err
	case k.Components() > 0:
		return p.vector(k)
	case k.IsList():
		return p.list(s)
	case k == entity.KindStruct:
		return p.structure(s)
	}
	return p.text(s.Kind)
}

// unquote returns the text of a JSON string, good until the next reading.
func (p *valueParser) unquote(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	p.scratch, _ = jsontext.AppendUnquote(p.scratch[:0], []byte(raw))
	return p.scratch
}

// text reads what is written as a string: a string, a blob, a guid or an expression.
func (p *valueParser) text(k entity.Kind) (entity.Value, *Error) {
	raw, err := p.scalar("a string", jsontext.KindString)
	if err != nil {
		return entity.Value{}, err
	}
	text := p.unquote(raw)
	switch k {
	case entity.KindBlob:
		b, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
		if err != nil {
			return entity.Value{}, p.failf("the string is no base64 with padding: %v", err)
		}
		return entity.NewBlob(string(b)), nil
	case entity.KindGUID:
		g, ok := parseGUID(string(text))
		if !ok {
			return entity.Value{}, p.failf("%s is no guid: 32 hexadecimal digits in groups of 8-4-4-4-12", quote(string(text)))
		}
		return entity.NewGUID(g), nil
	case entity.KindExpr:
		v := entity.NewExpr(strings.Trim(string(text), " \t"))
		if err := (&entity.Shape{Kind: k}).Check(v); err != nil {
			return entity.Value{}, p.failf("%v", err)
		}
		return v, nil
	}
	return entity.NewString(string(text)), nil
}

func (p *valueParser) float(size int) (uint64, *Error) {
	raw, err := p.scalar("a number", jsontext.KindNumber, jsontext.KindString)
	if err != nil {
		return 0, err
	}
	var bits uint64
	var reason string
	if raw.Kind() == jsontext.KindNumber {
		bits, reason = parseFloat(string(raw), size)
	} else {
		bits, reason = parseOddFloat(string(p.unquote(raw)), size)
	}
	if reason != "" {
		return 0, p.failf("%s", reason)
	}
	return bits, nil
}

func (p *valueParser) vector(k entity.Kind) (entity.Value, *Error) {
	if err := p.token(jsontext.KindBeginArray); err != nil {
		return entity.Value{}, err
	}
	var c [entity.MaxComponents]uint32
	n := 0
	for ; p.dec.PeekKind() != jsontext.KindEndArray; n++ {
		bits, err := p.float(32)
		if err != nil {
			return entity.Value{}, err.element(n)
		}
		if n < k.Components() {
			c[n] = uint32(bits)
		}
	}
	if n != k.Components() {
		return entity.Value{}, p.failf("want %d numbers, got %d", k.Components(), n)
	}
	return entity.NewComponents(k, c), p.token(jsontext.KindEndArray)
}

func (p *valueParser) integer(k entity.Kind) (entity.Value, *Error) {
	raw, err := p.scalar("an integer", jsontext.KindNumber, jsontext.KindString)
	if err != nil {
		return entity.Value{}, err
	}
	return p.integerOf(raw, k)
}

// integerOf reads an integer that is written as a number or as a string.
func (p *valueParser) integerOf(raw jsontext.Value, k entity.Kind) (entity.Value, *Error) {
	digits, reason := []byte(raw), ""
	if raw.Kind() == jsontext.KindString {
		if digits = p.unquote(raw); !isInteger(digits) {
			return entity.Value{}, p.failf("%s is no integer", quote(string(digits)))
		}
	} else if digits, reason = plainInteger(digits); reason != "" {
		return entity.Value{}, p.failf("%s", reason)
	}
	if k.IsSigned() {
		if i, err := strconv.ParseInt(string(digits), 10, 64); err == nil && entity.FitsInt(k, i) {
			return entity.NewInt(k, i), nil
		}
	} else if u, err := strconv.ParseUint(withoutMinusZero(digits), 10, 64); err == nil && entity.FitsUint(k, u) {
		return entity.NewUint(k, u), nil
	}
	return entity.Value{}, p.failf("the number %s is beyond the range of %s", clip(string(digits)), k)
}

// withoutMinusZero lets -0 pass for an unsigned integer.
func withoutMinusZero(digits []byte) string {
	if string(digits) == "-0" {
		return "0"
	}
	return string(digits)
}

func (p *valueParser) enum(s *entity.Shape) (entity.Value, *Error) {
	raw, err := p.scalar("a name", jsontext.KindString, jsontext.KindNumber)
	if err != nil {
		return entity.Value{}, err
	}
	if raw.Kind() == jsontext.KindNumber {
		return p.integerOf(raw, entity.KindEnum)
	}
	number, err := p.numberOf(raw, s)
	return entity.NewInt(entity.KindEnum, number), err
}

func (p *valueParser) numberOf(raw jsontext.Value, s *entity.Shape) (int64, *Error) {
	name := string(p.unquote(raw))
	number, ok := s.NumberOf(name)
	if !ok {
		return 0, p.failf("%s is none of the names of its %s", quote(name), s.Kind)
	}
	return number, nil
}

func (p *valueParser) flags(s *entity.Shape) (entity.Value, *Error) {
	if err := p.token(jsontext.KindBeginArray); err != nil {
		return entity.Value{}, err
	}
	var flags uint64
	for i := 0; p.dec.PeekKind() != jsontext.KindEndArray; i++ {
		bit, err := p.flag(s)
		if err != nil {
			return entity.Value{}, err.element(i)
		}
		flags |= 1 << bit
	}
	return entity.NewUint(entity.KindFlags, flags), p.token(jsontext.KindEndArray)
}

// flag reads a bit by its name or its number.
func (p *valueParser) flag(s *entity.Shape) (uint64, *Error) {
	raw, err := p.scalar("a name", jsontext.KindString, jsontext.KindNumber)
	if err != nil {
		return 0, err
	}
	if raw.Kind() == jsontext.KindString {
		bit, err := p.numberOf(raw, s)
		return uint64(bit), err
	}
	v, err := p.integerOf(raw, entity.KindU64)
	if err != nil {
		return 0, err
	}
	most := uint64(31)
	if s.WideFlags() {
		most = 63
	}
	if v.Uint() > most {
		return 0, p.failf("there is no bit %d; bits are 0 to %d", v.Uint(), most)
	}
	return v.Uint(), nil
}
