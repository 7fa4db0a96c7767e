package changeset

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
)

// head is the first line of a block: what happened to whom.
type head struct {
	verb        string
	typ         string
	id          entity.ID
	name        string
	revision    uint32
	hasRevision bool
}

// String returns the entity as messages name it, "" while nothing is known.
func (h head) String() string {
	switch {
	case h.id == 0:
		return ""
	case h.name == "":
		return fmt.Sprintf("%s %d", clip(h.typ), h.id)
	}
	return fmt.Sprintf("%s %d %q", clip(h.typ), h.id, clip(h.name))
}

// parseHead reads: change Door 6555 "bunker door" revision 72. reason says what
// is wrong with it.
func parseHead(line string) (h head, reason string) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "change", "create", "delete", "replace":
	default:
		return h, fmt.Sprintf("want change, create, delete or replace and an entity, or the line %q; got %q", ending, clip(line))
	}
	typ, rest, ok := cutName(rest)
	if !ok || typ == "" || strings.ContainsAny(typ, "\n\r\x00") {
		return h, fmt.Sprintf("want a type's name after %s, got %q", verb, clip(rest))
	}
	number, rest, _ := strings.Cut(rest, " ")
	id, err := entity.ParseID(number)
	if err != nil {
		return h, err.Error()
	}
	h = head{verb: verb, typ: typ, id: id}
	if strings.HasPrefix(rest, `"`) {
		if h.name, rest, ok = cutName(rest); !ok {
			return h, "the name of the entity is no string of JSON: " + clip(rest)
		}
	}
	if rest != "" {
		reason = h.parseRevision(rest)
	}
	return h, reason
}

func (h *head) parseRevision(rest string) (reason string) {
	number, ok := strings.CutPrefix(rest, "revision ")
	revision, err := strconv.ParseUint(number, 10, 32)
	if !ok || err != nil || h.verb != "change" {
		return fmt.Sprintf("there is more in the line than it should have: %q", clip(rest))
	}
	h.revision, h.hasRevision = uint32(revision), true
	return ""
}

// cutName cuts a name off, a word or a string of JSON, and the space after it.
func cutName(s string) (name, rest string, ok bool) {
	n := wordLength(s)
	if n > 0 {
		name = s[:n]
	} else {
		if n = stringLength(s); n == 0 {
			return "", s, false
		}
		unquoted, err := jsontext.AppendUnquote(nil, s[:n])
		if err != nil {
			return "", s, false
		}
		name = string(unquoted)
	}
	if rest = s[n:]; rest == "" {
		return name, "", true
	}
	rest, ok = strings.CutPrefix(rest, " ")
	return name, rest, ok
}

// stringLength returns how many bytes at the beginning of s are a string of
// JSON, 0 for none.
func stringLength(s string) int {
	if s == "" || s[0] != '"' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// cutArrow cuts two values of JSON apart at the arrow between them.
func cutArrow(s string) (from, to string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			n := stringLength(s[i:])
			if n == 0 {
				return "", "", false
			}
			i += n - 1
		case strings.HasPrefix(s[i:], " -> "):
			return s[:i], s[i+len(" -> "):], true
		}
	}
	return "", "", false
}
