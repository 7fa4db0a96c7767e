// Package textmerge merges the small texts that lie beside a world's entities: settings by
// key, lists by line; and any text as git merges a file.
package textmerge

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// TOML merges a TOML file, such as world.toml, by key. A key that both sides changed to two values is as
// theirs has it, and is a clash. So is a side that is no TOML, or not there, which does not count.
func TOML(base, ours, theirs []byte) (merged []byte, clashes []string) {
	if one := isTOML(ours); one != isTOML(theirs) {
		if merged = theirs; one {
			merged = ours
		}
		return merged, []string{"one side has none that can be read; it is as the other side has it"}
	}
	b, o, t := statementsOf(base), statementsOf(ours), statementsOf(theirs)
	was, mine, shared := byKey(b), byKey(o), byKey(t)
	out := slices.Clone(o)
	at := 0
	for _, s := range t {
		old, had := was[s.key]
		i := slices.IndexFunc(out, func(x statement) bool { return x.key == s.key })
		switch {
		case i < 0 && had && old.text == s.text: // ours took it away
			continue
		case i < 0:
			at = min(max(at, 0), len(out))
			if had {
				clashes = append(clashes, s.name()+": one side took it away, the other changed it; it stays")
			}
			out = slices.Insert(out, at, s.besides(ours))
			i = at
		case out[i].text == s.text, had && old.text == s.text: // as ours has it
		default:
			if !had || mine[s.key].text != old.text {
				clashes = append(clashes, s.over(out[i]))
			}
			out[i] = s
		}
		at = i + 1
	}
	out = slices.DeleteFunc(out, func(s statement) bool {
		old, had := was[s.key]
		_, has := shared[s.key]
		return had && !has && old.text == s.text // theirs took it away
	})
	var buf bytes.Buffer
	for _, s := range out {
		buf.WriteString(s.text)
	}
	if !isTOML(buf.Bytes()) { // as where a key moved into a table
		return theirs, append(clashes, "the two do not go together; it is as the shared side has it")
	}
	return buf.Bytes(), clashes
}

func isTOML(text []byte) bool {
	var check map[string]any
	return len(text) > 0 && toml.Unmarshal(text, &check) == nil
}

// statement is a key's lines in a TOML file, with the comments before them. What comes behind the
// last has no key.
type statement struct{ key, text string }

// name returns what a statement is called where it clashes.
func (s statement) name() string {
	if s.key == "" {
		return "the comments at its end"
	}
	return s.key
}

// over says that a statement of theirs stands, not that of ours.
func (s statement) over(ours statement) string {
	if s.key == "" {
		return s.name() + ": both sides changed them; they are as the shared side has them"
	}
	return fmt.Sprintf("%s: both sides set it; %s stands, not %s", s.name(), s.withoutComments(), ours.withoutComments())
}

// besides returns a statement that a file does not have, without the comments before it
// where the file has these.
func (s statement) besides(file []byte) statement {
	at := 0
	for line := range strings.Lines(s.text) {
		if l := strings.TrimSpace(line); l != "" && !strings.HasPrefix(l, "#") {
			break
		}
		at += len(line)
	}
	if at > 0 && bytes.Contains(file, []byte(s.text[:at])) {
		s.text = s.text[at:]
	}
	return s
}

// withoutComments returns what the statement says, in words for people.
func (s statement) withoutComments() string {
	var says []string
	for line := range strings.Lines(s.text) {
		if l := strings.TrimSpace(line); l != "" && !strings.HasPrefix(l, "#") {
			says = append(says, l)
		}
	}
	return strings.Join(says, " ")
}

var (
	keyLine   = regexp.MustCompile(`^\s*([A-Za-z0-9_."-]+)\s*=`)
	tableLine = regexp.MustCompile(`^\s*\[(\[?)\s*([^\]]+?)\s*\]`)
)

// statementsOf splits a file into its statements. An array of tables is one, since
// its elements have no names.
func statementsOf(text []byte) (out []statement) {
	table, array := "", false
	pending := ""
	for line := range bytes.Lines(text) {
		l := string(line)
		if !strings.HasSuffix(l, "\n") {
			l += "\n"
		}
		key := ""
		if m := tableLine.FindStringSubmatch(l); m != nil {
			table, array = m[2], m[1] != ""
			key = "[" + table + "]"
		} else if m := keyLine.FindStringSubmatch(l); m != nil {
			key = m[1]
			if table != "" {
				key = table + "." + key
			}
			if array {
				key = "[" + table + "]"
			}
		}
		switch {
		case key == "" && (strings.TrimSpace(l) == "" || strings.HasPrefix(strings.TrimSpace(l), "#")):
			pending += l
		case key == "" || len(out) > 0 && out[len(out)-1].key == key: // a value over several lines
			if len(out) == 0 {
				pending += l
				continue
			}
			out[len(out)-1].text += pending + l
			pending = ""
		default:
			out = append(out, statement{key, pending + l})
			pending = ""
		}
	}
	if pending != "" {
		out = append(out, statement{"", pending})
	}
	return out
}

func byKey(all []statement) map[string]statement {
	m := make(map[string]statement, len(all))
	for _, s := range all {
		m[s.key] = s
	}
	return m
}
