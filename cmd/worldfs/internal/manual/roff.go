package manual

import (
	"bytes"
	"fmt"
	"strings"
)

// roff writes a page in man(7).
type roff struct{ b bytes.Buffer }

func (w *roff) bytes() []byte { return w.b.Bytes() }

// macro writes a request with its arguments.
func (w *roff) macro(name string, args ...string) {
	w.b.WriteString("." + name)
	for _, arg := range args {
		w.b.WriteString(` "` + escape(arg) + `"`)
	}
	w.b.WriteByte('\n')
}

// title writes the page's head. Its date is none to readers of man(7) where its hyphens are
// escaped.
func (w *roff) title(name, section, date, source, manual string) {
	fmt.Fprintf(&w.b, ".TH \"%s\" %s \"%s\" \"%s\" \"%s\"\n", escape(name), section, date, escape(source), escape(manual))
}

// line writes a line that is roff already.
func (w *roff) line(s string) { w.b.WriteString(s + "\n") }

func (w *roff) section(heading string) { w.macro("SH", heading) }

// prose writes text that is filled, broken so that no line of the page is long.
func (w *roff) prose(s string) {
	const width = 70
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+len(word) >= width {
			w.line(escapeLine(line))
			line = ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	w.line(escapeLine(line))
}

// verbatim writes lines that stay as they are, without the indentation that all have.
func (w *roff) verbatim(lines []string) {
	w.macro("nf")
	for _, s := range dedent(lines) {
		w.line(escapeLine(s))
	}
	w.macro("fi")
}

// section is a part of a command's text that stands under a heading of its own.
type section struct {
	heading string
	lines   []string
}

// text writes a command's text, and returns its sections, which stand further below.
func (w *roff) text(long string) (sections []section) {
	for i, paragraph := range strings.Split(strings.TrimSpace(long), "\n\n") {
		lines := strings.Split(strings.Trim(paragraph, "\n"), "\n")
		if isHeading(lines[0]) {
			sections = append(sections, section{lines[0], lines[1:]})
			continue
		}
		if i > 0 {
			w.macro("PP")
		}
		w.paragraph(lines)
	}
	return sections
}

func isHeading(line string) bool {
	return line != "" && strings.ToUpper(line) == line && strings.ContainsAny(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && !isIndented(line)
}

func isIndented(line string) bool {
	return strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
}

// paragraph writes lines of prose, and what is indented between them as it is.
func (w *roff) paragraph(lines []string) {
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && isIndented(lines[n]) == isIndented(lines[0]) {
			n++
		}
		if isIndented(lines[0]) {
			w.macro("RS", "4n")
			w.verbatim(lines[:n])
			w.macro("RE")
		} else {
			w.prose(strings.TrimLeft(strings.Join(lines[:n], " "), "# "))
		}
		lines = lines[n:]
	}
}

// terms writes lines such as "  0  done" as a list; a line that is deeper goes on with the
// one before.
func (w *roff) terms(lines []string) {
	for _, line := range dedent(lines) {
		term, text, ok := strings.Cut(line, "  ")
		if term == "" || !ok {
			w.prose(line)
			continue
		}
		w.macro("TP")
		w.line(bold(term))
		w.prose(text)
	}
}

// dedent takes away the white space that all lines that are not empty begin with.
func dedent(lines []string) []string {
	common := -1
	for _, s := range lines {
		if blank := len(s) - len(strings.TrimLeft(s, " \t")); strings.TrimSpace(s) != "" && (common < 0 || blank < common) {
			common = blank
		}
	}
	out := make([]string, len(lines))
	for i, s := range lines {
		out[i] = s[min(len(s), max(common, 0)):]
	}
	return out
}

func bold(s string) string   { return `\fB` + escape(s) + `\fR` }
func italic(s string) string { return `\fI` + escape(s) + `\fR` }

// escapes has what roff would read as its own, or print as another character than the one
// that is typed in a shell.
var escapes = map[rune]string{
	'\\': `\e`, '-': `\-`, '\'': `\(aq`, '`': `\(ga`, '"': `\(dq`, '^': `\(ha`, '~': `\(ti`,
}

func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if e, ok := escapes[r]; ok {
			b.WriteString(e)
		} else if r > 0x7e {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escapeLine is escape for a line of text, which must not begin as a request does.
func escapeLine(s string) string {
	if strings.HasPrefix(s, ".") {
		return `\&` + escape(s)
	}
	return escape(s)
}
