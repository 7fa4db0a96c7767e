package jsonmerge

import (
	"bytes"
	"slices"
	"strings"
)

// weaver puts comments into gaps. Each stays with what it belongs to: where the gap
// alone would give it to its other neighbour, a line ends.
type weaver struct {
	lineEnd string
	indent  string // of a line in the object or array
}

// text returns a comment with the line ends of the document that it comes into.
func (w weaver) text(c *comment) string {
	if bytes.IndexByte(c.text, '\n') < 0 {
		return string(c.text)
	}
	lines := strings.ReplaceAll(string(c.text), "\r\n", "\n")
	return strings.ReplaceAll(lines, "\n", w.lineEnd)
}

// list returns comments, each with what stands between it and what follows.
func (w weaver) list(list []comment) string {
	var out strings.Builder
	for i := range list {
		c := &list[i]
		out.WriteString(w.text(c))
		if c.ownLine() {
			out.WriteString(w.ends(c.after) + w.indent)
		} else {
			out.WriteString(" ")
		}
	}
	return out.String()
}

func (w weaver) ends(n uint8) string { return strings.Repeat(w.lineEnd, int(max(n, 1))) }

// inLine returns comments that stand behind something in its line. Only the last can
// be one that reaches to the line's end.
func (w weaver) inLine(list []comment) string {
	var out strings.Builder
	for i := range list {
		out.WriteString(" " + w.text(&list[i]))
	}
	return out.String()
}

// behind returns comments that follow something, in its line or in lines of their own.
func (w weaver) behind(list []comment) string {
	var out strings.Builder
	for i := range list {
		c := &list[i]
		if c.before > 0 || i > 0 && list[i-1].line() {
			out.WriteString(w.ends(c.before) + w.indent)
		} else {
			out.WriteString(" ")
		}
		out.WriteString(w.text(c))
	}
	return out.String()
}

// lines returns comments before a closing bracket, each in lines of its own.
func (w weaver) lines(list []comment) string {
	var out strings.Builder
	for i := range list {
		out.WriteString(w.ends(list[i].before) + w.indent + w.text(&list[i]))
	}
	return out.String()
}

// ownLine reports whether a line ends behind a comment.
func (c *comment) ownLine() bool { return c.after > 0 || c.line() }

func anyOwnLine(list []comment) bool {
	for i := range list {
		if list[i].ownLine() {
			return true
		}
	}
	return false
}

// toLineEnd reports whether the last of comments reaches to the end of its line.
func toLineEnd(list []comment) bool { return len(list) > 0 && list[len(list)-1].line() }

// breaking returns a gap in which a line ends.
func (w weaver) breaking(gap, indent string) string {
	if strings.Contains(gap, "\n") {
		return gap
	}
	return strings.TrimRight(gap, " \t") + w.lineEnd + indent
}

// between returns the gap between two items.
func (w weaver) between(gap string, trail, lead []comment) string {
	if toLineEnd(trail) || len(trail) > 0 && !strings.Contains(gap, ",") || anyOwnLine(lead) {
		gap = w.breaking(gap, w.indent)
	}
	return w.trailed(gap, trail) + w.in(gap).list(lead)
}

// in returns a weaver for the line that a gap ends in.
func (w weaver) in(gap string) weaver {
	line := string(lastLine([]byte(gap)))
	if strings.Contains(gap, "\n") && len(line) <= maxIndent && strings.TrimLeft(line, " \t") == "" {
		w.indent = line
	}
	return w
}

// trailed returns a gap with the comments of what stands before it. They stand behind
// the comma if a line ends there.
func (w weaver) trailed(gap string, trail []comment) string {
	before, after, comma := strings.Cut(gap, ",")
	if !comma || !strings.Contains(after, "\n") || strings.Contains(before, "\n") {
		return w.inLine(trail) + gap
	}
	return before + "," + w.inLine(trail) + after
}

// first returns the gap before the first item.
func (w weaver) first(gap string, bare bool, c *notes) string {
	head, lead := c.head, c.items[0].lead
	if bare {
		return w.heading(gap, head, lead)
	}
	if len(head) > 0 || anyOwnLine(lead) {
		gap = w.breaking(gap, w.indent)
	}
	return w.inLine(head) + gap + w.in(gap).list(lead)
}

// heading returns what stands before the first item of a document without braces. An
// empty line, and no other, divides its heading from the comments of the item.
func (w weaver) heading(gap string, head, lead []comment) string {
	w.indent = ""
	out := gap
	if len(head) > 0 {
		last := head[len(head)-1]
		last.after = max(last.after, 2)
		out = w.list(head[:len(head)-1]) + w.text(&last) + w.ends(last.after)
	}
	own := slices.Clone(lead)
	for i := range own {
		own[i].after = min(own[i].after, 1)
	}
	return out + w.list(own)
}

// last returns the gap behind the last item.
func (w weaver) last(gap, outer string, bare bool, c *notes) string {
	trail := c.items[len(c.items)-1].trail
	before, after, comma := strings.Cut(gap, ",")
	if !comma {
		before, after = "", gap
	} else {
		before += ","
	}
	out := before + w.inLine(trail)
	if strings.Contains(before, "\n") {
		out = w.inLine(trail) + before
	}
	if !bare && (len(c.tail) > 0 || toLineEnd(trail) && !strings.Contains(before, "\n")) {
		after = w.breaking(after, outer)
	}
	return out + w.lines(c.tail) + after
}

// empty returns what stands in an object or array without items.
func (w weaver) empty(outer string, bare bool, c *notes) string {
	switch {
	case c.none():
		return ""
	case bare:
		w.indent = ""
		return w.list(c.head)
	case len(c.head) == 0 && !anyOwnLine(c.tail) && c.tail[0].before == 0:
		return w.inLine(c.tail) + " "
	}
	return w.inLine(c.head) + w.lines(c.tail) + w.lineEnd + outer
}
