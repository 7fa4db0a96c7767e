package jsonmerge

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// luaLevel returns how many = are in the brackets that open a raw text, 0 if it is
// none: [[ opens two arrays.
func luaLevel(text []byte) int {
	if len(text) == 0 || text[0] != '[' {
		return 0
	}
	n := len(text[1:]) - len(bytes.TrimLeft(text[1:], "="))
	if 1+n < len(text) && text[1+n] == '[' {
		return n
	}
	return 0
}

// appendUnquoted appends what a string that has been read as valid says, in whichever
// way it is spelled. Of raw texts the line ends are layout.
func appendUnquoted(dst, raw []byte) []byte {
	switch {
	case len(raw) >= 6 && bytes.HasPrefix(raw, []byte(`"""`)):
		return appendLines(dst, raw[3:len(raw)-3])
	case luaLevel(raw) > 0:
		n := luaLevel(raw) + 2
		return appendLines(dst, raw[n:len(raw)-n])
	case len(raw) == 0 || raw[0] != '"':
		return append(dst, raw...)
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return appendLines(dst, inner)
	}
	if out, err := jsontext.AppendUnquote(dst, raw); err == nil {
		return out
	}
	out, _ := unescape(dst, inner)
	return out
}

func unquote(raw []byte) string { return string(appendUnquoted(nil, raw)) }

// appendLines appends a text with \n for line ends.
func appendLines(dst, text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return append(dst, text...)
	}
	return append(dst, bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))...)
}

var escapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape appends what stands between quotes in SJSON, where an escape that means
// nothing is the character itself. bad is the place of an escape that is cut off, or -1.
func unescape(dst, text []byte) (out []byte, bad int) {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			if text[i] != '\r' || i+1 == len(text) || text[i+1] != '\n' {
				dst = append(dst, text[i])
			}
			continue
		}
		i++
		if text[i] == 'u' {
			r, size := unicodeEscape(text[i-1:])
			if size == 0 {
				return dst, i - 1
			}
			dst = utf8.AppendRune(dst, r)
			i += size - 2
		} else if c, ok := escapes[text[i]]; ok {
			dst = append(dst, c)
		} else {
			dst = append(dst, text[i])
		}
	}
	return dst, -1
}

// unicodeEscape reads \u and four digits, of two that belong together both. size is 0
// if it is none.
func unicodeEscape(text []byte) (r rune, size int) {
	high, ok := hexDigits(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(high) {
		return high, 6
	}
	low, ok := hexDigits(text[6:])
	if r := utf16.DecodeRune(high, low); ok && r != utf8.RuneError {
		return r, 12
	}
	return 0, 0
}

func hexDigits(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

// isNumber reports whether a word is a number in SJSON: one of JSON, or one with a
// plus, with zeros in front, or with nothing before or behind its point.
func isNumber(word []byte) bool {
	if word[0] == '+' || word[0] == '-' {
		word = word[1:]
	}
	whole, rest := digits(word)
	fraction := 0
	if len(rest) > 0 && rest[0] == '.' {
		fraction, rest = digits(rest[1:])
	}
	if whole+fraction == 0 {
		return false
	}
	if len(rest) == 0 {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = rest[1:]
	if len(rest) > 0 && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	n, rest := digits(rest)
	return n > 0 && len(rest) == 0
}

// digits returns how many a text begins with, and what follows them.
func digits(text []byte) (n int, rest []byte) {
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n, text[n:]
}

// standard returns a value of a document in standard JSON, for reports.
func (d *document) standard(n *node) jsontext.Value {
	raw := d.raw(n)
	if raw == nil || raw.IsValid() {
		return raw
	}
	return d.appendStandard(nil, n)
}

func (d *document) appendStandard(dst []byte, n *node) []byte {
	switch n.kind {
	case jsontext.KindString:
		return appendQuoted(dst, unquote(d.raw(n)))
	case jsontext.KindNumber:
		if raw := d.raw(n); raw.IsValid() {
			return append(dst, raw...)
		}
		return appendNumber(dst, d.raw(n))
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		return d.appendContainer(dst, n)
	}
	return append(dst, d.raw(n)...)
}

func (d *document) appendContainer(dst []byte, n *node) []byte {
	brackets := n.brackets()
	dst = append(dst, brackets[0])
	for i := range n.items() {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if n.kind == jsontext.KindBeginObject {
			dst = append(appendQuoted(dst, unquote(d.rawName(n, i))), ": "...)
		}
		dst = d.appendStandard(dst, &n.items()[i])
	}
	return append(dst, brackets[1])
}

func appendQuoted(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}
