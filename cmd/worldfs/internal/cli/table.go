package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table prints rows of texts in columns. On a terminal it is as wide as that is: what does
// not fit is cut, the widest columns first. Elsewhere it is whole, and without a head, so
// that a program can read it.
type Table struct {
	Head []string // what is above the columns on a terminal; nil: nothing is
	rows [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

const tableGap = 2 // blanks between columns

// Print prints the table.
func (t *Table) Print(w io.Writer) error {
	color, width := Terminal(w)
	return t.write(w, color, width)
}

// write is Print on a terminal of a width, 0 for none.
func (t *Table) write(w io.Writer, color bool, width int) error {
	rows := t.rows
	if t.Head != nil && width > 0 && len(rows) > 0 {
		rows = append([][]string{t.Head}, rows...)
	}
	widths := fitted(widthsOf(rows), width)
	for i, row := range rows {
		line := tableLine(row, widths)
		if i == 0 && len(rows) > len(t.rows) && color {
			line = ansiBold + line + ansiReset
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// widthsOf returns how wide the columns of rows are.
func widthsOf(rows [][]string) (widths []int) {
	for _, row := range rows {
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	return widths
}

// minColumn is how narrow a column is made at most.
const minColumn = 6

// fitted returns the widths of columns that are together no wider than a terminal, 0 for
// none: all of one width that are cut, and the others as wide as they are.
func fitted(widths []int, width int) []int {
	if width == 0 {
		return widths
	}
	total, widest := tableGap*(len(widths)-1), 0
	for _, n := range widths {
		total, widest = total+n, max(widest, n)
	}
	most := widest
	for ; total > width && most > minColumn; most-- {
		for _, n := range widths {
			if n >= most {
				total--
			}
		}
	}
	cut := make([]int, len(widths))
	for i, n := range widths {
		cut[i] = min(n, most)
	}
	return cut
}

func tableLine(row []string, widths []int) string {
	var b strings.Builder
	for i, text := range row {
		text = cutTo(text, widths[i])
		b.WriteString(text)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)+tableGap))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// cutTo cuts a text that is too wide, and marks it so.
func cutTo(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(width-1, 0)]) + "…"
}
