package packfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// declarations are the types that a pack is to declare, one of each name.
type declarations struct {
	types *entity.Types
	same  map[*entity.Type]bool // other copies of a declaration, found to be the same
}

// add declares t unless it is unknown. Another declaration of its name must be
// the same one, or values would be laid out by one and read by the other.
func (d *declarations) add(t *entity.Type) error {
	if t.Unknown {
		return nil
	}
	known := d.types.Get(t.Name)
	switch {
	case known == t || d.same[t]:
		return nil
	case known == nil:
		if err := t.Validate(); err != nil {
			return err
		}
		d.types.Put(t)
		return nil
	case !bytes.Equal(typeLine(known), typeLine(t)):
		return fmt.Errorf("type %q is declared in two ways; read the entity again under the world's declaration", t.Name)
	}
	if d.same == nil {
		d.same = make(map[*entity.Type]bool)
	}
	d.same[t] = true
	return nil
}

// majorFor returns the version of a pack that declares these types.
func majorFor(types *entity.Types) int {
	major := majorFirst
	for _, t := range types.All() {
		fields := entity.Shape{Kind: entity.KindStruct, Fields: t.Fields}
		switch {
		case t.EditorOnly || fields.Declares(isExpr):
			return majorExpr
		case t.Yields || slices.ContainsFunc(t.Fields, func(f *entity.Field) bool { return f.Yields != nil }):
			major = max(major, majorYields)
		case fields.Declares(entity.Kind.IsMatrix):
			major = max(major, majorMatrices)
		}
	}
	return major
}

func isExpr(k entity.Kind) bool { return k == entity.KindExpr }

// lines returns the section of types: a line each in the interchange form, in
// the order of their names.
func (d *declarations) lines() ([]byte, error) {
	var out []byte
	for _, t := range d.types.All() {
		line := typeLine(t)
		if bytes.IndexByte(line, '\n') >= 0 {
			return nil, fmt.Errorf("type %q: its declaration has a line break in it", t.Name)
		}
		out = append(append(out, line...), '\n')
	}
	return out, nil
}

func typeLine(t *entity.Type) []byte {
	return bytes.TrimSuffix(interchange.AppendType(nil, t), []byte("\n"))
}

// parsed is a section of types and what it declares.
type parsed struct {
	section string
	types   []*entity.Type
}

// lastParsed is what was parsed last. Most of the time that opening a pack
// takes goes into its declarations, and the packs that a program opens are
// nearly always of one world: they share their types, and then their layouts
// are the same as well.
var lastParsed atomic.Pointer[parsed]

// typesOf reads the section of types.
func typesOf(data []byte, s span) (*entity.Types, error) {
	last := lastParsed.Load()
	if last == nil || last.section != string(data[s.off:s.end]) {
		types, err := parseTypes(data, s)
		if err != nil {
			return nil, err
		}
		last = &parsed{section: string(data[s.off:s.end]), types: types}
		lastParsed.Store(last)
	}
	return entity.NewTypes(last.types...), nil
}

func parseTypes(data []byte, s span) ([]*entity.Type, error) {
	var types []*entity.Type
	for at := s.off; at < s.end; {
		n := bytes.IndexByte(data[at:s.end], '\n')
		if n < 0 {
			return nil, typesError(at, "the last line has no end")
		}
		t, err := interchange.ParseType(data[at : at+n])
		if err != nil {
			return nil, lineError(at, err)
		}
		if last := len(types) - 1; last >= 0 && t.Name <= types[last].Name {
			return nil, typesError(at, fmt.Sprintf("type %q comes after %q: types must be in the order of their names",
				clip(t.Name), clip(types[last].Name)))
		}
		types = append(types, t)
		at += n + 1
	}
	return types, nil
}

// lineError says where in the file a declaration is wrong.
func lineError(at int, err error) error {
	var ie *interchange.Error
	if errors.As(err, &ie) {
		at += int(ie.Offset)
	}
	return typesError(at, err.Error())
}

func typesError(at int, reason string) error {
	return &Error{sectionNames[secTypes], int64(at), reason, ErrCorrupt}
}
