package jsonmerge

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonScanner reads JSON. What JSON has not is blanked out before, in a copy of the
// text with the same offsets.
type jsonScanner struct {
	d     *document
	clean []byte
	dec   *jsontext.Decoder
}

func newJSONScanner(d *document) (*jsonScanner, error) {
	b := blanker{d: d, clean: d.text}
	if err := b.run(); err != nil {
		return nil, err
	}
	return &jsonScanner{d: d, clean: b.clean, dec: jsontext.NewDecoder(bytes.NewBuffer(b.clean))}, nil
}

func (s *jsonScanner) peek() jsontext.Kind { return s.dec.PeekKind() }

func (s *jsonScanner) next() (kind jsontext.Kind, from, to int32, err error) {
	start := s.skip(int(s.dec.InputOffset()))
	token, err := s.dec.ReadToken()
	if err != nil {
		return 0, 0, 0, syntaxError(s.d, err)
	}
	return token.Kind(), int32(start), int32(s.dec.InputOffset()), nil
}

// skip returns where the next token begins.
func (s *jsonScanner) skip(at int) int {
	for at < len(s.clean) {
		switch s.clean[at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			at++
		default:
			return at
		}
	}
	return at
}

func (s *jsonScanner) end() error {
	at := s.skip(int(s.dec.InputOffset()))
	if _, err := s.dec.ReadToken(); err == nil {
		return errorAt(s.d, at, "", "there is something behind the document's value")
	} else if !errors.Is(err, io.EOF) {
		return syntaxError(s.d, err)
	}
	return nil
}

// blanker finds the comments of a document, and blanks them out together with the
// commas behind last items.
type blanker struct {
	d            *document
	clean        []byte
	last, before byte // the last two bytes that are no white space
	comma        int  // where the last comma stands
}

func (b *blanker) run() error {
	text := b.d.text
	for at := 0; at < len(text); {
		switch c := text[at]; c {
		case ' ', '\t', '\r', '\n':
			at++
		case '"':
			b.see(c)
			at = stringEnd(text, at)
		case '/':
			end := commentEnd(text, at)
			if end < 0 {
				return nil // the decoder says what is wrong
			}
			if err := b.d.addComment(at, end); err != nil {
				return err
			}
			b.blank(at, end)
			at = end
		default:
			b.byte(c, at)
			at++
		}
	}
	return nil
}

// byte sees one that is no white space and outside of strings and comments.
func (b *blanker) byte(c byte, at int) {
	if (c == ']' || c == '}') && b.last == ',' && !bytes.ContainsRune([]byte("{[,:\x00"), rune(b.before)) {
		b.blank(b.comma, b.comma+1)
		b.d.trailing = true
	}
	if c == ',' {
		b.comma = at
	}
	b.see(c)
}

func (b *blanker) see(c byte) { b.before, b.last = b.last, c }

func (b *blanker) blank(from, to int) {
	if &b.clean[0] == &b.d.text[0] {
		b.clean = bytes.Clone(b.d.text)
	}
	for i := from; i < to; i++ {
		b.clean[i] = ' '
	}
}

// stringEnd returns where the string that begins in a place ends, the end of the text
// if it has none.
func stringEnd(text []byte, at int) int {
	if end := closingQuote(text, at); end >= 0 {
		return end + 1
	}
	return len(text)
}

// closingQuote returns where a string that begins in a place has its second quote, -1
// if it has none.
func closingQuote(text []byte, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at
		}
	}
	return -1
}
