package expression

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/spelling"
)

// Misnamed is a name in an expression that stands for nothing in a world: what has it is
// nil for every entity, so the expression never says what was meant.
type Misnamed struct {
	Name string   // as it stands there; of a path as far as to what is wrong
	What string   // "field", "member" or "type"
	Near []string // the names that there are in its place
	of   string   // what has no such name, "" for all types
}

// String returns the name for people, with the one that may have been meant.
func (m Misnamed) String() string {
	last := m.Name[strings.LastIndex(m.Name, ".")+1:]
	meant := spelling.DidYouMean(m.Name, slices.Values(m.Near))
	if meant == "" {
		meant = spelling.DidYouMean(last, slices.Values(m.Near))
	}
	switch {
	case m.What == "type":
		return "there is no type " + m.Name + meant
	case m.of != "":
		return fmt.Sprintf("%s has no %s %s%s", m.of, m.What, m.Name, meant)
	}
	return fmt.Sprintf("no type has a %s %s%s", m.What, m.Name, meant)
}

// Misnamed returns the names in the expression, each once, that no revision of any of the
// selected types has, or that nothing in the world has, whose types are all. It knows a
// field by itself, in a path, behind a ref and in field("any name"), members of structs, and
// types that type is compared with. What a type that is not known here has is not known.
func (x *Program) Misnamed(selected, all *entity.Types) []Misnamed {
	c := nameCheck{selected: fieldNames(selected), all: fieldNames(all), types: all, own: x.compiled.own}
	c.fieldsOf = selected
	for _, name := range x.Undeclared(selected) {
		if name == "null" { // as JSON calls nil; it is that
			continue
		}
		c.add(Misnamed{Name: name, What: "field", Near: c.selected, of: subjectOf(selected, all)})
	}
	ast.Walk(&x.compiled.tree, &c)
	return c.found
}

// MisnamedField is Misnamed of a name or a path alone, as an assignment has before its =,
// nil if it may be right. A field may have any name; a path begins with that of one.
func MisnamedField(path string, selected, all *entity.Types) *Misnamed {
	for _, t := range selected.All() {
		for _, f := range t.Fields {
			rest, ok := strings.CutPrefix(path, f.Name)
			if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') || strings.HasPrefix(f.Name, path+".") {
				return nil
			}
		}
	}
	name := path
	if i := strings.IndexAny(path, ".["); i > 0 {
		name = path[:i]
	}
	near := fieldNames(selected)
	if slices.Contains(near, name) {
		name = path // of several fields that have that before a dot, it is none
	}
	return &Misnamed{Name: name, What: "field", Near: near, of: subjectOf(selected, all)}
}

// subjectOf returns what has no such field: the types, where they are not all of them.
func subjectOf(selected, all *entity.Types) string {
	if selected.Len() == all.Len() || selected.Len() == 0 {
		return ""
	}
	var names []string
	for _, t := range selected.All() {
		names = append(names, t.Name)
	}
	return strings.Join(names, " or ")
}

// fieldNames returns what fields of types may be called in an expression.
func fieldNames(types *entity.Types) []string {
	return spelling.Sorted(func(yield func(string) bool) {
		for _, name := range []string{"id", "type", "revision"} {
			if !yield(name) {
				return
			}
		}
		for _, t := range types.All() {
			for _, f := range t.Fields {
				first, _, _ := strings.Cut(f.Name, ".")
				if !yield(first) || !yield(f.Name) {
					return
				}
			}
		}
	})
}

// nameCheck looks for names that stand for nothing.
type nameCheck struct {
	selected, all   []string // names of fields
	types, fieldsOf *entity.Types
	own             []string // names that are the expression's own
	found           []Misnamed
}

func (c *nameCheck) add(m Misnamed) {
	if !slices.ContainsFunc(c.found, func(o Misnamed) bool { return o.Name == m.Name && o.What == m.What }) {
		c.found = append(c.found, m)
	}
}

// Visit implements ast.Visitor.
func (c *nameCheck) Visit(node *ast.Node) {
	n, ok := (*node).(*ast.CallNode)
	if !ok || len(n.Arguments) < 2 {
		return
	}
	switch called(n) {
	case "path":
		c.path(n.Arguments[1], n.Arguments[2:])
	case "call field":
		x, _ := constantOf(n.Arguments[1])
		if name, ok := x.(string); ok && !slices.Contains(c.selected, name) {
			c.add(Misnamed{Name: name, What: "field", Near: c.selected})
		}
	case "equal", "in":
		if len(n.Arguments) == 3 {
			c.compared(n.Arguments[1], n.Arguments[2])
			c.compared(n.Arguments[2], n.Arguments[1])
		}
	}
}

// compared looks for types that there are not and type is compared with.
func (c *nameCheck) compared(of, with ast.Node) {
	start, ok := of.(*ast.IdentifierNode)
	if !ok || start.Value != "type" || slices.Contains(c.own, "type") {
		return
	}
	x, _ := constantOf(with)
	items := []any{x}
	if among, ok := x.(*choices); ok {
		items = among.items
	}
	for _, item := range items {
		name, ok := item.(string)
		if ok && c.types.Get(name) == nil {
			c.add(Misnamed{Name: name, What: "type", Near: slices.Collect(c.types.Names())})
		}
	}
}

// path looks at a path that begins with a field.
func (c *nameCheck) path(base ast.Node, keys []ast.Node) {
	start, ok := base.(*ast.IdentifierNode)
	if !ok || slices.Contains(c.own, start.Value) || !slices.Contains(c.selected, start.Value) {
		return
	}
	c.steps(c.fieldsOf, c.selected, "", append([]string{start.Value}, constantSteps(keys)...))
}

// steps looks at a path in entities of types, whose fields have the names: one of the
// types has it, or it stands for nothing. before is what leads to the entities.
func (c *nameCheck) steps(types *entity.Types, names []string, before string, steps []string) {
	var wrong *Misnamed
	for _, t := range types.All() {
		for _, f := range t.Fields {
			rest, ok := behind(f.Name, steps)
			if !ok && leadsTo(f.Name, steps) {
				return
			}
			if !ok {
				continue
			}
			m := c.members(&f.Shape, before+f.Name, rest)
			if m == nil {
				return
			}
			wrong = m
		}
	}
	if wrong == nil {
		wrong = &Misnamed{Name: before + strings.Join(steps[:min(len(steps), 2)], "."), What: "field", Near: names}
	}
	c.add(*wrong)
}

// leadsTo reports whether steps are the beginning of a field's name, up to a dot.
func leadsTo(name string, steps []string) bool {
	parts := strings.Split(name, ".")
	return len(steps) < len(parts) && slices.Equal(parts[:len(steps)], steps)
}

// members looks at what comes behind a field in a path.
func (c *nameCheck) members(s *entity.Shape, at string, steps []string) *Misnamed {
	for i, step := range steps {
		switch {
		case step == "":
			return nil // it is calculated, or a place
		case s.Kind == entity.KindRef:
			return c.behindRef(at+".", steps[i:])
		case s.Kind != entity.KindStruct:
			return nil
		}
		m := memberOf(s, step)
		if m == nil {
			return &Misnamed{Name: at + "." + step, What: "member", Near: membersOf(s)}
		}
		s, at = m, at+"."+step
	}
	return nil
}

func membersOf(s *entity.Shape) (names []string) {
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	return names
}

// behindRef looks at a path in the entity that a ref leads to, which may be of any type.
func (c *nameCheck) behindRef(before string, steps []string) *Misnamed {
	if !slices.Contains(c.all, steps[0]) {
		return &Misnamed{Name: before + steps[0], What: "field", Near: c.all}
	}
	if slices.Contains([]string{"id", "type", "revision"}, steps[0]) {
		return nil
	}
	inner := nameCheck{all: c.all, types: c.types}
	inner.steps(c.types, c.all, before, steps)
	if len(inner.found) > 0 {
		return &inner.found[0]
	}
	return nil
}
