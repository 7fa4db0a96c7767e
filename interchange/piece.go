package interchange

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
)

// piece is a JSON value and where in the line it stands.
type piece struct {
	raw    jsontext.Value
	offset int
}

// member is one of an object's.
type member struct {
	key   string
	value piece
}

// members takes an object apart.
func (v piece) members() ([]member, *Error) {
	p := borrow(v.raw, v.offset)
	defer p.giveBack()
	if err := p.token(jsontext.KindBeginObject); err != nil {
		return nil, err
	}
	out := make([]member, 0, 6)
	for p.dec.PeekKind() != jsontext.KindEndObject {
		raw, err := p.scalar("a name", jsontext.KindString)
		if err != nil {
			return nil, err
		}
		key := string(p.unquote(raw))
		value, err := p.piece()
		if err != nil {
			return nil, err
		}
		out = append(out, member{key, value})
	}
	if err := p.token(jsontext.KindEndObject); err != nil {
		return nil, err
	}
	return out, p.end()
}

// elements takes an array apart.
func (v piece) elements() ([]piece, *Error) {
	p := borrow(v.raw, v.offset)
	defer p.giveBack()
	if err := p.token(jsontext.KindBeginArray); err != nil {
		return nil, err
	}
	var out []piece
	for p.dec.PeekKind() != jsontext.KindEndArray {
		value, err := p.piece()
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, p.token(jsontext.KindEndArray)
}

// piece reads a whole value, whatever it is.
func (p *valueParser) piece() (piece, *Error) {
	raw, err := p.dec.ReadValue()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return piece{}, syntaxError(err, p.base)
	}
	end := int(p.dec.InputOffset())
	return piece{p.src[end-len(raw) : end], p.base + end - len(raw)}, nil
}

func (v piece) text() (string, *Error) {
	s := entity.Shape{Kind: entity.KindString}
	value, err := parseValueAt(v.raw, v.offset, &s)
	return value.Text(), err
}

func (v piece) flag() (bool, *Error) {
	s := entity.Shape{Kind: entity.KindBool}
	value, err := parseValueAt(v.raw, v.offset, &s)
	return value.Bool(), err
}

func (v piece) number(k entity.Kind) (entity.Value, *Error) {
	return parseValueAt(v.raw, v.offset, &entity.Shape{Kind: k})
}

func (v piece) texts() ([]string, *Error) {
	elements, err := v.elements()
	out := make([]string, len(elements))
	for i := range elements {
		if err == nil {
			out[i], err = elements[i].text()
		}
	}
	return out, err
}
