package jsonmerge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Error says what is wrong with a document, and where:
// "level.json:12:7: /rooms/3: "name" stands twice in one object".
type Error struct {
	Name   string // the document's
	Line   int    // from 1
	Column int    // from 1, in characters
	Path   jsontext.Pointer
	Reason string
}

func (e *Error) Error() string {
	where := fmt.Sprintf("%s:%d:%d: ", e.Name, e.Line, e.Column)
	if e.Path != "" {
		where += excerpt(jsontext.Value(e.Path)) + ": "
	}
	return where + e.Reason
}

// errorAt makes the error for a place in a document.
func errorAt(d *document, offset int, path jsontext.Pointer, reason string) *Error {
	before := d.text[:min(offset, len(d.text))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return &Error{
		Name:   d.name,
		Line:   1 + bytes.Count(before, []byte("\n")),
		Column: 1 + utf8.RuneCount(line),
		Path:   path,
		Reason: reason,
	}
}

// syntaxError says in people's words what the JSON library found.
func syntaxError(d *document, err error) *Error {
	var s *jsontext.SyntacticError
	if !errors.As(err, &s) {
		return errorAt(d, len(d.text), "", tooEarly(d))
	}
	offset := int(s.ByteOffset)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		name := strconv.Quote(excerpt(jsontext.Value(s.JSONPointer.LastToken())))
		return errorAt(d, offset, s.JSONPointer.Parent(), name+" stands twice in one object")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errorAt(d, len(d.text), s.JSONPointer, tooEarly(d))
	}
	return errorAt(d, offset, s.JSONPointer, "not valid JSON: "+reason(d, offset, s.Err))
}

// reason says it in the words for what people write by hand most often.
func reason(d *document, offset int, err error) string {
	if offset < len(d.text) {
		switch d.text[offset] {
		case ',':
			return "a comma with no value before or behind it"
		case '/':
			return "a comment begins with // or /*"
		case '\'':
			return `strings are quoted with "`
		}
	}
	return err.Error()
}

func tooEarly(d *document) string {
	if len(bytes.TrimSpace(d.text)) == 0 {
		return "the document is empty"
	}
	return "the " + d.dialect.String() + " ends too early; is the file cut off?"
}
