package typefile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// The markers of a conflict, as git, hg and svn write them.
const (
	markOurs   = "<<<<<<<"
	markBase   = "|||||||"
	markMiddle = "======="
	markTheirs = ">>>>>>>"
)

// Mark returns ours with every run of lines in which theirs differs between
// markers, with both sides' lines. names are what the sides are called. Read reads
// it as ours. theirs may be empty: there is no such declaration there.
func Mark(ours, theirs []byte, names [2]string) []byte {
	a, b := linesOf(ours), linesOf(theirs)
	var out []byte
	at := 0
	for _, e := range sequence.Diff(a, b) {
		out = appendLines(out, a[at:e.Base.From])
		out = append(out, markOurs+" "+names[0]+"\n"...)
		out = appendLines(out, a[e.Base.From:e.Base.To])
		out = append(out, markMiddle+"\n"...)
		out = appendLines(out, b[e.Side.From:e.Side.To])
		out = append(out, markTheirs+" "+names[1]+"\n"...)
		at = e.Base.To
	}
	return appendLines(out, a[at:])
}

// MarkType is Mark of the file that declares a type, or of the canonical one
// where file is nil, against another declaration of it, nil for none. Comments
// are on both sides.
func MarkType(file []byte, ours, theirs *entity.Type, names [2]string) ([]byte, error) {
	if file == nil {
		file = Format(ours)
	}
	if theirs == nil {
		return Mark(file, nil, names), nil
	}
	other, err := Update(file, theirs)
	if err != nil {
		return nil, err
	}
	return Mark(file, other, names), nil
}

// linesOf cuts a text into lines, each with its end; the last one gets one.
func linesOf(data []byte) (lines []string) {
	for line := range bytes.Lines(data) {
		lines = append(lines, string(line))
	}
	if n := len(lines) - 1; n >= 0 && !bytes.HasSuffix(data, []byte("\n")) {
		lines[n] += "\n"
	}
	return lines
}

func appendLines(dst []byte, lines []string) []byte {
	for _, line := range lines {
		dst = append(dst, line...)
	}
	return dst
}

// Read is Parse of a file that a merge may have left conflict markers in: it is
// read as our side of them, and conflict says where the first one is.
func Read(data []byte, file string) (t *entity.Type, conflict *Error, err error) {
	if t, err = Parse(data, file); err == nil {
		return t, nil, nil
	}
	ours, line := ourSide(data)
	if line == 0 {
		return nil, nil, err
	}
	t, failed := Parse(ours, file)
	if failed != nil {
		var at *Error
		if errors.As(failed, &at) {
			at.Reason += fmt.Sprintf(" (on the first side of the conflict markers that a merge has left in line %d)", line)
		}
		return nil, nil, failed
	}
	return t, &Error{File: file, Line: line, Conflict: true,
		Reason: "a merge has left conflict markers here; the first side is in force; choose a side and take the markers out"}, nil
}

// ourSide returns a text without its conflict markers and the other sides'
// lines, and the line of the first marker; 0 if there is none, or they do not
// belong together. Lines keep their numbers.
func ourSide(data []byte) (ours []byte, first int) {
	if len(data) > MaxSize {
		return nil, 0
	}
	state := "" // the last marker
	number := 0
	for line := range bytes.Lines(data) {
		number++
		mark := markOf(line)
		if mark == "" {
			if state == "" || state == markOurs {
				ours = append(ours, line...)
				continue
			}
		} else {
			if !slices.Contains(followers[state], mark) {
				return nil, 0
			}
			if first == 0 {
				first = number
			}
			if state = mark; mark == markTheirs {
				state = ""
			}
		}
		ours = append(ours, '\n')
	}
	if state != "" {
		return nil, 0
	}
	return ours, first
}

// followers are the markers that may come after one.
var followers = map[string][]string{
	"":         {markOurs},
	markOurs:   {markBase, markMiddle},
	markBase:   {markMiddle},
	markMiddle: {markTheirs},
}

// markOf returns the marker that a line is, "" for none.
func markOf(line []byte) string {
	line = bytes.TrimRight(line, "\r\n")
	for _, mark := range []string{markOurs, markBase, markMiddle, markTheirs} {
		rest, ok := bytes.CutPrefix(line, []byte(mark))
		if ok && (len(rest) == 0 || rest[0] == ' ') {
			return mark
		}
	}
	return ""
}
