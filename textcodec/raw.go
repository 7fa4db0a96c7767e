package textcodec

import (
	"bytes"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// raw keeps the lines of a field that is unknown, up to the next field. All
// that is asked of them is that brackets close and quoted text ends: only so
// can it be told where the field ends.
func (d *decoder) raw(name string) error {
	var lines strings.Builder
	d.brackets = d.brackets[:0]
	open := 0 // the line of the outermost bracket that is open
	for ; d.line != nil && (len(d.brackets) > 0 || !d.begins(';')); d.advance() {
		if len(d.brackets) == 0 {
			open = d.number
		}
		if err := d.rawLine(); err != nil {
			return err
		}
		if lines.Len() > 0 {
			lines.WriteByte('\n')
		}
		end := min(d.next, len(d.text)) - 1
		lines.Write(bytes.TrimRight(d.text[d.start:end], "\r"))
	}
	if len(d.brackets) > 0 {
		return d.truncated("the bracket of line %d is not closed", d.fileLine(open))
	}
	d.unknown = append(d.unknown, entity.Raw{Name: name, Lines: lines.String()})
	return nil
}

// rawLine keeps count of the brackets and checks that quotes end.
func (d *decoder) rawLine() error {
	switch c := d.line[0]; {
	case c == '"':
		return d.checkQuotes()
	case len(d.line) > 1:
		return nil
	case c == '[' || c == '{':
		d.brackets = append(d.brackets, c)
	case c == ']' || c == '}':
		last := len(d.brackets) - 1
		if last < 0 || d.brackets[last] != c-2 {
			return d.fail("the bracket %c closes none that is open", c)
		}
		d.brackets = d.brackets[:last]
	}
	return nil
}

// checkQuotes checks that the quoted text of the current line ends with it.
func (d *decoder) checkQuotes() error {
	switch end := quotedEnd(d.line); {
	case end == len(d.line)-1:
		return nil
	case end >= 0:
		return d.fail("there is more on the line after the quoted text %s", clip(d.line[:end+1]))
	case d.atEnd():
		return d.truncated("the quoted text %s has no end", clip(d.line))
	}
	return d.fail("the quoted text %s has no closing quote; a line break within it is written \\n", clip(d.line))
}
