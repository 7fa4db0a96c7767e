package textcodec

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// escaped says for each ASCII byte how it is written between quotes: 0 as it
// is, 'x' as \x and two digits, else as a backslash and that letter.
var escaped = func() (t [utf8.RuneSelf]byte) {
	for c := range 0x20 {
		t[c] = 'x'
	}
	t[0x7f] = 'x'
	for i, c := range []byte("\a\b\f\n\r\t\v\"\\") {
		t[c] = `abfnrtv"\`[i]
	}
	return t
}()

// invisible reports whether a character beyond ASCII is written as an escape:
// one that cannot be seen, or that moves or breaks the text around it. The
// list is part of the format. It is not taken from Unicode's tables, which
// grow from version to version.
func invisible(r rune) bool {
	switch {
	case r <= 0xa0, r == 0xad, r == 0x61c, r == 0x1680, r == 0x180e, r == 0x3000, r == 0xfeff:
		return true
	case r < 0x2000:
		return false
	case r <= 0x200f, 0x2028 <= r && r <= 0x202f, 0x205f <= r && r <= 0x206f:
		return true
	case 0xfff0 <= r && r <= 0xfffb, r == 0xfffe, r == 0xffff, 0xe0000 <= r && r <= 0xe0fff:
		return true
	}
	return false
}

const lowerHex = "0123456789abcdef"

// appendQuoted appends s between quotes.
func appendQuoted[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	for len(s) > 0 {
		var n int
		dst, n = appendEscapedLine(dst, s)
		s = s[n:]
	}
	return append(dst, '"')
}

// appendPiece appends s between quotes up to its first line break, included,
// and returns how much of s that is.
func appendPiece[T string | []byte](dst []byte, s T) (_ []byte, n int) {
	dst = append(dst, '"')
	dst, n = appendEscapedLine(dst, s)
	return append(dst, '"'), n
}

// appendEscapedLine appends s up to its first line break, included, as it
// stands between quotes.
func appendEscapedLine[T string | []byte](dst []byte, s T) (_ []byte, n int) {
	for {
		from := n
		n += visible(s[n:])
		dst = append(dst, s[from:n]...)
		if n == len(s) {
			return dst, n
		}
		c := s[n]
		if c >= utf8.RuneSelf {
			size := 0
			dst, size = appendBeyondASCII(dst, s[n:])
			n += size
			continue
		}
		n++
		dst = append(dst, '\\', escaped[c])
		if escaped[c] == 'x' {
			dst = append(dst, lowerHex[c>>4], lowerHex[c&15])
		}
		if c == '\n' {
			return dst, n
		}
	}
}

// appendBeyondASCII appends the first character of s as it stands between
// quotes and returns its size.
func appendBeyondASCII[T string | []byte](dst []byte, s T) (_ []byte, size int) {
	r, size := utf8.DecodeRuneInString(string(s[:min(len(s), utf8.UTFMax)]))
	if invisible(r) {
		return appendEscapedRune(dst, r), size
	}
	return append(dst, s[:size]...), size
}

// visible returns how many bytes at the beginning of s are ASCII and stand for
// themselves between quotes. It looks at eight at a time.
func visible[T string | []byte](s T) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		if hasOther(w) {
			break
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf && escaped[s[i]] == 0 {
		i++
	}
	return i
}

// hasOther reports whether one of the eight bytes is a control character, a
// quote, a backslash, or beyond ASCII.
func hasOther(w uint64) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, backslash, del := w^('"'*ones), w^('\\'*ones), w^(0x7f*ones)
	low := (w - ' '*ones) &^ w // a byte below a space borrows into its top bit
	return (w|low|(quote-ones)&^quote|(backslash-ones)&^backslash|(del-ones)&^del)&tops != 0
}

func appendEscapedRune(dst []byte, r rune) []byte {
	shift := 12
	dst = append(dst, '\\', 'u')
	if r > 0xffff {
		dst[len(dst)-1], shift = 'U', 28
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, lowerHex[r>>shift&15])
	}
	return dst
}

// quotedEnd returns where the closing quote of the quoted text stands that
// begins at line[0], or -1 where there is none.
func quotedEnd(line []byte) int {
	for i := 1; ; {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			return -1
		}
		end := i + n
		backslashes := 0
		for end-1-backslashes > 0 && line[end-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return end
		}
		i = end + 1
	}
}

// appendUnquoted appends what stands between quotes with its escapes resolved.
// The reason is "" if all went well.
func appendUnquoted(dst, body []byte) (_ []byte, reason string) {
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 {
			return append(dst, body...), ""
		}
		dst = append(dst, body[:i]...)
		var n int
		dst, n, reason = appendUnescaped(dst, body[i+1:])
		if reason != "" {
			return dst, reason
		}
		body = body[i+1+n:]
	}
}

// appendUnescaped appends what the escape stands for whose text after the
// backslash begins body, and returns how long that text is.
func appendUnescaped(dst, body []byte) (_ []byte, n int, reason string) {
	if len(body) == 0 {
		return dst, 0, "a backslash stands at the end of the quoted text"
	}
	if i := strings.IndexByte(`abfnrtv"\`, body[0]); i >= 0 {
		return append(dst, "\a\b\f\n\r\t\v\"\\"[i]), 1, ""
	}
	digits, base, skip := 0, rune(16), 1
	switch c := body[0]; {
	case c == 'x':
		digits = 2
	case c == 'u':
		digits = 4
	case c == 'U':
		digits = 8
	case '0' <= c && c <= '7':
		digits, base, skip = 3, 8, 0
	}
	code, ok := escapeCode(body[skip:], digits, base)
	if !ok {
		return dst, 0, "there is no escape \\" + clip(body[:min(len(body), skip+digits+1)])
	}
	if digits < 4 {
		return append(dst, byte(code)), skip + digits, ""
	}
	return utf8.AppendRune(dst, code), skip + digits, ""
}

// escapeCode reads so many digits of a character's or a byte's number.
func escapeCode(body []byte, digits int, base rune) (code rune, ok bool) {
	if digits == 0 || len(body) < digits {
		return 0, false
	}
	for _, c := range body[:digits] {
		d := rune(hexDigits[c])
		if d >= base || code > utf8.MaxRune {
			return 0, false
		}
		code = code*base + d
	}
	if digits < 4 {
		return code, code <= 0xff
	}
	return code, utf8.ValidRune(code)
}

// hexDigits are the values of hexadecimal digits, 0xff for all else.
var hexDigits = func() (t [256]byte) {
	for c := range t {
		switch {
		case '0' <= c && c <= '9':
			t[c] = byte(c - '0')
		case 'a' <= c && c <= 'f':
			t[c] = byte(c - 'a' + 10)
		case 'A' <= c && c <= 'F':
			t[c] = byte(c - 'A' + 10)
		default:
			t[c] = 0xff
		}
	}
	return t
}()

// isPlain reports whether a name is written without quotes.
func isPlain[T string | []byte](name T) bool {
	if len(name) == 0 || name[0] == ' ' || name[0] == '"' || name[0] == '=' || name[len(name)-1] == ' ' {
		return false
	}
	for i := visible(name); i < len(name); i++ {
		if !bare[name[i]] {
			return isPlainUnicode(string(name))
		}
	}
	return !beginsLikeMarker(name)
}

// bare holds for the bytes that are a visible character or a space on their
// own.
var bare = func() (t [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		t[c] = true
	}
	return t
}()

func isPlainUnicode(name string) bool {
	for _, r := range name {
		if r < utf8.RuneSelf && !bare[r] || r >= utf8.RuneSelf && invisible(r) {
			return false
		}
	}
	return !beginsLikeMarker(name)
}

// beginsLikeMarker reports whether a line that begins so might be taken for a
// conflict marker.
func beginsLikeMarker[T string | []byte](s T) bool {
	if len(s) < markerLength || s[0] != '<' && s[0] != '|' && s[0] != '=' && s[0] != '>' {
		return false
	}
	for i := 1; i < markerLength; i++ {
		if s[i] != s[0] {
			return false
		}
	}
	return true
}

// appendName appends a type's, field's, enum's or flag's name.
func appendName(dst []byte, name string) []byte {
	if isPlain(name) {
		return append(dst, name...)
	}
	return appendQuoted(dst, name)
}

// parseName reads a name as it stands on a line, which is not empty. The
// reason is "" if all went well.
func parseName(line []byte) (name, reason string) {
	if line[0] != '"' {
		name = string(line)
	} else {
		end := quotedEnd(line)
		if end != len(line)-1 {
			return "", "the name " + clip(line) + " begins with a quote and does not end with one"
		}
		unquoted, reason := appendUnquoted(nil, line[1:end])
		if reason != "" {
			return "", "the name " + clip(line) + ": " + reason
		}
		name = string(unquoted)
	}
	if name == "" || strings.ContainsAny(name, "\n\r\x00") || !utf8.ValidString(name) {
		return "", "the name " + clip(line) + " is empty, is not UTF-8, or has a line break or a zero byte in it"
	}
	return name, ""
}

// clip shortens what came from the text to what a message can bear.
func clip[T string | []byte](s T) string {
	const most = 60
	if len(s) <= most {
		return string(s)
	}
	return strings.ToValidUTF8(string(s[:most]), "") + "…"
}
