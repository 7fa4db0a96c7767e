package expression_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/entity/expression"
)

// allKinds are entities of types with fields a to h of every kind.
func allKinds() *entity.World {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	draw := rapid.Custom(func(t *rapid.T) *entity.World {
		w := entity.NewWorld(entity.GUID{}, &entity.Types{})
		for id := range entity.ID(3) {
			typ := &entity.Type{Name: "T", Revision: 1}
			for _, name := range names {
				typ.Fields = append(typ.Fields, &entity.Field{Name: name, Shape: entitytest.Shape(2).Draw(t, "shape")})
			}
			typ.Fields = append(typ.Fields, &entity.Field{Name: "r", Shape: entity.Shape{Kind: entity.KindRef}})
			e := entity.New(id+1, typ.Current())
			for i, f := range typ.Fields {
				e.Values[i] = entitytest.Value(&f.Shape).Draw(t, "value")
			}
			e.Values[len(names)] = entity.NewRef(3 - id)
			w.Put(e)
		}
		return w
	})
	return draw.Example(1)
}

// FuzzExpression compiles and evaluates anything, on entities of every kind, and
// assigns what comes out to every field.
func FuzzExpression(f *testing.F) {
	for _, source := range []string{
		"a + b * 2", "a[0].x - 1", "-a", "r.r.a", "a?.b ?? c", "a in [1, 2, b]", "count(a, # > 0)", "sum(a, #.x) / 0", "18446744073709551615 - a",
		"1..9 | map(# ** 2) | filter(# in a)", "let q = r; q.b[1:2]", "sortBy(a, string(#), \"desc\")", "groupBy([a, b], type(#))", "$env[\"a\"]",
		"a < b < c", "not (a matches \"x\") or b contains \"y\"", "toJSON(a) + string(b)", "min(a, b, [c])", "bitshl(a, b) % c", "reduce(a, #acc + #, 0)",
		"field(\"a\") == a and has(\"b\")", "if a == nil { b } else { {x: c} }", "a.x.y.z", "now() - date(\"2020-01-01\")", "dot(a, b) + length(c)", "get(a, 0)",
		"uniq(flatten([a, b, [c]]))", "replace(repeat(a, 3), \"x\", b)", "keys(a)[0]", "b\"\\xff\"[0]", "a | len()", "1 < 2 ? a : -b",
	} {
		f.Add(source)
	}
	w := allKinds()
	f.Fuzz(func(t *testing.T, source string) {
		_, _ = expression.Compute(source)
		x, err := expression.Compile(source)
		if err != nil {
			return
		}
		for e := range w.All() {
			x.Holds(e)
			v, _, err := x.In(w).Calculate(e)
			if err != nil {
				continue
			}
			_ = expression.Described(v)
			for _, field := range e.Layout.Fields {
				n, err := expression.Assign(e, field.Name, v)
				if err != nil {
					continue
				}
				if err := n.Validate(); err != nil {
					t.Fatalf("%s = %s: %v", field.Name, source, err)
				}
			}
		}
	})
}
