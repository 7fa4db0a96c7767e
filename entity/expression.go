package entity

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm"
)

// Expression is a compiled expression over one entity, in the language of
// github.com/expr-lang/expr. It sees the entity's fields by name (a name with
// dots as nested members), and id, type and revision. field("any name") reads
// a field whose name is no identifier, has("any name") tells whether it is
// there. Vectors have x, y, z, w; matrices are lists of their 12 or 16 numbers, row
// by row; enums are their names; flags are lists of
// names; absent values are nil.
type Expression struct {
	source  string
	program *vm.Program
}

// CompileExpression compiles source; constants are folded once, here.
func CompileExpression(source string) (*Expression, error) {
	options := append([]expr.Option{expr.Env(map[string]any{}), expr.AllowUndefinedVariables()}, mathematics...)
	for _, name := range fieldsLikeFunctions(source) {
		options = append(options, expr.DisableBuiltin(name))
	}
	program, err := expr.Compile(source, options...)
	if err != nil {
		return nil, expressionError(source, err)
	}
	return &Expression{source: source, program: program}, nil
}

var (
	word      = regexp.MustCompile(`[A-Za-z_]\w*\s*\(?`)
	functions = func() map[string]bool {
		names := make(map[string]bool)
		for _, name := range builtin.Names {
			names[name] = true
		}
		return names
	}()
)

// fieldsLikeFunctions returns the names of the language's own functions that
// stand in source without being called: there they are fields (count, map,
// type).
func fieldsLikeFunctions(source string) (names []string) {
	called := make(map[string]bool)
	for _, w := range word.FindAllString(source, -1) {
		if name, ok := strings.CutSuffix(w, "("); ok {
			called[strings.TrimSpace(name)] = true
		}
	}
	for _, w := range word.FindAllString(source, -1) {
		if name := strings.TrimSpace(w); functions[name] && !called[name] {
			names = append(names, name)
		}
	}
	return names
}

// expressionError keeps of the library's message what comes before the source
// and a caret below it.
func expressionError(source string, err error) error {
	reason, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("expression %q: %s", clip(source), reason)
}

// String returns the source.
func (x *Expression) String() string { return x.source }

// Evaluate returns the expression's value for the entity.
func (x *Expression) Evaluate(e *Entity) (any, error) {
	v, err := expr.Run(x.program, environment(e))
	if err != nil {
		return nil, fmt.Errorf("expression %q on %s: %w", clip(x.source), e, err)
	}
	return v, nil
}

// Holds reports whether the condition is true of the entity. One that cannot
// be evaluated, or gives nil, holds unless it is false: in doubt a field is
// saved.
func (x *Expression) Holds(e *Entity) bool {
	v, err := x.Evaluate(e)
	if err != nil {
		return true
	}
	b, ok := v.(bool)
	return b || !ok
}

// Is reports whether the condition is true of the entity. One that cannot be
// evaluated, or gives something else, is not: in doubt a change counts.
func (x *Expression) Is(e *Entity) bool {
	if x == nil {
		return false
	}
	v, err := x.Evaluate(e)
	b, ok := v.(bool)
	return err == nil && ok && b
}

// expression compiles an expression of the type's, once. The caller has mu.
func (t *Type) expression(source string) (*Expression, error) {
	if x, ok := t.expressions[source]; ok {
		return x, nil
	}
	x, err := CompileExpression(source)
	if err != nil {
		return nil, err
	}
	if t.expressions == nil {
		t.expressions = make(map[string]*Expression)
	}
	t.expressions[source] = x
	return x, nil
}

// environment returns what an expression sees of an entity.
func environment(e *Entity) map[string]any {
	env := map[string]any{
		"id": int(e.ID), "type": e.Type(), "revision": int(e.Revision()),
		"field": func(name string) any { return e.Plain(name) },
		"has":   func(name string) bool { return !e.Value(name).IsNull() },
	}
	for i, f := range e.Layout.Fields {
		nest(env, f.Name, plainValue(&f.Shape, e.Values[i]))
	}
	if _, taken := env["pi"]; !taken {
		env["pi"] = math.Pi
	}
	return env
}

// Plain returns the value of a field as expressions have it, nil where it is
// absent or there is no such field.
func (e *Entity) Plain(name string) any {
	i := e.Layout.Index(name)
	if i < 0 {
		return nil
	}
	return plainValue(&e.Layout.Fields[i].Shape, e.Values[i])
}

// nest puts v at a dotted path, unless another field already stands in the way.
func nest(env map[string]any, path string, v any) {
	head, rest, dotted := strings.Cut(path, ".")
	if !dotted {
		if _, taken := env[head]; !taken {
			env[head] = v
		}
		return
	}
	inner, ok := env[head].(map[string]any)
	if !ok {
		if _, taken := env[head]; taken {
			return
		}
		inner = make(map[string]any)
		env[head] = inner
	}
	nest(inner, rest, v)
}

var componentNames = [4]string{"x", "y", "z", "w"}

// plainValue returns v as the expression language has it.
func plainValue(s *Shape, v Value) any {
	switch k := v.Kind(); {
	case k == KindNull:
		return nil
	case k == KindBool:
		return v.Bool()
	case k == KindEnum:
		if name, ok := s.NameOf(v.Int()); ok {
			return name
		}
		return int(v.Int())
	case k == KindFlags:
		return flagNames(s, v)
	case k.IsSigned():
		return int(v.Int())
	case k.IsUnsigned():
		return int(v.Uint())
	case k == KindF32:
		return float64(math.Float32frombits(v.F32()))
	case k == KindF64:
		return math.Float64frombits(v.F64())
	case k.IsMatrix():
		items := make([]any, k.Components())
		for i := range items {
			items[i] = float64(math.Float32frombits(v.Component(i)))
		}
		return items
	case k.Components() > 0:
		m := make(map[string]any, 4)
		for i := range k.Components() {
			m[componentNames[i]] = float64(math.Float32frombits(v.Component(i)))
		}
		return m
	case k == KindGUID:
		g := v.GUID()
		return fmt.Sprintf("%x-%x-%x-%x-%x", g[:4], g[4:6], g[6:8], g[8:10], g[10:])
	case k.IsList():
		items := make([]any, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = plainValue(s.Of, item)
		}
		return items
	case k == KindStruct:
		m := make(map[string]any, len(s.Fields))
		for i, f := range s.Fields {
			m[f.Name] = plainValue(&f.Shape, v.Items()[i])
		}
		return m
	}
	return v.Text()
}

func flagNames(s *Shape, v Value) []any {
	names := []any{}
	for bit := range int64(64) {
		if v.Uint()>>bit&1 == 0 {
			continue
		}
		if name, ok := s.NameOf(bit); ok {
			names = append(names, name)
		} else {
			names = append(names, int(bit))
		}
	}
	return names
}
