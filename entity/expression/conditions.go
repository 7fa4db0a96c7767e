package expression

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/worldfs/worldfs/entity"
	_ "github.com/worldfs/worldfs/entity/formula" // checks the expressions in data
)

func init() { entity.RegisterConditions(condition) }

// condition compiles a condition of a type's. What is known only now to be wrong
// with it, as a function that there is not, makes it one that cannot be
// evaluated, which it has always been: the type goes on being read. See
// CheckConditions.
func condition(source string) (entity.Condition, error) {
	x, err := newProgram(source, &rewriter{})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// CheckConditions returns what is wrong with the conditions of a type that is
// valid: each reads but one entity's own values, so that one text gives one
// pack, and one that asks for more cannot be evaluated.
func CheckConditions(t *entity.Type) (problems []*entity.FieldError) {
	eachField(t, func(name string, f *entity.Field) {
		for _, source := range []string{f.SaveWhen, f.InsignificantWhen} {
			if source == "" {
				continue
			}
			x, err := Compile(source)
			if err == nil {
				err = checkCondition(t, x)
			}
			if err != nil {
				problems = append(problems, &entity.FieldError{Subject: "type " + strconv.Quote(clip(t.Name)), Field: name, Reason: err.Error()})
			}
		}
	})
	return problems
}

// eachField calls do with every field and member, members' names after dots.
func eachField(t *entity.Type, do func(name string, f *entity.Field)) {
	var each func(path string, fields []*entity.Field)
	each = func(path string, fields []*entity.Field) {
		for _, f := range fields {
			do(path+f.Name, f)
			s := &f.Shape
			for s.Of != nil {
				s = s.Of
			}
			each(path+f.Name+".", s.Fields)
		}
	}
	each("", t.Fields)
}

func checkCondition(t *entity.Type, x *Program) error {
	c := conditionCheck{t: t}
	ast.Walk(&x.compiled.tree, &c)
	if c.err != nil {
		return fmt.Errorf("expression %q: %w", clip(x.source), c.err)
	}
	return nil
}

// conditionCheck looks for what is not the entity's own.
type conditionCheck struct {
	t   *entity.Type
	err error
}

// Visit implements ast.Visitor.
func (c *conditionCheck) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BuiltinNode:
		if n.Name == "now" {
			c.err = errors.New("a condition cannot ask for the time: one entity would be saved in two ways")
		}
	case *ast.CallNode:
		switch called(n) {
		case "path":
			c.path(n.Arguments[1], n.Arguments[2:])
		case "call under":
			c.err = errors.New("a condition cannot ask what an entity is under: it sees the entity's own values alone")
		}
	}
}

// path looks whether a path goes on behind a ref, in each revision that has its
// field.
func (c *conditionCheck) path(base ast.Node, keys []ast.Node) {
	start, ok := base.(*ast.IdentifierNode)
	if !ok {
		return
	}
	steps, followed := append([]string{start.Value}, constantSteps(keys)...), ""
	for _, f := range c.t.Fields {
		rest, ok := behind(f.Name, steps)
		if !ok {
			continue
		}
		if followed = followedRef(&f.Shape, f.Name, rest); followed == "" {
			return
		}
	}
	if followed != "" {
		c.err = fmt.Errorf("%s is a ref, which a condition cannot follow: it sees the entity's own values alone", followed)
	}
}

// constantSteps returns the names in a path, "" for what is no constant name.
func constantSteps(keys []ast.Node) (steps []string) {
	for _, k := range keys {
		x, _ := constantOf(k)
		if x == (maybe{}) {
			continue
		}
		name, _ := x.(string)
		steps = append(steps, name)
	}
	return steps
}

// behind returns the steps that come behind a field's name, dots and all.
func behind(name string, steps []string) (rest []string, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) > len(steps) {
		return nil, false
	}
	for i, part := range parts {
		if steps[i] != part {
			return nil, false
		}
	}
	return steps[len(parts):], true
}

// followedRef returns the ref that a path follows which begins with a field, ""
// if there is none.
func followedRef(s *entity.Shape, name string, steps []string) string {
	for _, step := range steps {
		switch {
		case s.Kind == entity.KindRef:
			return name
		case s.Of != nil:
			s, name = s.Of, name+"[…]"
		case s.Kind == entity.KindStruct && memberOf(s, step) != nil:
			s, name = memberOf(s, step), name+"."+step
		default:
			return ""
		}
	}
	return ""
}

// memberOf returns the shape of a struct's member, nil if it has none of that name.
func memberOf(s *entity.Shape, name string) *entity.Shape {
	for _, f := range s.Fields {
		if f.Name == name {
			return &f.Shape
		}
	}
	return nil
}
