package interchange

import (
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
)

// ReadUndeclared reads a whole stream as Read does, and takes the fields of entities
// whose type is declared nowhere, too: their values are kept as lines of text (see
// [entity.Raw]), in the form that a declaration which comes later finds them in.
// JSON does not tell a vector from an array, nor a string from a number that is written
// as one: two to four numbers are taken for one vector, more, or none, for an array, and
// the digits of a whole number beyond 2^53 for that number.
func ReadUndeclared(r io.Reader, file string, known *entity.Types) (*Document, error) {
	d := newDocumentReader(known)
	d.entities.undeclared = true
	if err := d.read(r, file, nil); err != nil {
		return nil, err
	}
	return &d.document, nil
}

// rawFields returns the fields of an entity whose type is declared nowhere.
func rawFields(fields piece) ([]entity.Raw, *Error) {
	members, err := fields.members()
	if err != nil {
		return nil, err
	}
	var out []entity.Raw
	for _, m := range members {
		if m.value.raw.Kind() == jsontext.KindNull {
			continue // absent, and without lines it would be a text that is cut off
		}
		if strings.ContainsAny(m.key, lineBreaks) {
			return nil, failf(m.value.offset, "the name has a line break or a zero byte in it")
		}
		lines, err := rawLines(nil, m.value, 1)
		if err != nil {
			return nil, err.within(m.key)
		}
		out = append(out, entity.Raw{Name: m.key, Lines: strings.Join(lines, "\n")})
	}
	return out, nil
}

// rawLines appends a value's lines of text, indented by as many steps.
func rawLines(lines []string, v piece, depth int) ([]string, *Error) {
	if depth > entity.MaxDepth {
		return nil, failf(v.offset, "it is nested more than %d deep", entity.MaxDepth)
	}
	indent := strings.Repeat("    ", depth)
	switch v.raw.Kind() {
	case jsontext.KindNull:
		return append(lines, indent+"null"), nil
	case jsontext.KindString:
		text, err := v.text()
		if !isLongInteger(text) {
			text = strconv.Quote(text)
		}
		return append(lines, indent+text), err
	case jsontext.KindBeginArray:
		return rawElements(lines, v, depth)
	case jsontext.KindBeginObject:
		members, err := v.members()
		lines = append(lines, indent+"{")
		for i := 0; i < len(members) && err == nil; i++ {
			lines = append(lines, indent+"; "+strconv.Quote(members[i].key))
			lines, err = rawLines(lines, members[i].value, depth+1)
		}
		return append(lines, indent+"}"), err
	}
	return append(lines, indent+string(v.raw)), nil
}

func rawElements(lines []string, v piece, depth int) ([]string, *Error) {
	elements, err := v.elements()
	if err != nil {
		return nil, err
	}
	if isVector(elements) {
		for _, e := range elements {
			lines = append(lines, strings.Repeat("    ", depth)+string(e.raw))
		}
		return lines, nil
	}
	lines = append(lines, strings.Repeat("    ", depth)+"[")
	for i, e := range elements {
		if lines, err = rawLines(lines, e, depth+1); err != nil {
			return nil, err.element(i)
		}
	}
	return append(lines, strings.Repeat("    ", depth)+"]"), nil
}

func isVector(elements []piece) bool {
	for _, e := range elements {
		if e.raw.Kind() != jsontext.KindNumber {
			return false
		}
	}
	return len(elements) >= 2 && len(elements) <= 4
}

// isLongInteger reports whether a text is a whole number that JSON has as a string.
func isLongInteger(text string) bool {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "-"), 10, 64)
	return err == nil && n > maxExact
}
