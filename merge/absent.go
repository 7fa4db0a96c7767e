package merge

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// A field, or a member of a struct, that a side's declaration lacks has no
// value on that side: the side has not changed it, least of all to its default.

// sides returns what base, ours and theirs have of a field of the target. A
// side that lacks the field, or a part of it, has what the other has there, and
// what the base has if both lack it.
func (e *entityMerge) sides(i int, f *entity.Field) (b, o, t entity.Value) {
	b, o, t = e.b.value(i, f), e.o.value(i, f), e.t.value(i, f)
	hasO, hasT := e.o.has(i), e.t.has(i)
	switch {
	case hasO && hasT:
		ours, theirs, base := e.o.given(i, f), e.t.given(i, f), e.b.given(i, f)
		return b, ours.completed(theirs, base).value, theirs.completed(ours, base).value
	case hasO:
		return b, o, o
	case hasT:
		return b, t, t
	}
	return b, b, b
}

// given is a value in the target's shape, and the shape that it had before.
type given struct {
	value    entity.Value
	from, to *entity.Shape
}

func (v *view) given(i int, f *entity.Field) given {
	g := given{value: v.value(i, f), from: &f.Shape, to: &f.Shape}
	if v.shapes != nil {
		g.from = v.shapes[i] // nil: nothing of it is known
	}
	return g
}

// has reports whether there was a value of member i of a struct.
func (g given) has(i int) bool { return !g.value.IsNull() && g.member(i) != nil }

// member returns what member i of a struct was before, nil if it was not.
func (g given) member(i int) *entity.Field {
	switch g.from {
	case nil:
		return nil
	case g.to:
		return g.to.Fields[i]
	}
	at := slices.IndexFunc(g.from.Fields, func(f *entity.Field) bool { return memberIndex(g.to, f) == i })
	if at < 0 {
		return nil
	}
	return g.from.Fields[at]
}

// memberIndex returns the member of a struct that has a value of f, as
// entity.Widen finds it.
func memberIndex(s *entity.Shape, f *entity.Field) int {
	for _, name := range []string{f.Name, f.Successor} {
		if i := slices.IndexFunc(s.Fields, func(m *entity.Field) bool { return m.Name == name }); i >= 0 {
			return i
		}
	}
	return -1
}

// at returns member i of a struct.
func (g given) at(i int) given {
	from := g.member(i)
	to := &g.to.Fields[i].Shape
	if from == nil {
		return given{to.Zero(), nil, to}
	}
	return given{g.value.Items()[i], &from.Shape, to}
}

// element returns element i of a list.
func (g given) element(i int) given {
	e := given{value: g.value.Items()[i], to: g.to.Of}
	if g.from != nil {
		e.from = g.from.Of
	}
	return e
}

// completed returns g with what it lacks, taken from the first of the others
// that has it.
func (g given) completed(others ...given) given {
	others = slices.DeleteFunc(others, func(o given) bool { return o.from == nil || o.value.IsNull() })
	if g.from == g.to || g.value.IsNull() || len(others) == 0 {
		return g
	}
	switch g.to.Kind {
	case entity.KindStruct:
		return g.completedStruct(others)
	case entity.KindArray:
		return g.completedArray(others)
	}
	return g
}

func (g given) completedStruct(others []given) given {
	members := slices.Clone(g.value.Items())
	for i := range members {
		var from []given
		for _, o := range others {
			if o.has(i) {
				from = append(from, o.at(i))
			}
		}
		switch {
		case g.has(i):
			members[i] = g.at(i).completed(from...).value
		case len(from) > 0:
			members[i] = from[0].value
		}
	}
	g.value = entity.NewStruct(members)
	return g
}

func (g given) completedArray(others []given) given {
	if g.to.Of.Kind != entity.KindStruct && !g.to.Of.Kind.IsList() {
		return g
	}
	items := slices.Clone(g.value.Items())
	pairs := make([][]int, len(others))
	for n, o := range others {
		pairs[n] = g.pair(o)
	}
	for i := range items {
		var from []given
		for n, o := range others {
			if at := pairs[n][i]; at >= 0 {
				from = append(from, o.element(at))
			}
		}
		items[i] = g.element(i).completed(from...).value
	}
	g.value = entity.NewList(entity.KindArray, items)
	return g
}

// pair returns for each element of an array that of the other's that it is a
// version of, -1 where there is none: by key; else, in order, one that is the
// same in all that both have; else that at its place, if none came or went.
func (g given) pair(o given) []int {
	key := g.to.KeyIndex()
	same := func(i, j int) bool { return g.element(i).agrees(o.element(j)) }
	if key >= 0 {
		same = func(i, j int) bool {
			a, b := g.element(i), o.element(j)
			return a.has(key) && b.has(key) && a.at(key).value.Equal(b.at(key).value)
		}
	}
	out := make([]int, len(g.value.Items()))
	used := make([]bool, len(o.value.Items()))
	for i := range out {
		out[i] = -1
		for j := range used {
			if !used[j] && same(i, j) {
				out[i], used[j] = j, true
				break
			}
		}
	}
	for i := range out {
		if key < 0 && out[i] < 0 && len(out) == len(used) && !used[i] {
			out[i], used[i] = i, true
		}
	}
	return out
}

// agrees reports whether two values are the same in all that both have.
func (g given) agrees(o given) bool {
	if g.value.IsNull() || o.value.IsNull() || g.to.Kind != entity.KindStruct {
		return g.value.Equal(o.value)
	}
	for i := range g.to.Fields {
		if g.has(i) && o.has(i) && !g.at(i).agrees(o.at(i)) {
			return false
		}
	}
	return true
}

// declared returns the shapes that a type declares for fields of a name.
func declared(t *entity.Type, name string) (shapes []*entity.Shape) {
	for _, f := range t.Fields {
		if f.Name == name {
			shapes = append(shapes, &f.Shape)
		}
	}
	return shapes
}

// linked returns a shape whose structs' members have the successors that a
// declaration gives them. It is s itself where there are none.
func linked(s *entity.Shape, by []*entity.Shape) *entity.Shape {
	switch {
	case s.Kind == entity.KindStruct:
		return linkedStruct(s, by)
	case s.Kind.IsList():
		var of []*entity.Shape
		for _, d := range by {
			if d.Of != nil {
				of = append(of, d.Of)
			}
		}
		if l := linked(s.Of, of); l != s.Of {
			c := *s
			c.Of = l
			return &c
		}
	}
	return s
}

func linkedStruct(s *entity.Shape, by []*entity.Shape) *entity.Shape {
	out := s
	for i, f := range s.Fields {
		l := linkedMember(f, by)
		if l == f {
			continue
		}
		if out == s {
			c := *s
			c.Fields = slices.Clone(s.Fields)
			out = &c
		}
		out.Fields[i] = l
	}
	return out
}

func linkedMember(f *entity.Field, by []*entity.Shape) *entity.Field {
	next := f.Successor
	var inner []*entity.Shape
	for _, d := range by {
		for _, m := range d.Fields {
			if m.Name != f.Name {
				continue
			}
			inner = append(inner, &m.Shape)
			if next == "" {
				next = m.Successor
			}
		}
	}
	shape := linked(&f.Shape, inner)
	if next == f.Successor && shape == &f.Shape {
		return f
	}
	c := *f
	c.Shape, c.Successor = *shape, next
	return &c
}
