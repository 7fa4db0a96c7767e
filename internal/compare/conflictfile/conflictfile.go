// Package conflictfile writes and reads what a merge left to people where its
// result has no place for it: a pack and the interchange form hold one value of
// each property. docs/conflicts.md has the format.
//
// A file is lines of JSON: a header with the version, a line for each type whose
// declaration is in conflict, a line for each entity, and an end, so that a file
// that was cut off is told from a whole one. An entity is there as each side has
// it, in the interchange form under the merged declarations: what is read is what
// was written, bit for bit.
package conflictfile

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// Suffix is what the file's name has after that of the merged world.
const Suffix = ".conflicts"

// Version is the version of the format.
const Version = 1

// Document is what a merge left to people.
type Document struct {
	Names    Names
	Types    []Type
	Entities []Entity
}

// Names are what the three worlds were called.
type Names struct {
	Base   string `json:"base"`
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
}

// Conflict is one thing that was left.
type Conflict struct {
	Kind   string `json:"kind"`            // as in the report of a merge: property, deleted, …
	Field  string `json:"field,omitempty"` // "" where it is about the entity, or the declaration, as a whole
	Path   string `json:"path,omitempty"`  // the part of the field
	Stands Side   `json:"stands"`          // the side that the merged world has meanwhile
	Why    string `json:"why"`
}

// Side is one of the two sides.
type Side string

// The sides.
const (
	Ours   Side = "ours"
	Theirs Side = "theirs"
)

// Other returns the other side.
func (s Side) Other() Side {
	if s == Ours {
		return Theirs
	}
	return Ours
}

// Type is a declaration with conflicts.
type Type struct {
	Conflicts []Conflict
	Stands    *entity.Type // in the merged world
	Other     *entity.Type // with each conflict decided the other way; nil: there is none
}

// Entity is an entity with conflicts, as each side has it; nil where there is
// none.
type Entity struct {
	Conflicts          []Conflict
	Base, Ours, Theirs *entity.Entity
}

// Of returns the entity as a side has it.
func (e Entity) Of(s Side) *entity.Entity {
	if s == Ours {
		return e.Ours
	}
	return e.Theirs
}

// ID returns the entity's ID.
func (e Entity) ID() entity.ID {
	for _, v := range []*entity.Entity{e.Base, e.Ours, e.Theirs} {
		if v != nil {
			return v.ID
		}
	}
	return 0
}

// The lines of a file.
type (
	headLine struct {
		Version int `json:"version"`
		Names
	}
	typeLine struct {
		Conflicts []Conflict      `json:"left"`
		Stands    json.RawMessage `json:"stands"`
		Other     json.RawMessage `json:"other"`
	}
	entityLine struct {
		Conflicts []Conflict      `json:"left"`
		Base      json.RawMessage `json:"base"`
		Ours      json.RawMessage `json:"ours"`
		Theirs    json.RawMessage `json:"theirs"`
	}
	endLine struct {
		Types    int `json:"types"`
		Entities int `json:"entities"`
	}
	line struct {
		Head   *headLine   `json:"conflicts,omitempty"`
		Type   *typeLine   `json:"type,omitempty"`
		Entity *entityLine `json:"entity,omitempty"`
		End    *endLine    `json:"end,omitempty"`
	}
)

// start is how every file begins.
const start = `{"conflicts":`

// Is reports whether what a stream begins with is a file of conflicts. It takes
// nothing from the stream.
func Is(r *bufio.Reader) bool {
	head, _ := r.Peek(len(start))
	return string(head) == start
}

// Write writes a document.
func Write(w io.Writer, d *Document) error {
	out := bufio.NewWriterSize(w, 64<<10)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	var failed error
	put := func(l line) { failed = cmp.Or(failed, lines.Encode(l)) }
	put(line{Head: &headLine{Version, d.Names}})
	for _, t := range d.Types {
		put(line{Type: &typeLine{t.Conflicts, typeJSON(t.Stands), typeJSON(t.Other)}})
	}
	for _, e := range d.Entities {
		put(line{Entity: &entityLine{e.Conflicts, entityJSON(e.Base), entityJSON(e.Ours), entityJSON(e.Theirs)}})
	}
	put(line{End: &endLine{len(d.Types), len(d.Entities)}})
	if err := cmp.Or(failed, out.Flush()); err != nil {
		return fmt.Errorf("write conflicts: %w", err)
	}
	return nil
}

var null = json.RawMessage("null")

func typeJSON(t *entity.Type) json.RawMessage {
	if t == nil {
		return null
	}
	return bytes.TrimSpace(interchange.AppendType(nil, t))
}

func entityJSON(e *entity.Entity) json.RawMessage {
	if e == nil {
		return null
	}
	return interchange.AppendEntity(nil, e)
}

// maxLine is how long a line may be: longer than any entity's three sides.
const maxLine = 1 << 30

// Read reads a document. types are those of the world that it is read for; file is
// its name for messages. An error that is about a line is an *interchange.Error;
// nothing is returned with it.
func Read(r io.Reader, file string, types *entity.Types) (*Document, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	d := &decoder{entities: interchange.NewEntityReader(types)}
	for in.Scan() {
		d.number++
		if err := d.line(in.Bytes()); err != nil {
			return nil, d.at(file, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read %s after line %d: %w", file, d.number, err)
	}
	if !d.ended {
		return nil, d.at(file, errors.New("the conflicts stop without their last line; is the file cut off?"))
	}
	return &d.document, nil
}

type decoder struct {
	document Document
	entities *interchange.EntityReader
	number   int
	ended    bool
}

// at says where an error is.
func (d *decoder) at(file string, err error) error {
	out := &interchange.Error{Reason: err.Error()}
	var e *interchange.Error
	if errors.As(err, &e) {
		c := *e
		out = &c
	}
	out.File, out.Line = file, max(d.number, 1)
	return out
}

func (d *decoder) line(data []byte) error {
	if d.ended {
		return errors.New("there is a line after the end")
	}
	var l line
	in := json.NewDecoder(bytes.NewReader(data))
	if d.number > 1 { // a header of a later version may say more
		in.DisallowUnknownFields()
	}
	if err := in.Decode(&l); err != nil {
		return fmt.Errorf("not a line of conflicts: %w", err)
	}
	if in.More() {
		return errors.New("the line has more than one object")
	}
	switch {
	case (d.number == 1) != (l.Head != nil):
		return fmt.Errorf("the first line, and no other, begins with %s", start)
	case l.Head != nil:
		return d.head(l.Head)
	case l.Type != nil && l.Entity == nil && l.End == nil:
		return d.typ(l.Type)
	case l.Entity != nil && l.Type == nil && l.End == nil:
		return d.entity(l.Entity)
	case l.End != nil && l.Type == nil && l.Entity == nil:
		return d.end(l.End)
	}
	return errors.New(`a line is {"type":…}, {"entity":…} or {"end":…}`)
}

func (d *decoder) head(h *headLine) error {
	if h.Version != Version {
		return fmt.Errorf("the conflicts are in version %d of the format; this worldfs reads %d", h.Version, Version)
	}
	d.document.Names = h.Names
	return nil
}

func (d *decoder) typ(l *typeLine) (err error) {
	t := Type{Conflicts: l.Conflicts}
	if t.Stands, err = interchange.ParseType(l.Stands); err != nil {
		return err
	}
	if !isNull(l.Other) {
		if t.Other, err = interchange.ParseType(l.Other); err != nil {
			return err
		}
		if t.Other.Name != t.Stands.Name {
			return fmt.Errorf("the declarations are of two types, %q and %q", t.Stands.Name, t.Other.Name)
		}
	}
	d.document.Types = append(d.document.Types, t)
	return check(l.Conflicts)
}

func (d *decoder) entity(l *entityLine) error {
	e := Entity{Conflicts: l.Conflicts}
	for _, side := range []struct {
		json json.RawMessage
		to   **entity.Entity
	}{{l.Base, &e.Base}, {l.Ours, &e.Ours}, {l.Theirs, &e.Theirs}} {
		if isNull(side.json) {
			continue
		}
		v, err := d.entities.Read(side.json)
		if err != nil {
			return err
		}
		if id := e.ID(); id != 0 && id != v.ID {
			return fmt.Errorf("the sides are of two entities, %d and %d", id, v.ID)
		}
		*side.to = v
	}
	if e.Ours == nil && e.Theirs == nil {
		return errors.New("neither side has the entity, so there is no conflict about it")
	}
	d.document.Entities = append(d.document.Entities, e)
	return check(l.Conflicts)
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, null) }

func check(conflicts []Conflict) error {
	if len(conflicts) == 0 {
		return errors.New(`it does not say what was left: "left" is empty`)
	}
	for _, c := range conflicts {
		if c.Stands != Ours && c.Stands != Theirs {
			return fmt.Errorf(`the side that stands is %q; it is "ours" or "theirs"`, c.Stands)
		}
	}
	return nil
}

func (d *decoder) end(l *endLine) error {
	if l.Types != len(d.document.Types) || l.Entities != len(d.document.Entities) {
		return fmt.Errorf("the end tells of %d types and %d entities, and there are %d and %d",
			l.Types, l.Entities, len(d.document.Types), len(d.document.Entities))
	}
	d.ended = true
	return nil
}
