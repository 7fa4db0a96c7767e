// Package typefile reads and writes the files that declare types: one TOML file
// a type, whose keys are those of the interchange form. What they mean is
// decided there, in one place; here is where it stands.
//
//	name = "Door"
//	revision = 72
//
//	[[fields]]
//	name = "position"
//	kind = "vec3"
//
//	[[fields]]
//	name = "targets"
//	kind = "set"
//	of = "ref"
//	optional = true
//
// People keep comments in these files. Update keeps them when a program
// changes a declaration, and returns a file that says the same as it was.
//
// TOML has no null, no integers beyond 64 bits and, unlike JSON, dates. A date
// is read as a string; what TOML cannot say is a table of one key, "$json",
// with the JSON as its string.
package typefile

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// MaxSize is how large a file may be.
const MaxSize = 16 << 20

// Error says what is wrong with a file, and where: "types/Door.toml:12: field
// position: unknown kind …".
type Error struct {
	File   string
	Line   int    // from 1; 0 where it is about the file as a whole
	Field  string // members of structs with dots; "" where it is about no field
	Reason string

	// Conflict says that the file declares its type all the same: a merge has left
	// conflict markers in it, and it is read as our side.
	Conflict bool

	// Condition says that the file declares its type all the same: a condition of
	// it can be evaluated for no entity.
	Condition bool
}

func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d", s, e.Line)
	}
	if e.Field != "" {
		s += ": field " + e.Field
	}
	return s + ": " + e.Reason
}

// Parse reads a declaration. file is for messages. Errors are of type *Error.
func Parse(data []byte, file string) (*entity.Type, error) {
	t, _, err := parse(data, file)
	return t, err
}

// parse returns the tree of the file too.
func parse(data []byte, file string) (*entity.Type, *node, error) {
	if len(data) > MaxSize {
		return nil, nil, &Error{File: file, Reason: fmt.Sprintf("the file is larger than %d MiB", MaxSize>>20)}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	root, err := readTree(data)
	if err != nil {
		err.File = file
		return nil, nil, err
	}
	r := renderer{}
	if bad := r.value(root); bad != nil {
		return nil, nil, &Error{File: file, Line: lineAt(data, bad.offset), Reason: bad.reason}
	}
	t, failed := interchange.ParseType(r.json)
	if failed == nil {
		return t, root, nil
	}
	out := &Error{File: file, Line: 1, Reason: failed.Error()}
	var e *interchange.Error
	if errors.As(failed, &e) {
		out.Line, out.Field, out.Reason = lineAt(data, r.place(e.Offset)), e.Field, e.Reason
	}
	return nil, nil, out
}

// lineAt returns the line that an offset is in, from 1.
func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// checkRules reports what is against the rules of TOML as a whole: a table
// defined twice, a key that is a value and a table.
func checkRules(data []byte) *Error {
	var all map[string]any
	err := toml.Unmarshal(data, &all)
	if err == nil {
		return nil
	}
	e := &Error{Line: 1, Reason: strings.TrimPrefix(err.Error(), "toml: ")}
	var d *toml.DecodeError
	if errors.As(err, &d) {
		e.Line, _ = d.Position()
	}
	return e
}

// renderer writes a tree as JSON and remembers where its parts came from.
type renderer struct {
	json   []byte
	places []place
	plain  bool // tables that stand for JSON are tables like others
}

// place is an offset in the JSON and the one in the file that it stands for.
type place struct{ json, toml int }

// place returns where in the file a part of the JSON came from.
func (r *renderer) place(offset int) int {
	i := sort.Search(len(r.places), func(i int) bool { return r.places[i].json > offset })
	if i == 0 {
		return 0
	}
	return r.places[i-1].toml
}

func (r *renderer) value(n *node) *fault {
	r.places = append(r.places, place{len(r.json), n.offset})
	if raw, ok, bad := n.embedded(); ok && !r.plain {
		r.json = append(r.json, raw...)
		return bad
	}
	switch n.kind {
	case table:
		return r.table(n)
	case array:
		r.json = append(r.json, '[')
		for i, item := range n.items {
			if i > 0 {
				r.json = append(r.json, ',')
			}
			if bad := r.value(item); bad != nil {
				return bad
			}
		}
		r.json = append(r.json, ']')
		return nil
	}
	r.json = append(r.json, n.json...)
	return nil
}

func (r *renderer) table(n *node) *fault {
	r.json = append(r.json, '{')
	for i, e := range n.entries {
		if i > 0 {
			r.json = append(r.json, ',')
		}
		r.json = append(appendQuoted(r.json, e.key), ':')
		if bad := r.value(e.value); bad != nil {
			return bad
		}
	}
	r.json = append(r.json, '}')
	return nil
}
