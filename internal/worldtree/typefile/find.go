package typefile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotDeclared says that no file of a directory declares a type.
var ErrNotDeclared = errors.New("no file declares the type")

// Place is where something stands in a directory of types files.
type Place struct {
	File string // its name
	Line int    // from 1
}

// Find returns where a key of a field stands in a directory of types files. Members of
// structs are named with dots. Where the file does not have the key, the line is the field's,
// or the first.
func Find(dir, typ, field, key string) (Place, error) {
	if err := CheckDir(dir); err != nil {
		return Place{}, err
	}
	names := []string{FileName(typ)} // most likely
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Place{}, err
	}
	for _, e := range entries {
		if IsFileName(e.Name()) && e.Name() != names[0] {
			names = append(names, e.Name())
		}
	}
	for _, name := range names {
		data, err := readLimited(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		t, root, err := parse(data, name)
		if err == nil && t.Name == typ {
			return Place{name, lineAt(data, placeOf(root, field, key))}, nil
		}
	}
	return Place{}, ErrNotDeclared
}

// placeOf returns the offset of a key of a field, as far as there is one.
func placeOf(n *node, field, key string) int {
	fields := n.get("fields")
	if fields == nil {
		if of := n.get("of"); of != nil && of.value.kind == table {
			return placeOf(of.value, field, key)
		}
		return n.offset
	}
	for _, f := range fields.value.items {
		name := f.text("name")
		if name == field {
			if at := f.get(key); at != nil {
				return at.value.offset
			}
			continue // of several with one name it is another
		}
		if rest, within := strings.CutPrefix(field, name+"."); within && name != "" {
			if at := placeOf(f, rest, key); at != f.offset {
				return at
			}
		}
	}
	return n.offset
}

// text returns the string that a key of a table has, "" for none.
func (n *node) text(key string) string {
	e := n.get(key)
	if e == nil || e.value.kind != scalar || !strings.HasPrefix(e.value.json, `"`) {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, e.value.json) // it was read as JSON
	return string(text)
}
