package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var variables = []string{"t", "x"}

func run(t require.TestingT, source string, vars ...float32) float32 {
	f, err := Parse(source, variables)
	require.NoError(t, err, source)
	code := f.Code()
	_, err = Check(code, len(variables))
	require.NoError(t, err)
	return Run(code, vars)
}

func TestWhatSourcesMean(t *testing.T) {
	for source, want := range map[string]float32{
		"0": 0, "  7 ": 7, "0x10": 16, "1.5e3": 1500, "pi": math.Pi, "-t": -2, "+x": 3,
		"t + x * 2": 8, "(t + x) * 2": 10, "t - x - 1": -2, "12 / t / x": 2, "t ** x": 8, "t ^ x": 8, "2 ** 3 ** 2": 512,
		"pow(t, 3)": 8, "sqrt(x * 12)": 6, "hypot(3, 4)": 5, "abs(t - x)": 1, "round(-2.5)": -3, "ceil(1.2)": 2, "floor(-1.2)": -2,
		"min(5, x, t)": 2, "max(5, x, t)": 5, "max(t, x)": 3, "clamp(t, 0, 1)": 1, "clamp(-t, 0, 1)": 0,
		"radians(180)": math.Pi, "degrees(pi)": 180, "exp(0)": 1, "log(1)": 0, "atan2(0, -1)": math.Pi,
		"t < x ? 10 : 20": 10, "t >= x ? 10 : 20": 20, "t != 2 ? 1 : t == 2 and not (x < 1) ? 5 : 6": 5,
		"t < 1 or x > 2 ? 1 : 0": 1, "t < 1 && x > 2 ? 1 : 0": 0, "1 < t < 3 ? 1 : 0": 1, "!(t < 1) ? 4 : 5": 4,
	} {
		assert.Equal(t, want, run(t, source, 2, 3), source)
	}
}

func TestWrongSources(t *testing.T) {
	for source, want := range map[string]string{
		"":                               "there is none",
		"sin(t":                          "unexpected token EOF",
		"sin(t) +":                       "unexpected token EOF",
		"tt + 1":                         "there is no variable tt",
		"sni(t)":                         "there is no function sni; did you mean sin?",
		"sin(t, x)":                      "sin takes 1 number, not 2",
		"min(t)":                         "min takes 2 numbers, not 1",
		"sin":                            "sin is a function: write sin(…)",
		"t < 1":                          "it is a condition",
		"t ? 1 : 2":                      `"t" is a number where ? takes a condition`,
		"(t < 1) * 2":                    "is a condition where * takes a number",
		"t % 2":                          "there is no operator %",
		`"text"`:                         "has no meaning here",
		"[t]":                            "has no meaning here",
		"t.x":                            "has no meaning here",
		"let a = 1; a":                   "has no meaning here",
		"len(t)":                         "there is no function len",
		"1e39":                           "too large for an f32",
		"99999999999999999999":           "integer",
		strings.Repeat("t+", 3000) + "t": "longer than 4096 bytes",
		strings.Repeat("t+(", 200) + "t" + strings.Repeat(")", 200): "more than 64 values at once",
		strings.Repeat("t<(", 300) + "t" + strings.Repeat(")", 300): "",
		strings.Repeat("(", 2000) + "t" + strings.Repeat(")", 1999): "",
		strings.Repeat("-", 4000):                                   "",
		"$env":                                                      "", "t\n+\n": "", "\x00": "", "\xff": "",
	} {
		_, err := Parse(source, variables)
		require.ErrorContains(t, err, want, source)
		assert.Less(t, len(err.Error()), 400, source)
		assert.NotContains(t, err.Error(), "\n")
	}
	_, err := Parse("t", nil)
	assert.ErrorContains(t, err, "the field declares none")
}

func TestNamesThatCanBeVariables(t *testing.T) {
	for _, name := range []string{"t", "x1", "_", "count", "len", "höhe", "now"} {
		assert.NoError(t, check(name, []string{name}), name)
	}
	for _, name := range []string{"", "pi", "sin", "clamp", "not", "and", "in", "let", "true", "nil", "1a", "a b", "a.b", "$a", "a-b", "(a)", " a", "a ? 1 : 2", "\n"} {
		assert.ErrorContains(t, check("0", []string{name}), "can be no variable", name)
	}
}

// trees generates formulas by their sources.
func trees(depth int) *rapid.Generator[string] {
	leaf := rapid.OneOf(
		rapid.SampledFrom([]string{"t", "x", "pi", "0", "1", "2", "0.5", "1e-40", "3e38", "1 / 0", "0 / 0", "-0"}),
		rapid.Map(rapid.Float32Range(-1000, 1000), func(f float32) string { return fmt.Sprint(f) }),
		rapid.Map(rapid.Uint32(), func(bits uint32) string { return "(" + literal(math.Float32frombits(bits)) + ")" }),
	)
	if depth == 0 {
		return leaf
	}
	below := trees(depth - 1)
	bracketed := rapid.Map(below, func(s string) string { return "(" + s + ")" })
	condition := rapid.Custom(func(t *rapid.T) string {
		op := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "op")
		c := bracketed.Draw(t, "left") + op + bracketed.Draw(t, "right")
		switch rapid.IntRange(0, 5).Draw(t, "more") {
		case 0:
			return "not (" + c + ")"
		case 1:
			return c + " and t < 1"
		case 2:
			return "x > t or " + c
		case 3:
			return c + " and 1 < 2 or 2 < 1"
		}
		return c
	})
	return rapid.OneOf(
		leaf,
		rapid.Custom(func(t *rapid.T) string {
			name := rapid.SampledFrom(Functions()).Draw(t, "function")
			fn, _ := named(name)
			args := make([]string, table[fn].arity)
			for i := range args {
				args[i] = below.Draw(t, "argument")
			}
			return name + "(" + strings.Join(args, ", ") + ")"
		}),
		rapid.Custom(func(t *rapid.T) string {
			op := rapid.SampledFrom([]string{" + ", " - ", " * ", " / ", " ** ", "-"}).Draw(t, "op")
			return bracketed.Draw(t, "left") + op + below.Draw(t, "right")
		}),
		rapid.Custom(func(t *rapid.T) string {
			return "(" + condition.Draw(t, "condition") + " ? " + bracketed.Draw(t, "then") + " : " + below.Draw(t, "else") + ")"
		}),
		rapid.Map(bracketed, func(s string) string { return "-" + s }),
	)
}

func TestAFormulaIsItsCodeAndItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := trees(4).Draw(t, "source")
		f, err := Parse(source, variables)
		require.NoError(t, err)

		decoded, err := Decode(f.Code(), variables)
		require.NoError(t, err)
		assert.Equal(t, f.Code(), decoded.Code())

		folded := f.Fold()
		text := folded.String()
		again, err := Parse(text, variables)
		require.NoError(t, err, "%s of %s", text, source)
		assert.Equal(t, folded.Code(), again.Fold().Code(), "%s of %s", text, source)
		assert.Equal(t, text, again.Fold().String())

		stack, err := Check(folded.Code(), len(variables))
		require.NoError(t, err)
		assert.LessOrEqual(t, stack, MaxStack)
	})
}

func TestFoldingChangesNothing(t *testing.T) {
	exact := []string{"+", "-", "*", "/"}
	rapid.Check(t, func(t *rapid.T) {
		var source strings.Builder
		source.WriteString("t")
		for range rapid.IntRange(1, 12).Draw(t, "parts") {
			fmt.Fprintf(&source, " %s (%s %s %s)", rapid.SampledFrom(exact).Draw(t, "op"),
				rapid.SampledFrom([]string{"0.1", "x", "3", "1e30"}).Draw(t, "a"), rapid.SampledFrom(exact).Draw(t, "op"),
				rapid.SampledFrom([]string{"0.7", "t", "1e-30", "0"}).Draw(t, "b"))
		}
		f, err := Parse(source.String(), variables)
		require.NoError(t, err)
		vars := []float32{rapid.Float32().Draw(t, "t"), rapid.Float32().Draw(t, "x")}
		assert.Equal(t, math.Float32bits(Run(f.Code(), vars)), math.Float32bits(Run(f.Fold().Code(), vars)), source.String())
	})
}

// What is calculated is what the library of mathematics has, to the last place of an f32.
func TestTheFunctionsAreThoseOfMathematics(t *testing.T) {
	one := func(f func(float64) float64) func(x, y float64) float64 {
		return func(x, _ float64) float64 { return f(x) }
	}
	for name, f := range map[string]func(x, y float64) float64{
		"sin": one(math.Sin), "cos": one(math.Cos), "tan": one(math.Tan), "asin": one(math.Asin), "acos": one(math.Acos), "atan": one(math.Atan),
		"exp": one(math.Exp), "log": one(math.Log), "atan2": math.Atan2, "pow": math.Pow, "hypot": math.Hypot,
	} {
		fn, _ := named(name)
		rapid.Check(t, func(t *rapid.T) {
			a := make([]float32, table[fn].arity, 2)
			for i := range a {
				a[i] = rapid.OneOf(rapid.Float32Range(-10, 10), rapid.Float32(), rapid.SampledFrom([]float32{
					0, float32(math.Copysign(0, -1)), 1, -1, 2, -2, 0.5, 3, -3, 88.7, -103.9, math.MaxFloat32, math.SmallestNonzeroFloat32,
					float32(math.Inf(1)), float32(math.Inf(-1)), nan, 1e-30, 16777217, math.Pi,
				})).Draw(t, "argument")
			}
			got, want := fn.apply(slices.Clone(a)), float32(f(float64(a[0]), float64(a[:2][1])))
			if got == want || got != got && want != want {
				return
			}
			apart := math.Abs(float64(math.Float32bits(got)) - float64(math.Float32bits(want)))
			assert.LessOrEqual(t, apart, 1.0, "%s%v: %v, %v", name, a, got, want)
		})
	}
}

func TestConstantsFoldToTheSameBitsEverywhere(t *testing.T) {
	for source, want := range map[string]uint32{ // as calculated to 60 places
		"sin(1)": 0x3f576aa4, "cos(1)": 0x3f0a5140, "tan(1)": 0x3fc75923, "exp(1)": 0x402df854, "log(10)": 0x40135d8e,
		"atan(1)": 0x3f490fdb, "asin(1)": 0x3fc90fdb, "acos(-1)": 0x40490fdb, "atan2(-1, -1)": 0xc016cbe4,
		"pow(2, 0.5)": 0x3fb504f3, "sin(3e38)": 0, "0 / 0": 0x7fc00000, "-(0 / 0)": 0x7fc00000, "-0": 0x80000000, "sqrt(-1)": 0x7fc00000,
	} {
		f, err := Parse(source, nil)
		require.NoError(t, err)
		value, ok := f.Fold().Constant()
		require.True(t, ok)
		if source == "sin(3e38)" {
			assert.LessOrEqual(t, math.Abs(float64(value)), 1.0)
			continue
		}
		assert.Equal(t, want, math.Float32bits(value), "%s = %v", source, value)
	}
}

func TestWrongCodes(t *testing.T) {
	end, push, variable := word(opEnd, 0), word(opPush, 0), word(opVariable, 0)
	add, less := word(opFunction, uint32(fnAdd)), word(opFunction, uint32(fnLess))
	for name, code := range map[string][]uint32{
		"none": {}, "no end": {variable}, "nothing": {end}, "two values": {variable, variable, end},
		"more behind": {variable, end, end}, "nothing to push": {push}, "too few": {variable, add, end},
		"no variable": {word(opVariable, 2), end}, "no function": {variable, word(opFunction, 0), end},
		"unknown function": {variable, word(opFunction, uint32(fnEnd)), end}, "unknown operation": {word(4, 0), end},
		"operand of end": {variable, word(opEnd, 1)}, "operand of push": {word(opPush, 1), 0, end},
		"deep":              slices.Concat(slices.Repeat([]uint32{variable}, MaxStack+1), slices.Repeat([]uint32{add}, MaxStack), []uint32{end}),
		"condition":         {variable, variable, less, end},
		"sum of conditions": {variable, variable, less, variable, add, end},
	} {
		_, err := Decode(code, variables)
		assert.Error(t, err, name)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"sin(t) + 0.1 * cos(10 * t)", "t < 1 ? t : 1", "min(t, x, 2) ** -2", "1 < t < 2 ? 0 : 1 / 0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		f, err := Parse(source, variables)
		if err != nil {
			return
		}
		Run(f.Code(), []float32{1, 2})
		folded := f.Fold()
		again, err := Parse(folded.String(), variables)
		if err != nil && len(folded.String()) <= maxSource {
			t.Fatalf("%q folds to %q: %v", source, folded, err)
		}
		if err == nil && !slices.Equal(folded.Code(), again.Fold().Code()) {
			t.Fatalf("%q folds to %q, which is another", source, folded)
		}
	})
}

func FuzzCode(f *testing.F) {
	f.Add([]byte{0, 0, 0, 2, 0, 0, 0, 0})
	f.Add([]byte{0, 0, 0, 1, 0, 0, 128, 63, 0, 0, 0, 2, 2, 0, 0, 3, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var code []uint32
		for ; len(b) >= 4; b = b[4:] {
			code = append(code, uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24)
		}
		if _, err := Check(code, len(variables)); err != nil {
			return
		}
		Run(code, []float32{1, 2})
		if f, err := Decode(code, variables); err == nil && !slices.Equal(f.Code(), code) {
			t.Fatalf("%x decodes to %s, whose code is %x", code, f, f.Code())
		}
	})
}
