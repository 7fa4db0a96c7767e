package changeset

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/worldfs/worldfs/entity"
)

// Table writes a change set for people: a row a change, with whom it is about,
// the field, and what was and is, positions with how far they moved and
// rotations by how much. Lines are no longer than width, 0 for any length.
func Table(w io.Writer, set entity.ChangeSet, color bool, width int) error {
	t := table{color: color}
	t.changes(set)
	return t.write(w, width)
}

// changes writes rows for all changes: first what was edited.
func (t *table) changes(set entity.ChangeSet) {
	edits, types := ByDeclaration(set)
	for changes := range blocks(edits) {
		t.block(changes)
	}
	for _, d := range types {
		t.redeclared(d)
	}
}

// Summary says in a line, as the last of a table does, how much a change set changes.
func Summary(set entity.ChangeSet) string {
	var t table
	t.changes(set)
	return strings.TrimSuffix(t.summary(), "\n")
}

// Colours of a terminal.
const (
	plain  = ""
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	reset  = "\x1b[0m"
)

// piece is some text of one colour.
type piece struct{ color, text string }

// row is a line of the table. who is empty where it is as above.
type row struct {
	who, field string
	what       []piece
	note       string // how far it moved; below where there is no room beside
}

type table struct {
	color bool
	rows  []row
	count struct{ created, deleted, changed, moved, properties, redeclared int }
}

func (t *table) block(changes entity.ChangeSet) {
	c := changes[0]
	l, name := subject(c)
	who := printable(c.ID.String())
	if l != nil {
		who = printable(l.Type.Name) + " " + who
	}
	if name != "" {
		who += fmt.Sprintf(" %q", name)
	}
	first := len(t.rows)
	if whole(c) {
		t.whole(c)
	} else {
		t.count.changed++
		for _, c := range changes {
			t.property(l, c)
		}
	}
	if len(t.rows) > first {
		t.rows[first].who = who
	}
}

func (t *table) add(field string, what ...piece) {
	t.rows = append(t.rows, row{field: printable(field), what: what})
}

func (t *table) whole(c entity.Change) {
	switch c.Op {
	case entity.OpCreate:
		t.count.created++
		t.add("", piece{green, "created"}, piece{faint, at(c.New)})
	case entity.OpDelete:
		t.count.deleted++
		t.add("", piece{red, "deleted"}, piece{faint, at(c.Old)})
	default:
		t.count.changed++
		if sameDeclared(c) {
			t.edits(c)
			return
		}
		t.add("", piece{yellow, "replaced"}, piece{plain, " "},
			piece{red, kindOf(c.Old)}, piece{plain, " → "}, piece{green, kindOf(c.New)})
		if c.Old.Type() == c.New.Type() {
			c.Old = upgraded(c.Old, c.New)
			t.edits(c)
		}
	}
}

func kindOf(e *entity.Entity) string {
	return fmt.Sprintf("%s at revision %d", printable(e.Type()), e.Revision())
}

// at says where an entity is, "" if that is not known.
func at(e *entity.Entity) string {
	i := e.Layout.PositionField()
	if i < 0 || e.Values[i].IsNull() {
		return ""
	}
	s, v := &e.Layout.Fields[i].Shape, e.Values[i]
	if x, y, z, ok := s.Place(v); ok && !isVector(s) {
		return fmt.Sprintf(" at %s %s %s", decimal(x), decimal(y), decimal(z))
	}
	return " at " + brief(s, v)
}

func (t *table) property(l *entity.Layout, c entity.Change) {
	t.count.properties++
	if c.Op == entity.OpRaw {
		t.add(UnknownFields, piece{plain, fmt.Sprintf("%s → %s", fields(c.Old), fields(c.New))})
		return
	}
	i := -1
	if l != nil {
		i = l.Index(c.Field)
	}
	if i < 0 {
		t.add(c.Field, piece{plain, c.Op.String()})
		return
	}
	s := &l.Fields[i].Shape
	switch c.Op {
	case entity.OpAdd:
		t.add(c.Field, piece{green, "+ " + brief(s.Of, c.To)})
	case entity.OpRemove:
		t.add(c.Field, piece{red, "- " + brief(s.Of, c.From)})
	case entity.OpEdit:
		t.hunks(c.Field, s, c.Hunks)
	case entity.OpSet:
		t.set(l, i, c)
	}
}

func fields(e *entity.Entity) string {
	return humanize.Comma(int64(len(e.Unknown))) + " unknown " + plural(len(e.Unknown), "field", "fields")
}

// set writes a change of a whole value.
func (t *table) set(l *entity.Layout, i int, c entity.Change) {
	s := &l.Fields[i].Shape
	if h, ok := hunks(s, c.From, c.To); ok {
		t.hunks(c.Field, s, h)
		return
	}
	old, now := brief(s, c.From), brief(s, c.To)
	if old == now {
		old, now = exact(s, c.From), exact(s, c.To)
	}
	what := []piece{{red, old}, {plain, " → "}, {green, now}}
	note := ""
	if i == l.PositionField() {
		if note = distance(s, c.From, c.To); note != "" {
			t.count.moved++
		}
	} else {
		note = rotation(c.From, c.To)
	}
	t.add(c.Field, what...)
	t.rows[len(t.rows)-1].note = note
}

// hunks writes a row for each part of a long array or text.
func (t *table) hunks(field string, s *entity.Shape, hunks []entity.Hunk) {
	one, many := "element", "elements"
	if s.Kind == entity.KindString {
		one, many = "line", "lines"
	}
	part := func(items []entity.Value) string {
		switch len(items) {
		case 0:
			return "nothing"
		case 1:
			return brief(itemShape(s), items[0])
		}
		return humanize.Comma(int64(len(items))) + " " + many
	}
	for i, h := range hunks {
		if i > 0 {
			field = ""
		}
		t.add(field, piece{faint, fmt.Sprintf("%s %d: ", one, h.At+1)},
			piece{red, part(h.Old)}, piece{plain, " → "}, piece{green, part(h.New)})
	}
}

func (t *table) write(w io.Writer, width int) error {
	out := bufio.NewWriter(w)
	who, field := 0, 0
	for _, r := range t.rows {
		who, field = max(who, length(r.who)), max(field, length(r.field))
	}
	if width > 0 {
		who, field = min(who, max(width/3, 12)), min(field, max(width/5, 8))
	}
	for _, r := range t.rows {
		t.row(out, r, who, field, width)
	}
	out.WriteString(t.summary())
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func (t *table) row(out *bufio.Writer, r row, who, field, width int) {
	line := []piece{{bold, pad(r.who, who)}, {plain, "  "}}
	room := width - who - 2
	if r.field != "" || r.who == "" && textLength(r.what) <= room-field-2 {
		line = append(line, piece{faint, pad(r.field, field)}, piece{plain, "  "})
		room -= field + 2
	}
	beside := width == 0 || textLength(r.what)+2+length(r.note) <= room
	if r.note != "" && beside {
		r.what = append(r.what, piece{cyan, "  " + r.note})
	}
	if line = append(line, fit(r.what, room, width > 0)...); width > 0 {
		line = cut(line, width)
	}
	for _, p := range line {
		out.WriteString(t.painted(p))
	}
	out.WriteByte('\n')
	if r.note != "" && !beside {
		t.row(out, row{what: []piece{{cyan, r.note}}}, who, field, width)
	}
}

func textLength(what []piece) (n int) {
	for _, p := range what {
		n += length(p.text)
	}
	return n
}

func (t *table) painted(p piece) string {
	if !t.color || p.color == plain || p.text == "" {
		return p.text
	}
	return p.color + p.text + reset
}

// fit shortens the longest of the pieces until all have room.
func fit(what []piece, room int, limited bool) []piece {
	const least = 12
	for limited {
		total, longest := textLength(what), 0
		for i, p := range what {
			if length(p.text) > length(what[longest].text) {
				longest = i
			}
		}
		n := length(what[longest].text)
		if total <= room || n <= least {
			break
		}
		what[longest].text = clipTo(what[longest].text, max(least, min(n-1, n-(total-room)/2)))
	}
	return what
}

// cut ends a line where the width does.
func cut(line []piece, width int) []piece {
	for i, p := range line {
		n := length(p.text)
		if n > width {
			line[i].text = clipTo(p.text, width)
			return line[:i+1]
		}
		width -= n
	}
	return line
}

func length(s string) int { return utf8.RuneCountInString(s) }

func clipTo(s string, n int) string {
	if length(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	return string([]rune(s)[:n-1]) + "…"
}

func pad(s string, n int) string {
	s = clipTo(s, n)
	return s + strings.Repeat(" ", max(0, n-length(s)))
}

// printable returns s without what a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

func (t *table) summary() string {
	if len(t.rows) == 0 {
		return "nothing differs\n"
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, humanize.Comma(int64(n))+" "+what)
		}
	}
	c := t.count
	add(c.created, "created")
	add(c.deleted, "deleted")
	add(c.changed, "changed")
	add(c.redeclared, "under another declaration")
	note := ""
	if c.properties > 0 {
		note = fmt.Sprintf(" (%s %s", humanize.Comma(int64(c.properties)), plural(c.properties, "property", "properties"))
		if c.moved > 0 {
			note += fmt.Sprintf(", %s moved", humanize.Comma(int64(c.moved)))
		}
		note += ")"
	}
	return t.painted(piece{bold, strings.Join(parts, ", ") + note}) + "\n"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
