package expression_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/entity/expression"
)

func TestVectorsCalculate(t *testing.T) {
	e := panel()
	for _, source := range []string{
		"Transform.pos + [0, 0, 1] == [1, 2, 4]", "[0, 0, 1] + Transform.pos == [1, 2, 4]", "Transform.pos - Transform.pos == [0, 0, 0]",
		"2 * Transform.pos == Transform.pos * 2", "Transform.pos / 2 == [0.5, 1, 1.5]", "-Transform.pos == [-1, -2, -3]", "+Transform.pos == Transform.pos",
		"(Transform.pos + [1, 1, 1]).z == 4", "(Transform.pos * 2)[0] == 2", "Transform.pos[-1] == 3", "Transform.pos == {x: 1, y: 2, z: 3}",
		"Transform.pos != [1, 2]", "len(Transform.pos) == 3", "sum(Transform.pos) == 6", "max(Transform.pos) == 3", "map(Transform.pos, # * 2) == [2, 4, 6]",
		"length([3, 4]) == 5", "distance(Transform.pos, [1, 2, 0]) == 3", "dot(Transform.pos, [1, 1, 1]) == 6", "cross([1, 0, 0], [0, 1, 0]) == [0, 0, 1]",
		`"z" in Transform.pos && "w" not in Transform.pos && 2 in Transform.pos`, "Transform.pos in [[1, 2, 3]]", `get(Transform.pos, "y") == 2`,
	} {
		holds(t, e, source)
	}
	for source, reason := range map[string]string{
		"Transform.pos + light.colour":  "+ of 3 components and 2",
		"Transform.pos + [1, 2]":        "+ of 3 components and 2",
		"Transform.pos * Transform.pos": "* cannot be of a vector of 3 components and a vector of 3 components",
		"Transform.pos + 1":             "+ cannot be of a vector of 3 components and the number 1",
		"1 / Transform.pos":             "/ cannot be of",
		"Transform.pos + nil":           "there is no value",
		"Transform.pos < [1, 2, 3]":     "< cannot be of",
		"counts + [1]":                  "concat() joins lists",
		"Transform.pos.w":               "there is no w in",
		"dot(Transform.pos, [1])":       "dot of 3 components and 1",
	} {
		_, err := evaluate(t, e, source)
		require.ErrorContains(t, err, reason, source)
	}
}

// Matrices add up, and take a number.
func TestMatricesCalculate(t *testing.T) {
	n := node()
	holds(t, n, "(world + world)[3] == 2 * world[3] && (world * 2 - world) == world && len(world / 2) == 16")
	x, err := evaluate(t, n, "local * 2")
	require.NoError(t, err)
	twice, err := expression.Assign(n, "local", x)
	require.NoError(t, err)
	require.Equal(t, entity.F32Of(2).F32(), twice.Value("local").Component(0))
	half, err := expression.Assign(n, "local[3]", 0.5)
	require.NoError(t, err)
	require.Equal(t, entity.F32Of(0.5).F32(), half.Value("local").Component(3))
}

// Components are calculated in f64 and rounded once.
func TestVectorsAreRoundedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SliceOfN(rapid.Float32Range(-1e6, 1e6), 3, 3).Draw(t, "components")
		by := rapid.Float64Range(-1e3, 1e3).Draw(t, "by")
		if by == 0 {
			by = 0 // -0 is written as an integer's 0 is
		}
		e := panel()
		e.Values[0] = entity.VecOf(entity.KindVec3, c...)
		x, err := evaluate(t, e, fmt.Sprintf("Transform.pos * %v + Transform.pos", by))
		require.NoError(t, err)
		n, err := expression.Assign(e, "Transform.pos", x)
		require.NoError(t, err)
		for i, f := range c {
			product := float64(f) * by
			require.Equal(t, math.Float32bits(float32(product+float64(f))), n.Values[0].Component(i))
		}
	})
}

func floats(bits32 uint32, bits64 uint64) *entity.Entity {
	typ := &entity.Type{Name: "Floats", Revision: 1, Fields: []*entity.Field{
		{Name: "a", Shape: entity.Shape{Kind: entity.KindF32}},
		{Name: "b", Shape: entity.Shape{Kind: entity.KindF32}},
		{Name: "c", Shape: entity.Shape{Kind: entity.KindF64}},
		{Name: "d", Shape: entity.Shape{Kind: entity.KindF64}},
		{Name: "v", Shape: entity.Shape{Kind: entity.KindVec2}},
	}}
	e := entity.New(1, typ.Current())
	e.Values[0], e.Values[2] = entity.NewF32(bits32), entity.NewF64(bits64)
	e.Values[4] = entity.NewVec(entity.KindVec2, [4]uint32{bits32, 0x3f800000})
	return e
}

// What is copied keeps its bits, those of a signalling NaN too; what is computed
// is one NaN, whatever the processor makes.
func TestNaNsAreCopiedOrComputed(t *testing.T) {
	set := func(e *entity.Entity, path, source string) entity.Value {
		x, err := evaluate(t, e, source)
		require.NoError(t, err, source)
		n, err := expression.Assign(e, path, x)
		require.NoError(t, err, source)
		return n.Value(path)
	}
	rapid.Check(t, func(t *rapid.T) {
		e := floats(entitytest.F32Bits().Draw(t, "f32"), entitytest.F64Bits().Draw(t, "f64"))
		for _, source := range []string{"a", "v.x", "v[0]", "id > 0 ? a : 1", "a ?? 1", "[a, 1][0]", `field("a")`, "let n = a; n", "+a", "float(a)", "{n: a}.n", "first(v)", "map(v, #)[0]"} {
			require.Equal(t, e.Value("a").F32(), set(e, "b", source).F32(), source)
		}
		require.Equal(t, e.Value("c").F64(), set(e, "d", "c").F64())
		require.Equal(t, e.Value("v"), set(e, "v", "v"))
		require.Equal(t, e.Value("v"), set(e, "v", "[a, 1]"))
		if a := math.Float32frombits(e.Value("a").F32()); a != a {
			wide := floats(e.Value("a").F32(), set(e, "c", "a").F64())
			require.Equal(t, e.Value("a").F32(), set(wide, "b", "c").F32(), "there and back")
		}
	})
	for _, bits := range []uint32{0x7f800001, 0x7fc12345, 0xffc00000, 0xffffffff, 0x7f800000} {
		e := floats(bits, uint64(bits)<<32|0xfff<<52)
		e.Values[4] = entity.NewVec(entity.KindVec2, [4]uint32{bits, bits})
		for _, source := range []string{"a - a", "-a * 0", "c - c", "a - (a + 1)", "sqrt(-1)", "v.x - v.y", "log(-2) + 1", "abs(sqrt(-1))", "-sqrt(-1)", "sum([a, -a])"} {
			require.Equal(t, uint32(0x7fc00000), set(e, "b", source).F32(), source)
			require.Equal(t, uint64(0x7ff8000000000000), set(e, "d", source).F64(), source)
		}
		require.Equal(t, uint32(0x7fc00000), set(e, "v", "v - v").Component(1))
	}
	require.Equal(t, uint32(0x7fc00000), set(floats(0, 0x7ff8000000000001), "b", "c").F32(), "a payload that f32 has no room for")
}

// An infinity or NaN that is made of numbers is told; one that was there is not.
func TestWhatIsNoLongerFiniteIsTold(t *testing.T) {
	e := floats(0x40000000, 0x7ff0000000000000) // 2, infinity
	for source, want := range map[string]bool{
		"a / 0": true, "a / 0.0": true, "-a / 0": true, "(a - 2) / 0": true, "v / 0": true, "[1, a / 0]": true, "1.0 / 0": true,
		"sqrt(-a)": true, "log(a - 2)": true, "c": false, "c * 2": false, "c - c": false, "v * c": false, "a": false,
		"a / 0 > 5 ? 1 : 2": false, "1e308 * 10": true, "pow(10, 400)": true, "10 ** 400": true,
	} {
		x, err := expression.Compile(source)
		require.NoError(t, err)
		_, nonFinite, err := x.Calculate(e)
		require.NoError(t, err, source)
		require.Equal(t, want, nonFinite, source)
	}
}

func TestFieldsMayHaveTheNamesOfFunctions(t *testing.T) {
	var fields []*entity.Field
	for _, name := range []string{"log", "count", "max", "field", "length", "all", "now", "pi"} {
		fields = append(fields, &entity.Field{Name: name, Shape: entity.Shape{Kind: entity.KindBool}})
	}
	e := entity.New(1, (&entity.Type{Name: "T", Revision: 1, Fields: fields}).Current())
	for _, f := range fields {
		holds(t, e, "!"+f.Name)
		holds(t, e, f.Name+" ? false : true")
		holds(t, e, "("+f.Name+" || true) && $env."+f.Name+" == false")
	}
}

func TestPathsThatEndEarly(t *testing.T) {
	e := panel()
	for _, source := range []string{
		"light?.watts == 0", "nothing?.watts == nil", "nothing?.watts.x == nil", "(nothing?.watts ?? 7) > 5", "note?.x == nil",
		"nothing?.[0] == nil", "get(nothing, 0) == nil", "light.nothing == nil", "lamps[-1].name == \"b\"", "lamps[1]?.at?.x == 0",
		"filter(lamps, .name == \"b\")[0].at.y == 0", "first(targets)?.x == nil", "counts[1:] == [6, 7]", "note in [nil]", "len(entity_type ?? []) == 0",
	} {
		holds(t, e, source)
	}
	for source, reason := range map[string]string{
		"nothing.watts": "there is no value to read watts of", "counts[3]": "index out of range: [3] of 3", "counts.x": "there is no x",
		"radius.x": "there is no x in the float 2", "counts[18446744073709551615]": "index out of range", `!note`: "there is no value",
		"radius && true": "neither true nor false", "note + 1": "there is no value", `"a" + 1`: "+ cannot be of a text and the number 1",
	} {
		x, err := expression.Compile(source)
		if err == nil {
			_, err = x.Evaluate(e)
		}
		require.ErrorContains(t, err, reason, source)
		require.NotContains(t, err.Error(), "\n")
	}
}

// Nothing that a source says takes long, or much memory, or ends the process.
func TestExpressionsAreBounded(t *testing.T) {
	nest := func(open, inner, shut string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	e := panel()
	for _, source := range []string{
		`1..1000000000`, `-9000000000000000000..9000000000000000000`, `repeat("a", 1000000000)`, `repeat(repeat("a", 10000), 1000000)`,
		`reduce(1..60, #acc + #acc, "aaaa")`, `reduce(1..60, concat(#acc, #acc), [1])`, `reduce(1..40, [#acc, #acc], 1) == reduce(1..40, [#acc, #acc], 1)`,
		`string(reduce(1..40, [#acc, #acc], 1))`, `toJSON(reduce(1..40, [#acc, #acc], 1))`, `flatten(reduce(1..40, [#acc, #acc], 1))`,
		`min(reduce(1..40, [#acc, #acc], 1))`, `let r = 1..900000; count(r, any(r, any(r, # < 0)))`, `let s = repeat("a", 1000000); replace(s, "a", s)`,
		`join(map(1..100000, repeat("a", 1000)), "b")`, `let s = repeat("ab", 1000000); count(1..100000, s matches "x" || s contains "y")`,
		`let r = 1..100000; uniq(r)`, `let r = 1..900000; count(r, # in r)`, `string(reduce(1..100000, [#acc], 1))`,
		`let a = reduce(1..100000, [#acc], 1); let b = reduce(1..100000, [#acc], 2); a == b`, `split(repeat("a", 60000000), "")`,
		nest("(", "1", ")", 30000), nest("[", "1", "]", 30000), nest("-", "1", "", 30000), nest("!", "true", "", 30000), nest("1 < (", "1", ") < 2", 60),
		strings.Repeat("1 + ", 60000) + "1", strings.Repeat("a ? b : ", 30000) + "1", strings.Repeat("x", 1<<20),
	} {
		x, err := expression.Compile(source)
		if err == nil {
			_, err = x.Evaluate(e)
		}
		require.Error(t, err, "%.100s", source)
		require.Less(t, len(err.Error()), 400)
	}
	for _, source := range []string{"all(1..9, # > 0)", "let r = 1..9; any(r, true)", `len("a")`, "now()", "[1, 2] | sum()"} {
		_, err := expression.Compute(source)
		require.Error(t, err, source)
	}
}

// The bits are those on amd64. Each of these was another number on arm64, or on an amd64 of
// another kind, while it came from package math.
func TestFunctionsHaveTheSameBitsEverywhere(t *testing.T) {
	for source, want := range map[string]uint64{
		"sin(-0.33855342864990234)":                       0xbfd54180c0468502,
		"cos(812.7341461181641)":                          0xbfe2ea71e16085da,
		"tan(-50.96656322479248)":                         0xbfeb032cd17f8e09,
		"asin(57.440537452697754 / 64)":                   0x3ff1d34c9261df74,
		"acos(57.440537452697754 / 64)":                   0x3fdd3abb07893693,
		"atan(-0.49758148193359375)":                      0xbfdd8cabf90e35a3,
		"atan2(-117, 230.34020137786865)":                 0xbfde1432fc106301,
		"exp(-4.694677352905273 / 64)":                    0x3fedbc979572d831,
		"log(2.5572729110717773)":                         0x3fee0bcee150fb3d,
		"hypot(-50.96656322479248, -69.85713958740234)":   0x40559e488c7ef9c7,
		"0.556513786315918 ** (-106 / 64)":                0x40051e1df966f254,
		"pow(0.556513786315918, -106 / 64)":               0x40051e1df966f254,
		"length([-50.96656322479248, 69.85713958740234])": 0x40559e488c7ef9c7,
	} {
		got, err := expression.Compute(source)
		require.NoError(t, err, source)
		assert.Equal(t, fmt.Sprintf("%#x", want), fmt.Sprintf("%#x", math.Float64bits(got.(float64))), source)
	}
}
