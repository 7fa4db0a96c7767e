package interchange

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
)

func (p *valueParser) list(s *entity.Shape) (entity.Value, *Error) {
	if err := p.token(jsontext.KindBeginArray); err != nil {
		return entity.Value{}, err
	}
	var items []entity.Value
	for p.dec.PeekKind() != jsontext.KindEndArray {
		item, err := p.value(s.Of)
		if err != nil {
			return entity.Value{}, err.element(len(items))
		}
		items = append(items, item)
	}
	if s.Kind == entity.KindSet {
		items, _ = entity.SortSet(items)
	}
	return entity.NewList(s.Kind, items), p.token(jsontext.KindEndArray)
}

func (p *valueParser) structure(s *entity.Shape) (entity.Value, *Error) {
	members, err := p.members(s.Fields, nil, func(name string) (int, *Error) {
		if i := slices.IndexFunc(s.Fields, func(f *entity.Field) bool { return f.Name == name }); i >= 0 {
			return i, nil
		}
		return 0, p.failf("%s is no member of the struct", quote(name))
	})
	return entity.NewStruct(members), err
}

// members reads an object into one value for each of the fields. find returns
// the place of a name. Of an entity's, one that is saved only under a condition may be
// null, absent; where it is left out, its place goes to leftOut, if that is not nil.
func (p *valueParser) members(fields []*entity.Field, leftOut *[]int, find func(name string) (int, *Error)) ([]entity.Value, *Error) {
	if err := p.token(jsontext.KindBeginObject); err != nil {
		return nil, err
	}
	values := make([]entity.Value, len(fields))
	conditional := func(f *entity.Field) bool { return leftOut != nil && f.SaveWhen != "" && !f.Optional }
	given, next := 0, 0
	var absent []int
	for ; p.dec.PeekKind() != jsontext.KindEndObject; given++ {
		i, err := p.member(fields, next, find)
		if err != nil {
			return nil, err
		}
		if conditional(fields[i]) && p.dec.PeekKind() == jsontext.KindNull {
			absent = append(absent, i)
			err = p.token(jsontext.KindNull)
		} else {
			values[i], err = p.value(&fields[i].Shape)
		}
		if err != nil {
			return nil, err.within(fields[i].Name)
		}
		next = i + 1
	}
	if err := p.fill(len(fields) - given); err != nil {
		return nil, err
	}
	for i, f := range fields {
		switch {
		case !values[i].IsNull() || f.Optional || slices.Contains(absent, i):
		case conditional(f):
			*leftOut = append(*leftOut, i)
		default:
			values[i] = p.defaultOf(f)
		}
	}
	return values, p.token(jsontext.KindEndObject)
}

// member reads a name and returns its place among the fields. Most often it is
// one of the next.
func (p *valueParser) member(fields []*entity.Field, next int, find func(string) (int, *Error)) (int, *Error) {
	raw, err := p.scalar("a name", jsontext.KindString)
	if err != nil {
		return 0, err
	}
	name := p.unquote(raw)
	for i := next; i < len(fields) && i < next+8; i++ {
		if string(name) == fields[i].Name {
			return i, nil
		}
	}
	return find(string(name))
}

// fill accounts for n values that are not given.
func (p *valueParser) fill(n int) *Error {
	if p.filling -= n; p.filling < 0 {
		return p.failf("far more values are left to their defaults than are given; is the type's declaration the right one?")
	}
	return nil
}

// defaultOf returns the field's default. Values that are made of others are
// made once and shared.
func (p *valueParser) defaultOf(f *entity.Field) entity.Value {
	if f.Default != nil || f.Kind != entity.KindStruct {
		return f.DefaultValue()
	}
	v, ok := p.defaults[f]
	if !ok {
		if p.defaults == nil {
			p.defaults = make(map[*entity.Field]entity.Value)
		}
		v = f.DefaultValue()
		p.defaults[f] = v
	}
	return v
}
