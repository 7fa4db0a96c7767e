// Package textcodec converts between an entity and its entity_text, the form
// that version control stores and people read, edit, review and merge.
// docs/entity-text.md is the format's specification.
//
// Writing is canonical: one entity has one text. Reading is tolerant, and says
// in findings what it put up with. For every valid entity in canonical form,
// Decode(Append(e)) is e bit for bit, and whatever text Decode accepts, what
// Append makes of the result reads back as the same entity.
//
// A text that is canonical, as almost all are, is read in one pass that proves
// it canonical on the way; any other is read line by line and then written
// anew to compare. Decoding takes four allocations at most on the first way,
// whatever the entity holds (but one or two more for an enum's or flag's name
// in quotes), and memory in proportion to the text on both.
package textcodec

import (
	"errors"
	"fmt"
	"sync"

	"github.com/worldfs/worldfs/entity"
)

// Result is what a text says.
type Result struct {
	Entity    *entity.Entity
	Canonical bool             // the text is byte for byte what Append gives for Entity
	Findings  []entity.Finding // what people should know, in the order of the text; at most maxFindings
}

// ErrTruncated marks the errors of texts that were cut off.
var ErrTruncated = errors.New("the text is cut off")

// ErrEmpty marks the error of a text with nothing in it, which every file is
// for a moment while a tool writes it.
var ErrEmpty = errors.New("the text is empty")

// Error says where a text is broken, and why.
type Error struct {
	Line   int    // from 1
	Field  string // members of structs with dots; "" outside of fields
	Reason string
	Marked bool // there is a conflict in the text, too

	mark error // ErrTruncated, ErrEmpty or nil
}

func (e *Error) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("line %d, field %s: %s", e.Line, e.Field, e.Reason)
}

// Unwrap returns ErrTruncated or ErrEmpty where it is one of them.
func (e *Error) Unwrap() error { return e.mark }

// maxFindings bounds what a text full of oddities can cost.
const maxFindings = 100

// Decode reads the text of the file of entity id. The entity has canonical
// values: sets sorted, fields absent whose condition does not hold. The error,
// if any, is an *Error. Nothing of text is kept.
func Decode(text []byte, id entity.ID, types *entity.Types) (Result, error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	if types == nil {
		types = &entity.Types{}
	}
	d.id, d.types = id, types
	if e, ok := d.strict(text); ok {
		return Result{Entity: e, Canonical: true}, nil
	}
	d.reset()
	return d.tolerant(text)
}

// Header reads the first three lines of an entity's text: its type, revision
// and the ID written in it.
func Header(text []byte) (typeName string, revision uint32, id entity.ID, err error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	if err := d.openHeader(text); err != nil {
		return "", 0, 0, err
	}
	h, err := d.header()
	return h.typeName, h.revision, h.id, err
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}
