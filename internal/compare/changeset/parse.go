package changeset

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// Parse reads a change set, or several one after the other, which it composes.
// types are those of the world that the changes are for; file is the text's
// name for messages. An error that is about a line is an *Error; nothing is
// returned with it.
func Parse(r io.Reader, file string, types *entity.Types) (entity.ChangeSet, error) {
	p := &parser{
		file: file, types: types, in: bufio.NewReaderSize(r, 64<<10),
		entities: interchange.NewEntityReader(types), fieldless: make(map[string]*entity.Type),
	}
	if err := p.texts(); err != nil {
		return nil, err
	}
	return composeBlocks(p.blocks), nil
}

type parser struct {
	file      string
	types     *entity.Types
	in        *bufio.Reader
	entities  *interchange.EntityReader
	fieldless map[string]*entity.Type // types of which no field is known
	blocks    []entity.ChangeSet

	line   string // without its indentation and end
	indent int
	number int

	head head // of the block that is being read
}

// advance goes to the next line that says something; line is "" at the end.
func (p *parser) advance() error {
	for {
		line, err := p.in.ReadString('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("read %s after line %d: %w", p.file, p.number, err)
		}
		if line == "" {
			p.line, p.indent = "", 0
			return nil
		}
		if p.number++; p.number == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		p.line = strings.TrimRight(line, " \t\r\n")
		text := strings.TrimLeft(p.line, " \t")
		p.indent = len(p.line) - len(text)
		if p.line = text; text != "" && text[0] != '#' {
			return nil
		}
	}
}

// fail returns an error about the line, the entity and a field of it.
func (p *parser) fail(field, reason string, args ...any) error {
	return &Error{
		File: p.file, Line: p.number, Entity: p.head.String(), Field: clip(field), Reason: fmt.Sprintf(reason, args...),
	}
}

// within adds the place to what is wrong with a value.
func (p *parser) within(field string, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return p.fail(field, "%v", err)
	}
	if field = clip(field); e.Field != "" && field != "" {
		field += "."
	}
	return p.fail(field+e.Field, "%s", e.Reason)
}

func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// texts reads the texts. What stands before, between and after them is
// the text of a mail.
func (p *parser) texts() error {
	found := false
	for {
		if err := p.advance(); err != nil {
			return err
		}
		switch {
		case p.line == "" && !found:
			return fmt.Errorf("read %s: there are no changes in it; they begin with a line %q", p.file, header+" "+format)
		case p.line == "":
			return nil
		}
		version, ok := p.header()
		if !ok {
			continue
		}
		if version != format {
			return p.fail("", "the changes are in version %s of the format; this worldfs reads %s", version, format)
		}
		found = true
		if err := p.text(); err != nil {
			return err
		}
	}
}

// header returns the version of the text that begins in this line.
func (p *parser) header() (version string, ok bool) {
	version, ok = strings.CutPrefix(p.line, header+" ")
	digits := strings.Trim(version, "0123456789") == "" && len(version) < 10
	return version, ok && p.indent == 0 && version != "" && digits
}

// text reads one text, from below its header to its end.
func (p *parser) text() error {
	if err := p.advance(); err != nil {
		return err
	}
	for p.line != ending || p.indent > 0 {
		if err := p.block(); err != nil {
			return err
		}
		p.head = head{}
	}
	return nil
}

// block reads what happened to one entity.
func (p *parser) block() error {
	if _, again := p.header(); again || p.line == "" {
		return p.fail("", "the changes stop without a line %q; are they cut off?", ending)
	}
	if p.indent > 0 {
		return p.fail("", "the line is indented, but it is below no entity")
	}
	h, reason := parseHead(p.line)
	if p.head = h; reason != "" {
		return p.fail("", "%s", reason)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if h.verb == "change" {
		return p.change()
	}
	return p.whole()
}

// whole reads what was and is of an entity that is made, taken away or
// replaced.
func (p *parser) whole() (err error) {
	c := entity.Change{ID: p.head.id}
	switch p.head.verb {
	case "create":
		c.Op = entity.OpCreate
		c.New, err = p.entity("")
	case "delete":
		c.Op = entity.OpDelete
		c.Old, err = p.entity("")
	default:
		c.Op = entity.OpReplace
		if c.Old, err = p.entity("- "); err == nil {
			c.New, err = p.entity("+ ")
		}
	}
	if err == nil {
		p.blocks = append(p.blocks, entity.ChangeSet{c})
	}
	return err
}

// entity reads a line of a whole entity.
func (p *parser) entity(sign string) (*entity.Entity, error) {
	object, ok := strings.CutPrefix(p.line, sign)
	if !ok || p.indent == 0 {
		return nil, p.fail("", "want a line %q with the entity as JSON; is the text cut off?", sign+"{…}")
	}
	e, err := p.entities.Read([]byte(object))
	if err != nil {
		return nil, p.within("", err)
	}
	if e.ID != p.head.id || sign != "+ " && e.Type() != p.head.typ {
		return nil, p.fail("", "the line below is about another entity: %s %d", e.Type(), e.ID)
	}
	return e, p.advance()
}

// change reads what happened to the fields of an entity.
func (p *parser) change() error {
	l := p.typeOf(p.head.typ).Layout(p.head.revision)
	if !p.head.hasRevision {
		l = p.typeOf(p.head.typ).Current()
	}
	var set entity.ChangeSet
	for depth := p.indent; p.indent > 0; {
		if p.indent > depth {
			return p.fail("", "the line is indented further than the fields above it")
		}
		changes, err := p.property(l)
		if err != nil {
			return err
		}
		set = append(set, changes...)
	}
	for i := range set {
		set[i].ID, set[i].Of, set[i].Name = p.head.id, l, p.head.name
	}
	if len(set) > 0 {
		p.blocks = append(p.blocks, set)
	}
	return nil
}

func (p *parser) typeOf(name string) *entity.Type {
	if t := p.types.Get(name); t != nil {
		return t
	}
	return p.unknownType(name)
}

// unknownType returns a type without fields.
func (p *parser) unknownType(name string) *entity.Type {
	if p.fieldless[name] == nil {
		p.fieldless[name] = entity.UnknownType(name)
	}
	return p.fieldless[name]
}

// property reads what happened to one field.
func (p *parser) property(l *entity.Layout) (entity.ChangeSet, error) {
	if p.line == UnknownFields {
		return p.unknown(l)
	}
	name, rest, ok := cutName(p.line)
	if !ok {
		return nil, p.fail("", "want a field's name, got %q", clip(p.line))
	}
	i := l.Index(name)
	switch {
	case i < 0 && l.Type.Unknown:
		return nil, p.fail(name, "there is no type %q here, so its fields cannot be read", clip(l.Type.Name))
	case i < 0:
		return nil, p.fail(name, "%s", l.WhyAbsent(name))
	}
	f := l.Fields[i]
	if rest != "" {
		c, err := p.inline(f, rest)
		if err != nil {
			return nil, err
		}
		return entity.ChangeSet{c}, p.advance()
	}
	return p.below(f)
}

// inline reads what a field was and is, after its name.
func (p *parser) inline(f *entity.Field, rest string) (c entity.Change, err error) {
	from, to, ok := cutArrow(rest)
	if !ok {
		return c, p.fail(f.Name, `want "old -> new", got %q`, clip(rest))
	}
	c = entity.Change{Op: entity.OpSet, Field: f.Name}
	if c.From, err = p.fieldValue(f, from); err == nil {
		c.To, err = p.fieldValue(f, to)
	}
	return c, err
}

// fieldValue reads a field's value, which null says is absent.
func (p *parser) fieldValue(f *entity.Field, text string) (entity.Value, error) {
	if text == "null" && (f.Optional || f.SaveWhen != "") {
		return entity.Value{}, nil
	}
	return p.value(f.Name, &f.Shape, text)
}

func (p *parser) value(field string, s *entity.Shape, text string) (entity.Value, error) {
	v, err := interchange.ParseValue([]byte(text), s)
	if err != nil {
		return v, p.within(field, err)
	}
	return v, nil
}

// below reads the lines below a field's name.
func (p *parser) below(f *entity.Field) (entity.ChangeSet, error) {
	name := p.indent
	if err := p.advance(); err != nil {
		return nil, err
	}
	sign, _, _ := strings.Cut(p.line, " ")
	switch {
	case p.indent <= name:
		return nil, p.fail(f.Name, "it has nothing below it that says what changed")
	case sign == "from":
		return p.fromTo(f, name)
	case f.Kind == entity.KindSet:
		return p.elements(f, name)
	case f.Kind == entity.KindArray || f.Kind == entity.KindString:
		return p.hunks(f, name)
	}
	return nil, p.fail(f.Name, `want "from" and "to", got %q`, clip(p.line))
}

// fromTo reads what a field was and is, a line each.
func (p *parser) fromTo(f *entity.Field, name int) (entity.ChangeSet, error) {
	c := entity.Change{Op: entity.OpSet, Field: f.Name}
	for _, part := range []struct {
		sign  string
		value *entity.Value
	}{{"from ", &c.From}, {"to ", &c.To}} {
		text, ok := strings.CutPrefix(p.line, part.sign)
		if !ok || p.indent <= name {
			return nil, p.fail(f.Name, `want a line "from" and below it a line "to"`)
		}
		v, err := p.fieldValue(f, text)
		if err != nil {
			return nil, err
		}
		*part.value = v
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return entity.ChangeSet{c}, nil
}

// elements reads what is added to a set and removed from it.
func (p *parser) elements(f *entity.Field, name int) (set entity.ChangeSet, err error) {
	for p.indent > name {
		sign, text, _ := strings.Cut(p.line, " ")
		c := entity.Change{Op: entity.OpAdd, Field: f.Name}
		at := &c.To
		switch sign {
		case "+":
		case "-":
			c.Op, at = entity.OpRemove, &c.From
		default:
			return nil, p.fail(f.Name, `want "+ value" or "- value", got %q`, clip(p.line))
		}
		if *at, err = p.value(f.Name, f.Of, text); err != nil {
			return nil, err
		}
		set = append(set, c)
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return set, nil
}
