package textcodec

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/worldfs/worldfs/entity"
)

// bracket goes past an opening bracket and returns its line.
func (d *decoder) bracket(s *entity.Shape, open string) (number int, err error) {
	if !d.is(open) {
		return 0, d.unwanted(s)
	}
	number = d.number
	d.advance()
	return number, nil
}

// closes reports whether the current line is the closing bracket, and goes
// past it.
func (d *decoder) closes(bracket string, opened int) (bool, error) {
	if d.line == nil {
		return false, d.truncated("the bracket of line %d is not closed", d.fileLine(opened))
	}
	if !d.is(bracket) {
		return false, nil
	}
	d.advance()
	return true, nil
}

func (d *decoder) list(s *entity.Shape, v *entity.Value) error {
	opened, err := d.bracket(s, "[")
	if err != nil {
		return err
	}
	base := len(d.stack)
	var item entity.Value // out here it stays off the heap
	for {
		if closed, err := d.closes("]", opened); err != nil {
			return err
		} else if closed {
			break
		}
		if err := d.value(s.Of, true, &item); err != nil {
			return err
		}
		d.stack = append(d.stack, item)
	}
	items := d.pop(base)
	if s.Kind == entity.KindSet && !d.inOrder(items) {
		slices.SortFunc(items, d.compare)
		items = slices.CompactFunc(items, func(a, b entity.Value) bool { return d.compare(a, b) == 0 })
		d.find(entity.CodeSetUnordered, opened, d.field(), "the set is out of order or has an element twice; fmt mends it")
	}
	if key := s.KeyIndex(); key >= 0 {
		if twice, ok := d.twice(items, key); ok {
			d.find(entity.CodeKeyTwice, opened, d.field(), "two elements have the %s %s; give one of them another", s.Key, d.show(&s.Of.Fields[key].Shape, &twice))
		}
	}
	*v = entity.NewList(s.Kind, items)
	return nil
}

// show returns a scalar for a message.
func (d *decoder) show(s *entity.Shape, v *entity.Value) string {
	if isSpan(v) {
		return clip(appendQuoted(nil, clip(d.textOf(v))))
	}
	return clip(bytes.TrimSpace(appendValue(nil, s, v, 0)))
}

func (d *decoder) structure(s *entity.Shape, v *entity.Value) error {
	opened, err := d.bracket(s, "{")
	if err != nil {
		return err
	}
	base, marks := d.push(len(s.Fields)), len(d.marks)
	d.marks = append(d.marks, make([]int, len(s.Fields))...)
	for {
		if closed, err := d.closes("}", opened); err != nil {
			return err
		} else if closed {
			break
		}
		if err := d.member(s, base, marks); err != nil {
			return err
		}
	}
	for i, f := range s.Fields {
		if d.marks[marks+i] == 0 && !f.Optional {
			d.stack[base+i] = f.DefaultValue()
			d.find(entity.CodeFieldMissing, opened, d.memberField(f), "the member is not given and has its default; fmt writes it")
		}
	}
	d.marks = d.marks[:marks]
	*v = entity.NewStruct(d.pop(base))
	return nil
}

func (d *decoder) memberField(f *entity.Field) string { return d.field() + "." + f.Name }

// member reads one member into its place on the stack.
func (d *decoder) member(s *entity.Shape, base, marks int) error {
	if !d.begins(';') {
		return d.fail("a member's name, as in \"; position\", or } must stand before %s", clip(d.line))
	}
	number := d.number
	name, err := d.fieldName()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(s.Fields, func(f *entity.Field) bool { return f.Name == name })
	if i < 0 {
		return d.failAt(number, "the struct has no member %s at the entity's revision; take its lines away, or get the types that declare it", clip(name))
	}
	d.path = append(d.path, name)
	var v entity.Value
	if err := d.fieldValue(&v, s.Fields[i], &d.marks[marks+i], number); err != nil {
		return err
	}
	d.path = d.path[:len(d.path)-1]
	d.stack[base+i] = v
	return nil
}

// flags reads a list of the names of bits.
func (d *decoder) flags(s *entity.Shape, v *entity.Value) error {
	opened, err := d.bracket(s, "[")
	if err != nil {
		return err
	}
	var flags uint64
	for {
		if closed, err := d.closes("]", opened); err != nil {
			return err
		} else if closed {
			break
		}
		bit, ok := parseFlag(s, d.line)
		if !ok {
			return d.fail("%s is no flag: one of %s, or #0 to #%d", clip(d.line), namesOf(s), highestBit(s))
		}
		flags |= 1 << bit
		d.advance()
	}
	*v = entity.NewUint(entity.KindFlags, flags)
	return nil
}

func highestBit(s *entity.Shape) int64 {
	if s.WideFlags() {
		return 63
	}
	return 31
}

func parseFlag(s *entity.Shape, line []byte) (bit int64, ok bool) {
	if line[0] == '#' {
		bit, err := strconv.ParseInt(short(line[1:]), 10, 64)
		return bit, err == nil && bit >= 0 && bit <= highestBit(s)
	}
	return numberOf(s, line)
}
