package expression

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// ValueAt returns what stands at a path in an entity, as position.z, links[-1].to or
// map.size, and its shape: the very value, where an expression calculates with it. A path
// that goes on behind a ref ends there, and rest is what comes behind the dot: a path in the
// entity that the ref is to. ok is false where nothing is at the path.
func ValueAt(e *entity.Entity, path string) (s *entity.Shape, v entity.Value, rest string, ok bool) {
	i, behind := fieldOf(e, path)
	if i < 0 {
		return nil, v, "", false
	}
	steps, err := parseSteps(behind)
	if err != nil {
		return nil, v, "", false
	}
	s, v = &e.Layout.Fields[i].Shape, e.Values[i]
	for n, step := range steps {
		if v.Kind() == entity.KindRef {
			return s, v, joinSteps(steps[n:]), true
		}
		if s, v, ok = part(s, v, step); !ok {
			return nil, v, "", false
		}
	}
	return s, v, "", true
}

// LeadsSomewhere reports whether a path leads to a value in entities of a type, at any
// revision of it. Where it goes on behind a ref, rest is what comes behind that.
func LeadsSomewhere(t *entity.Type, path string) (rest string, ok bool) {
	for _, f := range t.Fields {
		behind, begins := strings.CutPrefix(path, f.Name)
		if !begins || behind != "" && behind[0] != '.' && behind[0] != '[' {
			continue
		}
		if steps, err := parseSteps(behind); err == nil {
			if rest, ok = leads(&f.Shape, steps); ok {
				return rest, true
			}
		}
	}
	return "", false
}

// leads follows steps through shapes.
func leads(s *entity.Shape, steps []pathStep) (rest string, ok bool) {
	for n, step := range steps {
		if s.Kind == entity.KindRef {
			return joinSteps(steps[n:]), !step.indexed
		}
		if s = partShape(s, step); s == nil {
			return "", false
		}
	}
	return "", true
}

// component is the shape of a component of a vector.
var component = entity.Shape{Kind: entity.KindF32}

// partShape returns the shape of the part that a step leads to, nil where values of a
// shape have no such part.
func partShape(s *entity.Shape, step pathStep) *entity.Shape {
	switch n := s.Kind.Components(); {
	case s.Kind == entity.KindStruct && !step.indexed:
		return memberOf(s, step.name)
	case s.Kind.IsList() && step.indexed:
		return s.Of
	case n > 1:
		if _, err := componentAt(step, n); err == nil {
			return &component
		}
	}
	return nil
}

// part returns the part of a value that a step leads to.
func part(s *entity.Shape, v entity.Value, step pathStep) (of *entity.Shape, p entity.Value, ok bool) {
	if of = partShape(s, step); of == nil || v.IsNull() {
		return nil, p, false
	}
	switch {
	case v.Kind() == entity.KindStruct:
		i := slices.IndexFunc(s.Fields, func(f *entity.Field) bool { return &f.Shape == of })
		return of, v.Items()[i], true
	case v.Kind().IsList():
		i, err := step.in(len(v.Items()), "elements")
		if err != nil {
			return nil, p, false
		}
		return of, v.Items()[i], true
	}
	i, err := componentAt(step, v.Kind().Components())
	return of, entity.NewF32(v.Component(i)), err == nil
}

// componentAt returns the place of the component that a step leads to, among n.
func componentAt(step pathStep, n int) (int, error) {
	if i, named := componentNamed(step.name, n); !step.indexed && named {
		return i, nil
	}
	return step.in(n, "components")
}

// joinSteps is a path of the steps.
func joinSteps(steps []pathStep) string {
	var b strings.Builder
	for i, s := range steps {
		switch {
		case s.indexed:
			b.WriteString(s.String())
		case i > 0:
			b.WriteString("." + s.name)
		default:
			b.WriteString(s.name)
		}
	}
	return b.String()
}
