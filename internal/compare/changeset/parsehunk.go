package changeset

import (
	"math"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// hunks reads the hunks below the name of an array or a text.
func (p *parser) hunks(f *entity.Field, name int) (entity.ChangeSet, error) {
	c := entity.Change{Op: entity.OpEdit, Field: f.Name}
	for p.indent > name {
		number, ok := strings.CutPrefix(p.line, "@ ")
		at, err := strconv.ParseUint(number, 10, 32)
		if !ok || err != nil || at == 0 || at > math.MaxInt32 {
			return nil, p.fail(f.Name, `want "@" and the place, from 1, of what changed, got %q`, clip(p.line))
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		h := entity.Hunk{At: int(at) - 1}
		if err := p.hunkItems(f, name, &h); err != nil {
			return nil, err
		}
		c.Hunks = append(c.Hunks, h)
	}
	return entity.ChangeSet{c}, nil
}

// hunkItems reads what a hunk consists of: first = before, then - and +, then
// = after.
func (p *parser) hunkItems(f *entity.Field, name int, h *entity.Hunk) error {
	item := itemShape(&f.Shape)
	order := 0 // of the part that was read last
	for p.indent > name && !strings.HasPrefix(p.line, "@") {
		sign, text, _ := strings.Cut(p.line, " ")
		part, at := &h.Before, 0
		switch {
		case sign == "-":
			part, at = &h.Old, 1
		case sign == "+":
			part, at = &h.New, 2
		case sign == "=" && order > 0:
			part, at = &h.After, 3
		case sign != "=":
			return p.fail(f.Name, `want "=", "-" or "+" and a value, got %q`, clip(p.line))
		}
		if at < order {
			return p.fail(f.Name, `the lines of a change are "=", then "-", then "+", then "="; another change begins with "@"`)
		}
		order = at
		v, err := p.value(f.Name, item, text)
		if err != nil {
			return err
		}
		if i := strings.IndexByte(v.Text(), '\n'); f.Kind == entity.KindString && (v.Text() == "" || i >= 0 && i < len(v.Text())-1) {
			return p.fail(f.Name, `want one line of the text, with "\n" at its end`)
		}
		*part = append(*part, v)
		if err := p.advance(); err != nil {
			return err
		}
	}
	if len(h.Old)+len(h.New) == 0 {
		return p.fail(f.Name, "nothing changes here: there is no line with - or +")
	}
	return nil
}

// unknown reads the raw lines of the fields that the type does not have.
func (p *parser) unknown(l *entity.Layout) (entity.ChangeSet, error) {
	name := p.indent
	if err := p.advance(); err != nil {
		return nil, err
	}
	var old, now []entity.Raw
	for p.indent > name {
		sign, text, _ := strings.Cut(p.line, " ")
		raw, ok := parseRaw(text)
		switch {
		case !ok || sign != "-" && sign != "+":
			return nil, p.fail(UnknownFields, `want "- name lines" or "+ name lines", both as strings of JSON; got %q`, clip(p.line))
		case l.Index(raw.Name) >= 0:
			return nil, p.fail(raw.Name, "the type has such a field; it is not unknown")
		case sign == "-":
			old = append(old, raw)
		default:
			now = append(now, raw)
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	c := entity.Change{Op: entity.OpRaw, Old: p.rawOnly(l, old), New: p.rawOnly(l, now)}
	return entity.ChangeSet{c}, nil
}

func parseRaw(text string) (raw entity.Raw, ok bool) {
	name, rest, ok := cutName(text)
	if !ok || strings.ContainsAny(name, "\n\r\x00") {
		return raw, false
	}
	lines, rest, ok := cutName(rest)
	return entity.Raw{Name: name, Lines: lines}, ok && rest == ""
}

// rawOnly returns an entity of which nothing is known but these fields.
func (p *parser) rawOnly(l *entity.Layout, fields []entity.Raw) *entity.Entity {
	return &entity.Entity{ID: p.head.id, Layout: p.unknownType(l.Type.Name).Layout(l.Revision), Unknown: fields}
}
