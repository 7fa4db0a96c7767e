package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// FindingsStyle says how findings are printed. The zero value is for where there is no
// terminal.
type FindingsStyle struct {
	Marked bool // lines say by * which would stop a ship build
	Color  bool
	Width  int // of the terminal; 0: there is none
}

// PrintFindings prints findings, the worst first. On a terminal they are a table as wide as
// that is, in groups, with advice on the first of each code; elsewhere a line each, the
// same whatever is around it. l is where in entities/ files lie, for the commands that are
// named.
func PrintFindings(w io.Writer, l layout.Layout, findings []entity.Finding, marked bool) error {
	color, width := Terminal(w)
	return WriteFindings(w, l, findings, FindingsStyle{marked, color, width})
}

// WriteFindings is PrintFindings in a given style.
func WriteFindings(w io.Writer, l layout.Layout, findings []entity.Finding, style FindingsStyle) error {
	findings = advice.Give(l, findings) // a daemon of an earlier build gives none
	advice.Sort(findings)
	var out strings.Builder
	if style.Width == 0 {
		for _, f := range findings {
			out.WriteString(findingLine(f, style.Marked))
		}
	} else {
		t := findingTable{out: &out, color: style.Color, width: max(style.Width, minWidth)}
		t.write(findings)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// findingLine is a finding where there is no terminal.
func findingLine(f entity.Finding, marked bool) string {
	line := printable(f.String())
	if f.Mend != "" {
		line += "  [" + printable(f.Mend) + "]"
	}
	switch {
	case marked && f.Blocks:
		line = "* " + line
	case marked:
		line = "  " + line
	}
	return line + "\n"
}

// The table's measures, in columns of the terminal.
const (
	minWidth  = 40 // narrower ones break the lines themselves
	besides   = 76 // from here on, what is so stands beside where it is, and not below
	indent    = 2
	whoShare  = 3 // the part of the width that is for where
	whoAtMost = 36
)

// Colours of a terminal.
const (
	ansiRed    = "\x1b[31m"
	ansiYellow = "\x1b[33m"
	ansiCyan   = "\x1b[36m"
	ansiBold   = "\x1b[1m"
	ansiFaint  = "\x1b[2m"
	ansiReset  = "\x1b[0m"
)

var severityColors = map[entity.Severity]string{
	entity.SeverityError: ansiRed, entity.SeverityWarning: ansiYellow, entity.SeverityNote: ansiCyan,
}

var severityTitles = map[entity.Severity]string{
	entity.SeverityError:   "would stop a ship build",
	entity.SeverityWarning: "to look at",
	entity.SeverityNote:    "good to know",
}

// findingTable writes findings for a terminal.
type findingTable struct {
	out   *strings.Builder
	color bool
	width int
}

func (t *findingTable) write(findings []entity.Finding) {
	for _, severity := range advice.Severities {
		var group []entity.Finding
		for _, f := range findings {
			if f.Severity == severity {
				group = append(group, f)
			}
		}
		if len(group) > 0 {
			t.group(severity, group)
		}
	}
}

func (t *findingTable) group(severity entity.Severity, group []entity.Finding) {
	title := fmt.Sprintf("%s: %s", Counted(len(group), string(severity), string(severity)+"s"), severityTitles[severity])
	fmt.Fprintf(t.out, "\n%s\n", t.painted(severityColors[severity]+ansiBold, title))
	said := make(map[string]bool)
	for _, f := range group {
		t.finding(severityColors[severity], f, !said[f.Code])
		said[f.Code] = true
	}
}

// piece is a line of one colour.
type piece struct{ color, text string }

// finding writes one: where it is, what is so, and what mends it. advised says that the
// advice on its code comes with it.
func (t *findingTable) finding(color string, f entity.Finding, advised bool) {
	who, text := f.Place()
	if who == "" {
		who = f.Code
	}
	left := t.width - indent
	right, at := t.width-2*indent, 2*indent
	if t.width >= besides {
		left = min(t.width/whoShare, whoAtMost)
		at = indent + left + indent
		right = t.width - at
	}
	where := pieces(color, who, left)
	what := pieces("", text, right)
	if advised && f.Advice != "" {
		what = append(what, pieces(ansiFaint, f.Advice, right)...)
	}
	if f.Mend != "" { // in one piece, so that it can be copied
		what = append(what, piece{ansiBold, "→ " + printable(f.Mend)})
	}
	if t.width < besides {
		t.lines(indent, where)
		t.lines(at, what)
		return
	}
	t.beside(where, what, at)
}

// lines writes lines below one another.
func (t *findingTable) lines(at int, lines []piece) {
	for _, p := range lines {
		fmt.Fprintf(t.out, "%*s%s\n", at, "", t.painted(p.color, p.text))
	}
}

// beside writes two columns, the second of which begins at a column.
func (t *findingTable) beside(left, right []piece, at int) {
	for i := range max(len(left), len(right)) {
		var l, r piece
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		gap := at - indent - utf8.RuneCountInString(l.text)
		if r.text == "" {
			gap = 0
		}
		fmt.Fprintf(t.out, "%*s%s%*s%s\n", indent, "", t.painted(l.color, l.text), gap, "", t.painted(r.color, r.text))
	}
}

// pieces breaks a text into lines of one colour that fit.
func pieces(color, text string, width int) (out []piece) {
	for _, line := range wrapped(printable(text), width) {
		out = append(out, piece{color, line})
	}
	return out
}

func (t *findingTable) painted(color, text string) string {
	if !t.color || color == "" || text == "" {
		return text
	}
	return color + text + ansiReset
}

// wrapped breaks a text between words into lines of no more than width letters. A longer
// word is broken itself.
func wrapped(text string, width int) (lines []string) {
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		for utf8.RuneCountInString(word) > width {
			if length > 0 {
				lines, line, length = append(lines, line), "", 0
			}
			letters := []rune(word)
			lines, word = append(lines, string(letters[:width])), string(letters[width:])
		}
		n := utf8.RuneCountInString(word)
		switch {
		case n == 0:
		case length == 0:
			line, length = word, n
		case length+1+n > width:
			lines, line, length = append(lines, line), word, n
		default:
			line, length = line+" "+word, length+1+n
		}
	}
	if length > 0 {
		lines = append(lines, line)
	}
	return lines
}

// printable returns a text without what a terminal would take for commands: names are
// people's, and may have come in from anywhere.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
}
