package changeset

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// longLine is how long a line may be that has a value before and after. Beyond
// that they have a line each.
const longLine = 120

// Format writes a change set as text.
func Format(w io.Writer, set entity.ChangeSet) error {
	out := bufio.NewWriterSize(w, 64<<10)
	fmt.Fprintf(out, "%s %s\n", header, format)
	var block []byte
	for changes := range blocks(set) {
		var err error
		if block, err = appendBlock(block[:0], changes); err != nil {
			return fmt.Errorf("write the change of entity %d: %w", changes[0].ID, err)
		}
		out.Write(block)
	}
	out.WriteString(ending + "\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write changes: %w", err)
	}
	return nil
}

func appendBlock(dst []byte, changes entity.ChangeSet) ([]byte, error) {
	c := changes[0]
	l, name := subject(c)
	if l == nil {
		return nil, fmt.Errorf("%s: the change does not say of which type it is", c.Op)
	}
	dst = appendHead(dst, c, l, name)
	switch c.Op {
	case entity.OpCreate:
		return appendEntity(dst, "  ", c.New), nil
	case entity.OpDelete:
		return appendEntity(dst, "  ", c.Old), nil
	case entity.OpReplace:
		return appendEntity(appendEntity(dst, "  - ", c.Old), "  + ", c.New), nil
	}
	for len(changes) > 0 {
		n, err := 0, error(nil)
		if dst, n, err = appendProperty(dst, l, changes); err != nil {
			return nil, err
		}
		changes = changes[n:]
	}
	return dst, nil
}

func appendHead(dst []byte, c entity.Change, l *entity.Layout, name string) []byte {
	verb := "change"
	if whole(c) {
		verb = c.Op.String()
	}
	dst = append(append(dst, verb...), ' ')
	dst = appendName(dst, l.Type.Name)
	dst = append(append(dst, ' '), c.ID.String()...)
	if name != "" {
		dst = appendQuoted(append(dst, ' '), name)
	}
	if !whole(c) {
		dst = append(dst, " revision "...)
		dst = strconv.AppendUint(dst, uint64(l.Revision), 10)
	}
	return append(dst, '\n')
}

// appendName writes the name of a type or field, quoted unless it is a word.
func appendName(dst []byte, name string) []byte {
	if wordLength(name) == len(name) {
		return append(dst, name...)
	}
	return appendQuoted(dst, name)
}

// wordLength returns how many bytes at the beginning of s are a word: ASCII
// letters, digits, _, . and -, the first a letter or _.
func wordLength(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_', 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && (c == '.' || c == '-' || '0' <= c && c <= '9'):
		default:
			return i
		}
	}
	return len(s)
}

func appendQuoted(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

func appendEntity(dst []byte, before string, e *entity.Entity) []byte {
	return append(interchange.AppendEntity(append(dst, before...), e), '\n')
}

// appendProperty writes the first of the changes, with those that stand under
// the same name, and returns how many they are.
func appendProperty(dst []byte, l *entity.Layout, changes entity.ChangeSet) ([]byte, int, error) {
	c := changes[0]
	if c.Op == entity.OpRaw {
		return appendUnknown(dst, c), 1, nil
	}
	i := l.Index(c.Field)
	if i < 0 {
		return nil, 0, fmt.Errorf("the type has no field %q at revision %d", c.Field, l.Revision)
	}
	s := &l.Fields[i].Shape
	dst = appendName(append(dst, "  "...), c.Field)
	switch c.Op {
	case entity.OpAdd, entity.OpRemove:
		dst, n := appendElements(append(dst, '\n'), s, changes)
		return dst, n, nil
	case entity.OpEdit:
		return appendHunks(append(dst, '\n'), s, c.Hunks), 1, nil
	}
	if h, ok := hunks(s, c.From, c.To); ok {
		return appendHunks(append(dst, '\n'), s, h), 1, nil
	}
	return appendSet(dst, s, c), 1, nil
}

// appendSet writes what a field was and is: after its name, or below it where
// that would be long.
func appendSet(dst []byte, s *entity.Shape, c entity.Change) []byte {
	name := len(dst)
	dst = interchange.AppendValue(append(dst, ' '), s, c.From)
	dst = interchange.AppendValue(append(dst, " -> "...), s, c.To)
	if len(dst)-name > longLine {
		dst = appendItem(append(dst[:name], '\n'), "from", s, c.From)
		return appendItem(dst, "to", s, c.To)
	}
	return append(dst, '\n')
}

func appendItem(dst []byte, sign string, s *entity.Shape, v entity.Value) []byte {
	dst = append(append(append(dst, "    "...), sign...), ' ')
	return append(interchange.AppendValue(dst, s, v), '\n')
}

// appendElements writes what is added to a set and removed from it.
func appendElements(dst []byte, s *entity.Shape, changes entity.ChangeSet) ([]byte, int) {
	for i, c := range changes {
		switch {
		case c.Field != changes[0].Field:
			return dst, i
		case c.Op == entity.OpAdd:
			dst = appendItem(dst, "+", s.Of, c.To)
		case c.Op == entity.OpRemove:
			dst = appendItem(dst, "-", s.Of, c.From)
		default:
			return dst, i
		}
	}
	return dst, len(changes)
}

func appendHunks(dst []byte, s *entity.Shape, hunks []entity.Hunk) []byte {
	item := itemShape(s)
	for _, h := range hunks {
		dst = append(dst, "    @ "...)
		dst = append(strconv.AppendInt(dst, int64(h.At)+1, 10), '\n')
		for _, part := range []struct {
			sign  string
			items []entity.Value
		}{{"=", h.Before}, {"-", h.Old}, {"+", h.New}, {"=", h.After}} {
			for _, v := range part.items {
				dst = appendItem(dst, part.sign, item, v)
			}
		}
	}
	return dst
}

// UnknownFields stands where a field's name does for the raw lines of fields
// that the type does not have.
const UnknownFields = "(unknown)"

func appendUnknown(dst []byte, c entity.Change) []byte {
	dst = append(dst, "  "+UnknownFields+"\n"...)
	for _, part := range []struct {
		sign string
		raw  []entity.Raw
	}{{"-", c.Old.Unknown}, {"+", c.New.Unknown}} {
		for _, r := range part.raw {
			dst = append(append(append(dst, "    "...), part.sign...), ' ')
			dst = appendQuoted(append(appendQuoted(dst, r.Name), ' '), r.Lines)
			dst = append(dst, '\n')
		}
	}
	return dst
}
