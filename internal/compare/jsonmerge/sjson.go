package jsonmerge

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// sjsonScanner reads SJSON. Documents without braces have an opening one of no width
// at their beginning, and a closing one at their end.
type sjsonScanner struct {
	d     *document
	at    int
	open  []frame
	begun bool
}

// frame is an object or array that is not closed yet.
type frame struct {
	object, bare bool
	items        int
	comma        bool // one was read behind the last item
	named        bool // a name was read, and its value comes next
	name         []byte
	seen         map[string]bool
}

func newSJSONScanner(d *document) (*sjsonScanner, error) {
	for at := 0; at < len(d.text); {
		r, size := utf8.DecodeRune(d.text[at:])
		if r == utf8.RuneError && size == 1 {
			return nil, errorAt(d, at, "", "not valid SJSON: invalid UTF-8")
		}
		at += size
	}
	return &sjsonScanner{d: d}, nil
}

func (s *sjsonScanner) top() *frame {
	if len(s.open) == 0 {
		return nil
	}
	return &s.open[len(s.open)-1]
}

// peek skips what stands before the next token, too.
func (s *sjsonScanner) peek() jsontext.Kind {
	if s.advance() != nil {
		return jsontext.KindInvalid
	}
	f := s.top()
	switch {
	case s.at < len(s.d.text):
		switch s.d.text[s.at] {
		case '}':
			if f != nil && f.object && !f.bare {
				return jsontext.KindEndObject
			}
		case ']':
			if f != nil && !f.object {
				return jsontext.KindEndArray
			}
		}
	case f != nil && f.bare && !f.named:
		return jsontext.KindEndObject
	}
	return jsontext.KindInvalid
}

// advance skips white space and comments, and between two items a comma.
func (s *sjsonScanner) advance() error {
	if err := s.space(); err != nil {
		return err
	}
	f := s.top()
	if f == nil || f.items == 0 || f.comma || f.named || s.at == len(s.d.text) || s.d.text[s.at] != ',' {
		return nil
	}
	f.comma = true
	s.at++
	return s.space()
}

// space skips white space and comments.
func (s *sjsonScanner) space() error {
	for s.at < len(s.d.text) {
		if isSpace(s.d.text[s.at]) {
			s.at++
			continue
		}
		end := commentEnd(s.d.text, s.at)
		if end < 0 {
			return nil
		}
		if err := s.d.addComment(s.at, end); err != nil {
			return err
		}
		s.at = end
	}
	return nil
}

func (s *sjsonScanner) next() (kind jsontext.Kind, from, to int32, err error) {
	begin := s.at
	skip := s.advance
	if f := s.top(); f != nil && f.named {
		skip = s.colon
	}
	if err := skip(); err != nil {
		return 0, 0, 0, err
	}
	if !s.begun {
		s.begun = true
		if s.at == len(s.d.text) || s.d.text[s.at] != '{' && s.d.text[s.at] != '[' {
			s.open = append(s.open, frame{object: true, bare: true})
			return jsontext.KindBeginObject, int32(begin), int32(begin), nil
		}
	}
	start := s.at
	kind, err = s.token()
	if err != nil {
		return 0, 0, 0, err
	}
	return kind, int32(start), int32(s.at), nil
}

// token reads what begins here.
func (s *sjsonScanner) token() (jsontext.Kind, error) {
	if k := s.peek(); k == jsontext.KindEndObject || k == jsontext.KindEndArray {
		return k, s.close()
	}
	if s.at == len(s.d.text) {
		return 0, s.fail(s.at, tooEarly(s.d))
	}
	if f := s.top(); f != nil && f.object && !f.named {
		return jsontext.KindString, s.memberName(f)
	}
	return s.value()
}

func (s *sjsonScanner) close() error {
	f := s.top()
	if f.comma {
		s.d.trailing = true
	}
	if !f.bare {
		s.at++
	}
	s.open = s.open[:len(s.open)-1]
	s.valueDone()
	return nil
}

// valueDone is called behind each value.
func (s *sjsonScanner) valueDone() {
	if f := s.top(); f != nil {
		f.items++
		f.comma, f.named = false, false
	}
}

// memberName reads a name and what separates it from its value.
func (s *sjsonScanner) memberName(f *frame) error {
	start := s.at
	end := nameEnd(s.d.text, start)
	if end == start {
		return s.unexpected("a name")
	}
	raw := s.d.text[start:end]
	if raw[0] == '"' {
		if err := s.checkString(start, end); err != nil {
			return err
		}
	}
	name := unquote(raw)
	if f.seen[name] {
		return s.fail(start, fmt.Sprintf("%q stands twice in one object", excerpt(jsontext.Value(name))))
	}
	if f.seen == nil {
		f.seen = make(map[string]bool)
	}
	colon := skipSpace(s.d.text, end)
	if colon == len(s.d.text) || s.d.text[colon] != '=' && s.d.text[colon] != ':' {
		return s.fail(start, fmt.Sprintf("not valid SJSON: = or : is missing behind %q", excerpt(jsontext.Value(name))))
	}
	f.seen[name], f.name, f.named = true, raw, true
	s.at = end
	return nil
}

// nameEnd returns where the name that begins in a place ends, the place itself if none
// does.
func nameEnd(text []byte, at int) int {
	if at < len(text) && text[at] == '"' {
		return stringEnd(text, at)
	}
	return wordEnd(text, at)
}

// wordEnd returns where a word without quotes ends.
func wordEnd(text []byte, at int) int {
	for at < len(text) {
		c := text[at]
		if c <= ' ' || c == 0x7f || bytes.IndexByte([]byte(`,=:[]{}"'`), c) >= 0 || commentEnd(text, at) >= 0 {
			return at
		}
		at++
	}
	return at
}

// colon skips what separates a name from its value.
func (s *sjsonScanner) colon() error {
	if err := s.space(); err != nil {
		return err
	}
	s.at++
	return s.space()
}

func (s *sjsonScanner) value() (jsontext.Kind, error) {
	text := s.d.text
	switch c := text[s.at]; {
	case c == '{', c == '[' && luaLevel(text[s.at:]) == 0:
		s.at++
		s.open = append(s.open, frame{object: c == '{'})
		return jsontext.Kind(c), nil
	case c == '"', c == '[':
		return s.text()
	}
	return s.word()
}

// text reads one with quotes, or a raw one.
func (s *sjsonScanner) text() (jsontext.Kind, error) {
	start, rest := s.at, s.d.text[s.at:]
	opening, closing := `"""`, `"""`
	if n := luaLevel(rest); n > 0 {
		opening, closing = string(rest[:n+2]), "]"+string(rest[1:n+1])+"]"
	} else if !bytes.HasPrefix(rest, []byte(opening)) {
		s.at = stringEnd(s.d.text, start)
		if err := s.checkString(start, s.at); err != nil {
			return 0, err
		}
		s.valueDone()
		return jsontext.KindString, nil
	}
	n := bytes.Index(rest[len(opening):], []byte(closing))
	if n < 0 {
		return 0, s.fail(start, fmt.Sprintf("not valid SJSON: the text that begins with %s does not end with %s", opening, closing))
	}
	s.at += len(opening) + n + len(closing)
	s.valueDone()
	return jsontext.KindString, nil
}

// checkString checks a string with quotes.
func (s *sjsonScanner) checkString(start, end int) error {
	raw := s.d.text[start:end]
	if closingQuote(raw, 0) < 0 {
		return s.fail(len(s.d.text), tooEarly(s.d))
	}
	if _, bad := unescape(nil, raw[1:len(raw)-1]); bad >= 0 {
		return s.fail(start+1+bad, `not valid SJSON: \u is not followed by a character's four hexadecimal digits`)
	}
	return nil
}

// word reads true, false, null, a number, or a text without quotes.
func (s *sjsonScanner) word() (jsontext.Kind, error) {
	end := wordEnd(s.d.text, s.at)
	if end == s.at {
		return 0, s.unexpected("a value")
	}
	word := s.d.text[s.at:end]
	kind := jsontext.KindString
	switch string(word) {
	case "true":
		kind = jsontext.KindTrue
	case "false":
		kind = jsontext.KindFalse
	case "null":
		kind = jsontext.KindNull
	default:
		if bytes.IndexByte([]byte("+-.0123456789"), word[0]) >= 0 {
			if !isNumber(word) {
				return 0, s.fail(s.at, fmt.Sprintf("not valid SJSON: %q is no number; a text that begins like one has quotes", excerpt(word)))
			}
			kind = jsontext.KindNumber
		}
	}
	s.at = end
	s.valueDone()
	return kind, nil
}

func (s *sjsonScanner) end() error {
	if err := s.space(); err != nil {
		return err
	}
	if s.at < len(s.d.text) {
		return errorAt(s.d, s.at, "", "there is something behind the document's value")
	}
	return nil
}

func (s *sjsonScanner) unexpected(want string) error {
	r, _ := utf8.DecodeRune(s.d.text[s.at:])
	return s.fail(s.at, fmt.Sprintf("not valid SJSON: %q where %s is expected", r, want))
}

// fail makes an error with the path to what is open.
func (s *sjsonScanner) fail(at int, reason string) error {
	var path []byte
	for _, f := range s.open {
		switch {
		case !f.object:
			path = fmt.Appendf(path, "/%d", f.items)
		case f.named:
			path = append(append(path, '/'), pointerToken.Replace(unquote(f.name))...)
		}
	}
	return errorAt(s.d, at, jsontext.Pointer(path), reason)
}
