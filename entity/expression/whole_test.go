package expression_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

// numbersOf returns an entity with a field of each kind that holds 64 bits.
func numbersOf(u uint64, i int64, f float64) *entity.Entity {
	typ := &entity.Type{Name: "Numbers", Revision: 1, Fields: []*entity.Field{
		{Name: "u", Shape: entity.Shape{Kind: entity.KindU64}},
		{Name: "i", Shape: entity.Shape{Kind: entity.KindI64}},
		{Name: "f", Shape: entity.Shape{Kind: entity.KindF64}},
		{Name: "us", Shape: entity.Shape{Kind: entity.KindArray, Of: &entity.Shape{Kind: entity.KindU64}}},
	}}
	e := entity.New(1, typ.Current())
	e.Values[0] = entity.NewUint(entity.KindU64, u)
	e.Values[1] = entity.NewInt(entity.KindI64, i)
	e.Values[2] = entity.F64Of(f)
	e.Values[3] = entity.NewList(entity.KindArray, []entity.Value{entity.NewUint(entity.KindU64, u), entity.NewUint(entity.KindU64, 7)})
	return e
}

func evaluate(t require.TestingT, e *entity.Entity, source string) (any, error) {
	x, err := expression.Compile(source)
	require.NoError(t, err, source)
	return x.Evaluate(e)
}

func holds(t require.TestingT, e *entity.Entity, source string) {
	v, err := evaluate(t, e, source)
	require.NoError(t, err, source)
	require.Equal(t, true, v, source)
}

func unsigned() *rapid.Generator[uint64] {
	return rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 20), rapid.Uint64Range(math.MaxUint64-20, math.MaxUint64),
		rapid.Uint64Range(1<<63-20, 1<<63+20), rapid.Uint64Range(1<<53-5, 1<<53+5), rapid.Uint64Range(1<<32-5, 1<<32+5))
}

func signed() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64(), rapid.Int64Range(-20, 20), rapid.Int64Range(math.MinInt64, math.MinInt64+20),
		rapid.Int64Range(math.MaxInt64-20, math.MaxInt64))
}

var (
	least = big.NewInt(math.MinInt64)
	most  = new(big.Int).SetUint64(math.MaxUint64)
)

// bigOf returns a result as a big number.
func bigOf(t require.TestingT, x any) *big.Int {
	switch n := x.(type) {
	case int:
		return big.NewInt(int64(n))
	case uint64:
		require.Greater(t, n, uint64(math.MaxInt64), "what an int holds is an int")
		return new(big.Int).SetUint64(n)
	}
	require.Fail(t, "no whole number", "%T %v", x, x)
	return nil
}

// Whole numbers calculate as those of mathematics do, and what 64 bits do not
// hold is an error: with fields, and with constants, which are folded.
func TestWholeNumbersAreExactOrAnError(t *testing.T) {
	operators := map[string]func(a, b *big.Int) *big.Int{
		"+":           func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) },
		"-":           func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) },
		"*":           func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
		"div(%s, %s)": func(a, b *big.Int) *big.Int { return new(big.Int).Quo(a, b) },
		"%":           func(a, b *big.Int) *big.Int { return new(big.Int).Rem(a, b) },
	}
	rapid.Check(t, func(t *rapid.T) {
		u, i := unsigned().Draw(t, "u"), signed().Draw(t, "i")
		e := numbersOf(u, i, 0)
		operands := map[string]*big.Int{
			"u": new(big.Int).SetUint64(u), "i": big.NewInt(i),
			fmt.Sprint(u): new(big.Int).SetUint64(u), fmt.Sprintf("(%d)", i): big.NewInt(i),
		}
		for sign, f := range operators {
			for a, x := range operands {
				for b, y := range operands {
					source := fmt.Sprintf(sign, a, b)
					if len(sign) == 1 {
						source = a + sign + b
					}
					checkExact(t, e, source, x, y, f)
				}
			}
		}
	})
}

func checkExact(t *rapid.T, e *entity.Entity, source string, x, y *big.Int, f func(a, b *big.Int) *big.Int) {
	var got any
	c, err := expression.Compile(source)
	if err == nil {
		got, err = c.Evaluate(e)
	}
	if y.Sign() == 0 && strings.ContainsAny(source, "d%") {
		require.ErrorContains(t, err, "integer division by zero", source)
		return
	}
	want := f(x, y)
	if want.Cmp(least) < 0 || want.Cmp(most) > 0 {
		require.ErrorContains(t, err, "integer overflow", source)
		return
	}
	require.NoError(t, err, source)
	require.Zero(t, want.Cmp(bigOf(t, got)), "%s is %v, not %v", source, want, got)
}

// Numbers of all sorts compare as those of mathematics do.
func TestNumbersCompareExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, i := unsigned().Draw(t, "u"), signed().Draw(t, "i")
		f := rapid.OneOf(rapid.Float64(), rapid.Map(unsigned(), func(u uint64) float64 { return float64(u) }),
			rapid.Map(signed(), func(i int64) float64 { return float64(i) + 0.5 })).Draw(t, "f")
		e := numbersOf(u, i, f)
		values := map[string]*big.Float{
			"u": new(big.Float).SetUint64(u), "i": new(big.Float).SetInt64(i), "f": big.NewFloat(f),
		}
		for a, x := range values {
			for b, y := range values {
				c := x.Cmp(y)
				for sign, want := range map[string]bool{"<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0, "==": c == 0, "!=": c != 0} {
					got, err := evaluate(t, e, a+sign+b)
					require.NoError(t, err)
					require.Equal(t, want, got, "%v %s %v", x, sign, y)
				}
				got, err := evaluate(t, e, fmt.Sprintf("%s in [%s, nil]", a, b))
				require.NoError(t, err)
				require.Equal(t, c == 0, got, "%v in [%v]", x, y)
			}
		}
	})
}

// What is read of a field and calculated without a change goes back as it was.
func TestWholeNumbersGoBackExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := numbersOf(unsigned().Draw(t, "u"), signed().Draw(t, "i"), 0)
		for _, source := range []string{"u", "u + 0", "u * 1", "u / 1", "u ** 1", "-(-u) ", "max(u, u)", "us[0]", "sum([u])", "int(string(u))", "abs(u)", "round(u)", "bitor(u, 0)", "sort([u])[0]"} {
			x, err := evaluate(t, e, source)
			if source == "-(-u) " && e.Value("u").Uint() > 1<<63 {
				require.ErrorContains(t, err, "integer overflow")
				continue
			}
			require.NoError(t, err, source)
			n, err := expression.Assign(e, "u", x)
			require.NoError(t, err, source)
			require.True(t, n.Equal(e), source)
		}
		for _, source := range []string{"i", "i + 0", "- -i", "i * 1", "div(i, 1)", "bitnot(bitnot(i))", "bitand(i, -1)", "int(string(i))", "min(i, i)"} {
			x, err := evaluate(t, e, source)
			require.NoError(t, err, source)
			n, err := expression.Assign(e, "i", x)
			require.NoError(t, err, source)
			require.True(t, n.Equal(e), source)
		}
	})
}

func TestWholeNumbersAtTheirEnds(t *testing.T) {
	e := numbersOf(math.MaxUint64, math.MinInt64, 1e19)
	for _, source := range []string{
		"u > 5", "u != -1", "u == 18446744073709551615", "u == 0xffff_ffff_ffff_ffff", "i == -9223372036854775808",
		"u - 1 == 18446744073709551614", "u + i == 9223372036854775807", "-i == 9223372036854775808", "abs(i) == 2 ** 63",
		"u in us", "-1 not in us", "u in [7, 18446744073709551615]", "-1 not in [18446744073709551615]", "u not in 1..9223372036854775807",
		"max(u, i, f) == u", "min(us) == 7", "sort(us)[1] == u", "sum([i, u]) == 2**63 - 1", "us | any(# > 9223372036854775807)",
		"u / 5 == 3689348814741910323", "7 / 2 == 3.5", "div(7, 2) == 3", "div(-7, 2) == -3", "-7 % 2 == -1", "u % 10 == 5",
		"2 ** 63 == 9223372036854775808", "2 ** -1 == 0.5", "2 ** 64 == 18446744073709551616.0", "(-2) ** 63 == i", "0 ** 0 == 1", "(-1) ** u == -1",
		"bitand(u, 0xff) == 255", "bitshl(1, 63) == 2 ** 63", "bitshr(u, 63) == 1", "bitnot(u) == 0", "bitnot(5) == -6", "bitushr(-1, 1) == 2**63 - 1", "bitshr(-1, 9) == -1",
		"int(\"18446744073709551615\") == u", "int(1.9) == 1", "int(f) == 10000000000000000000", "float(u) == 2.0 ** 64",
		"type(u) == \"int\"", "string(u) == \"18446744073709551615\"", "len(uniq([u, u, -1])) == 2", "9007199254740993 != 9007199254740992.0",
		"us == [18446744073709551615, 7]", "us == [u, 7.0]", "mean([u, u]) == float(u)", "median([u, 0]) == 2.0 ** 63",
	} {
		holds(t, e, source)
	}
	for source, reason := range map[string]string{
		"u + 1": "integer overflow: 18446744073709551615 + 1", "i - 1": "integer overflow", "-u": "integer overflow: -18446744073709551615",
		"u * 2": "integer overflow", "div(u, 0)": "integer division by zero", "u % 0": "integer division by zero", "u / 0": "integer division by zero",
		"int(f * 2)": "integer overflow", "bitshl(1, 64)": "integer overflow", "bitshl(u, 1)": "integer overflow", "sum([u, 1])": "integer overflow",
		"sortBy(us, -#)": "integer overflow", "us[0] + us[1]": "integer overflow",
	} {
		_, err := evaluate(t, e, source)
		require.ErrorContains(t, err, reason, source)
		require.ErrorContains(t, err, "Numbers 1")
	}
	for source, reason := range map[string]string{
		"9223372036854775807 * 3": "integer overflow", "18446744073709551615 + 1": "integer overflow", "1 / 0": "integer division by zero",
		"1 % 0": "integer division by zero", "18446744073709551616": "no whole number of 64 bits", "-18446744073709551615": "integer overflow",
	} {
		_, err := expression.Compile(source)
		require.ErrorContains(t, err, reason, source)
	}
}
