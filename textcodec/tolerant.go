package textcodec

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/worldfs/worldfs/entity"
)

// The tolerant way: line by line, with findings.

var byteOrderMark = []byte("\ufeff")

// tolerant reads any text that says what an entity is.
func (d *decoder) tolerant(text []byte) (Result, error) {
	d.loose = true
	if err := d.open(text); err != nil {
		return Result{}, err
	}
	h, err := d.header()
	if err != nil {
		return Result{}, err
	}
	l := d.layout(h)
	if err := d.fields(l); err != nil {
		return Result{}, err
	}
	d.findConflicts()
	d.fillIn(l)
	e := d.take(l)
	d.dropUnsaved(e)
	slices.SortStableFunc(d.findings, func(a, b entity.Finding) int { return cmp.Compare(a.Line, b.Line) })
	for i := range d.findings {
		d.findings[i] = d.findings[i].About(e)
	}
	d.scratch = Append(d.scratch[:0], e)
	return Result{Entity: e, Canonical: bytes.Equal(d.scratch, text), Findings: d.findings}, nil
}

// open checks what can be said of a text without reading it and goes to its
// first line.
func (d *decoder) open(text []byte) error {
	if err := checkBytes(text); err != nil {
		return err
	}
	body := bytes.TrimPrefix(text, byteOrderMark)
	if len(bytes.Trim(body, blank+"\n")) == 0 {
		return &Error{Line: 1, Reason: ErrEmpty.Error(), mark: ErrEmpty}
	}
	if body[len(body)-1] != '\n' {
		return &Error{Line: bytes.Count(body, []byte("\n")) + 1, Reason: ErrTruncated.Error() + ": its last line has no end", mark: ErrTruncated}
	}
	if hasMarkers(body) {
		o, err := takeSide(body, ourSide)
		if err != nil {
			return err
		}
		body, d.numbers, d.conflicts = o.text, o.numbers, o.conflicts
	}
	d.seek(body, 0)
	return nil
}

// openHeader is open for a caller that wants the first lines only and does not
// mind what comes after them.
func (d *decoder) openHeader(text []byte) error {
	d.loose = true
	end := 0
	for lines := 0; lines < 3 && end < len(text); {
		n := bytes.IndexByte(text[end:], '\n')
		if n < 0 {
			end = len(text)
			break
		}
		if line := text[end : end+n]; marker(line) != 0 {
			return d.open(text)
		} else if len(bytes.Trim(bytes.TrimPrefix(line, byteOrderMark), blank)) > 0 {
			lines++
		}
		end += n + 1
	}
	return d.open(text[:end])
}

func checkBytes(text []byte) error {
	at := bytes.IndexByte(text, 0)
	reason := "there is a zero byte; it is written \\x00, and only between quotes"
	if !utf8.Valid(text) {
		bad := firstInvalid(text)
		if at < 0 || bad < at {
			at, reason = bad, "the text is not UTF-8"
		}
	}
	if at < 0 {
		return nil
	}
	return &Error{Line: 1 + bytes.Count(text[:at], []byte("\n")), Reason: reason}
}

// firstInvalid returns where the first byte stands that is not UTF-8.
func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// heading is what the first three lines say.
type heading struct {
	typeName string
	revision uint32
	id       entity.ID
	lines    [3]int // the numbers of the lines
}

// header reads the three lines and goes past them.
func (d *decoder) header() (h heading, err error) {
	if d.line == nil {
		return h, d.truncated("there is no line with the type")
	}
	var reason string
	if h.typeName, reason = parseName(d.line); reason != "" {
		return h, d.fail("the entity's type: %s", reason)
	}
	h.lines[0] = d.number
	if d.advance(); d.line == nil {
		return h, d.truncated("there is no line with the revision")
	}
	revision, err := strconv.ParseUint(short(d.line), 10, 32)
	if err != nil {
		return h, d.fail("the second line is the revision, a number from 0 to 4294967295, not %s", clip(d.line))
	}
	h.revision = uint32(revision)
	h.lines[1] = d.number
	if d.advance(); d.line == nil {
		return h, d.truncated("there is no line with the entity's ID")
	}
	if h.id, err = entity.ParseID(short(d.line)); err != nil {
		return h, d.fail("the third line is the ID, not %s: %v", clip(d.line), entity.ErrID)
	}
	h.lines[2] = d.number
	d.advance()
	return h, nil
}

// layout finds the entity's type at its revision.
func (d *decoder) layout(h heading) *entity.Layout {
	if h.id != d.id {
		d.find(entity.CodeIDDiffers, h.lines[2], "", "the ID line says %d, the file is that of %d, which counts; fmt mends it", h.id, d.id)
	}
	t := d.types.Get(h.typeName)
	switch {
	case t == nil || t.Unknown:
		if t == nil {
			t = entity.UnknownType(h.typeName)
		}
		d.find(entity.CodeTypeUnknown, h.lines[0], "", "there is no declaration of the type %s; the text is kept as it is", clip(h.typeName))
	case h.revision > t.Revision:
		d.find(entity.CodeRevisionNewer, h.lines[1], "", "the entity is of revision %d, the type's declaration of %d; get the newer types", h.revision, t.Revision)
	}
	return t.Layout(h.revision)
}

// prepare makes room for a layout's values.
func (d *decoder) prepare(l *entity.Layout) {
	d.values = make([]entity.Value, len(l.Fields))
	d.given = append(d.given[:0], make([]int, len(l.Fields))...)
}

// fields reads the fields, in whatever order they stand.
func (d *decoder) fields(l *entity.Layout) error {
	d.prepare(l)
	if d.line != nil && !d.begins(';') {
		if !l.Type.Unknown {
			return d.fail("a field's name, as in \"; position\", must stand before %s", clip(d.line))
		}
		if err := d.raw(""); err != nil {
			return err
		}
	}
	for d.line != nil {
		number := d.number
		name, err := d.fieldName()
		if err != nil {
			return err
		}
		d.starts = append(d.starts, fieldStart{d.fileLine(number), name})
		d.path = append(d.path[:0], name)
		if i := l.Index(name); i >= 0 {
			err = d.fieldValue(&d.values[i], l.Fields[i], &d.given[i], number)
		} else {
			if !l.Type.Unknown {
				d.find(entity.CodeFieldUnknown, number, name, "%s; its lines are kept", l.WhyAbsent(name))
			}
			err = d.raw(name)
		}
		if err != nil {
			return err
		}
		if d.line != nil && !d.begins(';') {
			return d.fail("the value ends before %s; what comes next is a field's name, as in \"; position\"", clip(d.line))
		}
		d.path = d.path[:0]
	}
	return nil
}

// fieldName reads the line that begins a field or member and goes past it.
func (d *decoder) fieldName() (string, error) {
	rest := bytes.TrimLeft(d.line[1:], blank)
	if len(rest) == 0 {
		return "", d.fail("there is no name after the semicolon")
	}
	name, reason := parseName(rest)
	if reason != "" {
		return "", d.fail("%s", reason)
	}
	d.advance()
	return name, nil
}

// fieldValue reads the value of one field or member, whose name stood on a line.
func (d *decoder) fieldValue(v *entity.Value, f *entity.Field, given *int, number int) error {
	if *given != 0 {
		d.find(entity.CodeFieldTwice, number, d.field(), "the field is given on line %d and again here, which counts; take one away", d.fileLine(*given))
	}
	*given = number
	if f.Optional && (d.begins(';') || d.begins('}')) {
		*v = entity.Value{} // its lines were deleted, its name was not
		return nil
	}
	return d.value(&f.Shape, false, v)
}

// fillIn gives the fields that the text leaves out their defaults.
func (d *decoder) fillIn(l *entity.Layout) {
	for i, f := range l.Fields {
		if d.given[i] == 0 && !f.Optional && f.SaveWhen == "" {
			d.values[i] = f.DefaultValue()
			d.find(entity.CodeFieldMissing, 0, f.Name, "the field is not given and has its default; fmt writes it")
		}
	}
}

// dropUnsaved brings the entity into canonical form. A field that goes may
// take another with it whose condition reads it.
func (d *decoder) dropUnsaved(e *entity.Entity) {
	for {
		changed := e.Canonicalize()
		if len(changed) == 0 {
			return
		}
		for _, name := range changed {
			i := e.Layout.Index(name)
			if e.Values[i].IsNull() {
				d.find(entity.CodeFieldNotSaved, d.given[i], name, "the field is saved only when %s; fmt drops the value", clip(e.Layout.Fields[i].SaveWhen))
			}
		}
	}
}

// findConflicts reports the conflicts: a deletion, and what took the place of another text, about
// the whole entity, any other about the field in which it began or before whose name it stands.
func (d *decoder) findConflicts() {
	for _, c := range d.conflicts[:min(len(d.conflicts), maxFindings)] {
		if by, deleted := WholeDeleted(c.about); deleted {
			d.findConflict(c.line, "", by+" deleted it, and the other side changed it, whose values are loaded: take the markers out to keep it, or remove the file")
			continue
		}
		if strings.Contains(c.about, inHistory) {
			d.findConflict(c.line, "", "this has taken the place of "+c.about+": write again what is to be kept of it, and take the markers out")
			continue
		}
		field := ""
		for _, s := range d.starts {
			if s.line > c.line+1 {
				break
			}
			field = s.name
		}
		d.findConflict(c.line, field, "two people changed this; the first side's value is loaded: keep the lines of one side and take the markers out")
	}
}

// findConflict reports one; each is worth its own finding.
func (d *decoder) findConflict(line int, field, message string) {
	if len(d.findings) >= maxFindings {
		return
	}
	d.findings = append(d.findings, entity.Finding{
		Code: entity.CodeConflict, Blocks: entity.Blocks(entity.CodeConflict), Line: line, Field: field, Message: message,
	})
}
