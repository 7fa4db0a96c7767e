package interchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
)

// Error says what is wrong with a line, and where: "world.jsonl:17: Door 6555,
// field position: want 3 numbers, got 2".
type Error struct {
	File   string // "" where there is no file, as in ParseType
	Line   int    // from 1
	Entity string // whom the line is about: Door 6555, or type "Door"; "" if it does not say
	Field  string // members of structs with dots
	Reason string
	Offset int // where in the line, in bytes

	pointer jsontext.Pointer // to where the JSON is wrong, if it is
}

func (e *Error) Error() string {
	var s strings.Builder
	if e.File != "" {
		fmt.Fprintf(&s, "%s:%d: ", e.File, e.Line)
	}
	s.WriteString(e.Entity)
	if e.Field != "" {
		if e.Entity != "" {
			s.WriteString(", ")
		}
		s.WriteString("field " + e.Field)
	}
	if e.Entity != "" || e.Field != "" {
		s.WriteString(": ")
	}
	s.WriteString(e.Reason)
	return s.String()
}

// within adds the field or member that the error is in.
func (e *Error) within(field string) *Error {
	if e.Field == "" {
		e.Field = clip(field)
	} else {
		e.Field = clip(field) + "." + e.Field
	}
	return e
}

// element adds the list's element, counted from 0, that the error is in.
func (e *Error) element(i int) *Error {
	e.Reason = fmt.Sprintf("element %d: %s", i+1, e.Reason)
	return e
}

func failf(offset int, format string, args ...any) *Error {
	return &Error{Reason: fmt.Sprintf(format, args...), Offset: offset}
}

// syntaxError says in people's words what the JSON library found.
func syntaxError(err error, base int) *Error {
	var s *jsontext.SyntacticError
	if !errors.As(err, &s) {
		return failf(base, "the JSON ends too early; is the line cut off?")
	}
	offset := base + int(s.ByteOffset)
	var e *Error
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e = failf(offset, "%s stands twice in one object", quote(s.JSONPointer.LastToken()))
	case errors.Is(err, io.ErrUnexpectedEOF):
		e = failf(offset, "the JSON ends too early; is the line cut off?")
	default:
		e = failf(offset, "at byte %d of the line: not valid JSON: %v", offset+1, s.Err)
	}
	e.pointer = s.JSONPointer
	return e
}

// salvage finds out whom a line is about that is not valid JSON, as far as it
// can be read.
func (e *Error) salvage(line []byte) *Error {
	var what string
	var d draft
	dec := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			break
		}
		switch dec.StackPointer() {
		case "/type/name", "/entity/type":
			if token.Kind() == jsontext.KindString {
				d.typ = strings.ToValidUTF8(token.String(), "?")
			}
		case "/type":
			what = "type"
		case "/entity/id":
			d.id, _ = entity.ParseID(token.String())
		}
	}
	e.Entity = d.String()
	if what == "type" && d.typ != "" {
		e.Entity = "type " + quote(d.typ)
	}
	if rest, ok := strings.CutPrefix(string(e.pointer), "/entity/fields/"); ok && what != "type" {
		field, _, _ := strings.Cut(rest, "/")
		e.Field = clip(jsontext.Pointer("/" + field).LastToken())
	}
	return e
}

// quote quotes a text that came from outside, shortened to what a message can
// bear.
func quote(s string) string { return strconv.Quote(clip(s)) }

func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
