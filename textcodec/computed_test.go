package textcodec_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

func computedTypes() *entity.Types {
	return entity.NewTypes(&entity.Type{Name: "T", Revision: 1, Fields: []*entity.Field{
		{Name: "angle", Shape: entity.Shape{Kind: entity.KindF32}},
		{Name: "at", Shape: entity.Shape{Kind: entity.KindVec2}},
		{Name: "count", Shape: entity.Shape{Kind: entity.KindU8}},
		{Name: "name", Shape: entity.Shape{Kind: entity.KindString}},
		{Name: "list", Shape: entity.Shape{Kind: entity.KindArray, Of: &entity.Shape{Kind: entity.KindF64}}},
	}})
}

func TestAnExpressionIsReadAsItsValue(t *testing.T) {
	text := "T\n1\n5\n; angle\n    = 2*sin(pi/4)\n; at\n    = 1/3\n    0.5\n; count\n    = 3 * 7\n; name\n    = \"a\" + \"b\"\n; list\n    [\n    = sqrt(2)\n    = -pi\n    ]\n"
	r, err := textcodec.Decode([]byte(text), 5, computedTypes())
	require.NoError(t, err)
	require.False(t, r.Canonical)
	e := r.Entity
	require.Equal(t, math.Float32bits(float32(2*math.Sin(math.Pi/4))), e.Value("angle").F32())
	require.Equal(t, math.Float32bits(float32(1)/3), e.Value("at").Component(0))
	require.Equal(t, uint64(21), e.Value("count").Uint())
	require.Equal(t, "ab", e.Value("name").Text())
	require.Equal(t, math.Float64bits(math.Sqrt2), e.Value("list").Items()[0].F64())
	require.Equal(t, math.Float64bits(-math.Pi), e.Value("list").Items()[1].F64())
	require.NotEmpty(t, r.Findings)
	for _, f := range r.Findings {
		require.Equal(t, entity.CodeComputed, f.Code)
		require.False(t, f.Blocks)
	}
	again, err := textcodec.Decode(textcodec.Append(nil, e), 5, computedTypes())
	require.NoError(t, err)
	require.True(t, again.Canonical)
}

func TestComputedNumbersAreExact(t *testing.T) {
	types := entity.NewTypes(&entity.Type{Name: "T", Revision: 1, Fields: []*entity.Field{
		{Name: "u", Shape: entity.Shape{Kind: entity.KindU64}}, {Name: "f", Shape: entity.Shape{Kind: entity.KindF32}},
	}})
	read := func(u, f string) (*entity.Entity, error) {
		r, err := textcodec.Decode([]byte("T\n1\n5\n; u\n    = "+u+"\n; f\n    = "+f+"\n"), 5, types)
		return r.Entity, err
	}
	for source, want := range map[string]uint64{
		"18446744073709551615": math.MaxUint64, "2 ** 63 + 1": 1<<63 + 1, "18446744073709551614 / 2": math.MaxInt64, "4.0 * 2": 8, "int(2.0 ** 63)": 1 << 63,
	} {
		e, err := read(source, "0")
		require.NoError(t, err, source)
		require.Equal(t, want, e.Value("u").Uint(), source)
	}
	for source, reason := range map[string]string{
		"18446744073709551615 + 1": "integer overflow", "1 / 0": "division by zero", "2.0 ** 63": "not exact", "-1": "fits u64", "sqrt(-1)": "fits u64", "1.0 / 0": "not exact",
		"let r = 1; all([r], true)": "no loops",
	} {
		_, err := read(source, "0")
		require.ErrorContains(t, err, reason, source)
	}
	for source, want := range map[string]uint32{
		"1 + 2.0 ** -24": 0x3f800000, "sqrt(-1)": 0x7fc00000, "-sqrt(-1)": 0x7fc00000, "1.0 / 0": 0x7f800000, "-1.0 / 0": 0xff800000, "-0.0": 0x80000000, "10 ** 30": 0x7149f2ca,
	} {
		e, err := read("1", source)
		require.NoError(t, err, source)
		require.Equal(t, want, e.Value("f").F32(), source)
	}
}

func TestAnExpressionThatHasNoValueIsNamed(t *testing.T) {
	for expression, reason := range map[string]string{
		"= 2 +":              "unexpected",
		"=":                  "unexpected",
		"= position":         "unknown name",
		"= all(1..9, # > 0)": "",
		"= [1, 2]":           "no single value",
		"= 300 * 2":          "fits u8",
		"= 1/3":              "fits u8",
		"= sin(1, 2)":        "takes 1 numbers",
		"= \"three\"":        "fits u8",
	} {
		text := "T\n1\n5\n; count\n    " + expression + "\n"
		_, err := textcodec.Decode([]byte(text), 5, computedTypes())
		var at *textcodec.Error
		require.ErrorAs(t, err, &at, expression)
		require.Equal(t, 5, at.Line)
		require.Equal(t, "count", at.Field)
		require.ErrorContains(t, err, reason, expression)
	}
}
