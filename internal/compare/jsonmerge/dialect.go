package jsonmerge

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Dialect is the notation that documents are in.
type Dialect uint8

const (
	// Detect takes three documents for SJSON if one of them shows that it is: by a
	// name without quotes, by = behind its first name, or by the missing braces.
	Detect Dialect = iota
	// JSON is standard JSON, and JSON with comments and commas behind last items.
	JSON
	// SJSON is the simplified JSON of Bitsquid, Stingray and 3ds Max Interactive:
	// braces around the document, quotes around names and commas are optional, = may
	// stand for the colon, and texts between """ and """ or [=[ and ]=] are raw.
	SJSON
)

func (d Dialect) String() string {
	if d == SJSON {
		return "SJSON"
	}
	return "JSON"
}

// scanner reads a document's tokens.
type scanner interface {
	// peek returns the next token's kind, which is invalid if there is none.
	peek() jsontext.Kind
	// next reads a token and returns where it stands.
	next() (kind jsontext.Kind, from, to int32, err error)
	// end returns an error if there is something behind the document's value.
	end() error
}

func newScanner(d *document) (scanner, error) {
	if d.dialect == SJSON {
		return newSJSONScanner(d)
	}
	return newJSONScanner(d)
}

// dialectOf returns the notation of documents.
func dialectOf(texts ...[]byte) Dialect {
	for _, text := range texts {
		if showsSJSON(bytes.TrimPrefix(text, byteOrderMark)) {
			return SJSON
		}
	}
	return JSON
}

// showsSJSON reports whether a document's first tokens are those of SJSON and cannot
// be JSON.
func showsSJSON(text []byte) bool {
	at := skipSpace(text, 0)
	braces := at < len(text) && text[at] == '{'
	if braces {
		at = skipSpace(text, at+1)
	}
	end := nameEnd(text, at)
	if end == at {
		return false
	}
	bare := text[at] != '"'
	colon := skipSpace(text, end)
	if colon == len(text) {
		return false
	}
	switch text[colon] {
	case '=':
		return true
	case ':':
		return bare || !braces
	}
	return false
}

// skipSpace returns the place of the next byte that is neither white space nor in a
// comment.
func skipSpace(text []byte, at int) int {
	for at < len(text) {
		if isSpace(text[at]) {
			at++
			continue
		}
		end := commentEnd(text, at)
		if end < 0 {
			return at
		}
		at = end
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// commentEnd returns where the comment that begins in a place ends, -1 if none does.
// The end of a line is not in a comment. One that is not closed ends with the text.
func commentEnd(text []byte, at int) int {
	rest := text[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return len(text)
		}
		if rest[end-1] == '\r' {
			end--
		}
		return at + end
	case bytes.HasPrefix(rest, []byte("/*")):
		end := bytes.Index(rest[2:], []byte("*/"))
		if end < 0 {
			return len(text)
		}
		return at + 2 + end + 2
	}
	return -1
}

// closed reports whether a comment has its end.
func closed(comment []byte) bool {
	return comment[1] == '/' || len(comment) >= 4 && bytes.HasSuffix(comment, []byte("*/"))
}
