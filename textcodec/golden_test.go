package textcodec_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

var update = flag.Bool("update", false, "write the golden files anew")

func of(kind entity.Kind) entity.Shape { return entity.Shape{Kind: kind} }

func listOf(kind entity.Kind, of entity.Shape) entity.Shape {
	return entity.Shape{Kind: kind, Of: &of}
}

func optional(s entity.Shape) entity.Shape {
	s.Optional = true
	return s
}

var (
	stateShape = entity.Shape{Kind: entity.KindEnum, Names: []entity.Name{
		{Name: "closed"}, {Name: "half open", Number: 1}, {Name: "wide\topen", Number: 2}, {Name: "=======", Number: 3},
	}}
	lightShape = entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{
		{Name: "lit"}, {Name: "casts shadow", Number: 3}, {Name: "flickers", Number: 40},
	}}
	narrowShape = entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{{Name: "lit"}}}
	pointShape  = entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
		{Name: "label", Shape: of(entity.KindString)},
		{Name: "at", Shape: of(entity.KindVec2)},
		{Name: "wait", Shape: optional(of(entity.KindF32))},
		{Name: "odd name ", Shape: optional(listOf(entity.KindSet, of(entity.KindU8)))},
	}}
	pathShape = entity.Shape{Kind: entity.KindArray, Of: &pointShape, Key: "label"}
)

func list(kind entity.Kind, items ...entity.Value) entity.Value { return entity.NewList(kind, items) }

func str(s string) entity.Value { return entity.NewString(s) }

func f64(f float64) entity.Value { return entity.F64Of(f) }

func uints(kind entity.Kind, values ...uint64) (out []entity.Value) {
	for _, u := range values {
		out = append(out, entity.NewUint(kind, u))
	}
	return out
}

func ints(kind entity.Kind, values ...int64) (out []entity.Value) {
	for _, i := range values {
		out = append(out, entity.NewInt(kind, i))
	}
	return out
}

func f32s(bits ...uint32) (out []entity.Value) {
	for _, b := range bits {
		out = append(out, entity.NewF32(b))
	}
	return out
}

func point(label string, members ...entity.Value) entity.Value {
	m := make([]entity.Value, 4)
	m[0] = str(label)
	copy(m[1:], members)
	return entity.NewStruct(m)
}

// sample is a field and values of it, which a golden file shows.
type sample struct {
	name   string
	shape  entity.Shape
	values []entity.Value
}

// samples has every kind of the model.
func samples() []sample {
	array, set := entity.KindArray, entity.KindSet
	quiet := entity.VecOf(entity.KindVec2, 1, 2)
	return []sample{
		{"bool", of(entity.KindBool), []entity.Value{entity.NewBool(true), entity.NewBool(false)}},
		{"i8", of(entity.KindI8), ints(entity.KindI8, 0, -128, 127)},
		{"i16", of(entity.KindI16), ints(entity.KindI16, -32768, 32767)},
		{"i32", of(entity.KindI32), ints(entity.KindI32, math.MinInt32, math.MaxInt32)},
		{"i64", of(entity.KindI64), ints(entity.KindI64, math.MinInt64, -1, math.MaxInt64)},
		{"u8", of(entity.KindU8), uints(entity.KindU8, 0, 255)},
		{"u16", of(entity.KindU16), uints(entity.KindU16, 65535)},
		{"u32", of(entity.KindU32), uints(entity.KindU32, 1<<32-1)},
		{"u64", of(entity.KindU64), uints(entity.KindU64, 1<<64-1)},
		{"f32", of(entity.KindF32), f32s(0, 1<<31, 1, 0x3f800000, 0xbf000000, 0x7f7fffff, 0x33d6bf95, 0xb3d6bf95, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001)},
		{"f64", of(entity.KindF64), []entity.Value{f64(0), f64(math.Copysign(0, -1)), f64(0.1), f64(-1e15), f64(1e22), f64(5e-324), f64(0.0000005), f64(math.Inf(-1)), entity.NewF64(0x7ff8000000000001), entity.NewF64(0xfff0000000000001)}},
		{"vec2", of(entity.KindVec2), []entity.Value{quiet}},
		{"vec3", of(entity.KindVec3), []entity.Value{entity.VecOf(entity.KindVec3, 46.10353, 108.07968, 8.694907)}},
		{"vec4", of(entity.KindVec4), []entity.Value{entity.VecOf(entity.KindVec4, 1, 0.5, 0.25, 1e-9)}},
		{"quat", of(entity.KindQuat), []entity.Value{entity.VecOf(entity.KindQuat, 0, 0, 0, 1)}},
		{"mat3x4", of(entity.KindMat3x4), []entity.Value{entity.VecOf(entity.KindMat3x4, 0, -1, 0, 46.10353, 1, 0, 0, 108.07968, 0, 0, 1, 8.694907)}},
		{"mat4", of(entity.KindMat4), []entity.Value{
			entity.VecOf(entity.KindMat4, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1),
			entity.NewComponents(entity.KindMat4, [16]uint32{0x7f800001, 0x80000000, 1, 0xff800000, 15: 0x33d6bf95}),
		}},
		{"array_of_mat3x4", listOf(array, optional(of(entity.KindMat3x4))), []entity.Value{list(array, entity.VecOf(entity.KindMat3x4, 1), entity.Value{}, entity.VecOf(entity.KindMat3x4, 0, 0, 0, 2))}},
		{"string", of(entity.KindString), []entity.Value{
			str(""), str("bunker door"), str("one\ntwo\n\nfour"), str("ends\n"), str("\n"), str("q\"b\\ \t\r\x00\x7f"),
			str("Zoë 猫 😀"), str("\u00a0\u2028\u200d\ufeff\U000e0001\u00ad"), str("; name"),
		}},
		{"blob", of(entity.KindBlob), []entity.Value{entity.NewBlob(""), entity.NewBlob("\x00\xff"), entity.NewBlob(strings.Repeat("world", 30))}},
		{"expr", entity.Shape{Kind: entity.KindExpr, Vars: []string{"t"}}, []entity.Value{entity.NewExpr("0"), entity.NewExpr("sin(t) + 0.1*cos(10 * t)"), entity.NewExpr(""), entity.NewExpr("= 1"), entity.NewExpr("sin(")}},
		{"guid", of(entity.KindGUID), []entity.Value{entity.NewGUID(entity.GUID{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0x00})}},
		{"enum", stateShape, ints(entity.KindEnum, 0, 1, 2, 3, -7)},
		{"flags", lightShape, uints(entity.KindFlags, 0, 1, 1<<3|1<<5, 1<<40|1<<63)},
		{"ref", of(entity.KindRef), uints(entity.KindRef, 0, 6555)},
		{"set", listOf(set, of(entity.KindString)), []entity.Value{list(set), list(set, str("a"), str("a\nb"), str("b"))}},
		{"array", listOf(array, optional(of(entity.KindVec2))), []entity.Value{list(array), list(array, quiet, entity.Value{}, quiet)}},
		{"array_of_array", listOf(array, listOf(array, of(entity.KindI32))), []entity.Value{list(array, list(array, ints(entity.KindI32, 1, 2)...), list(array))}},
		{"array_of_string", listOf(array, of(entity.KindString)), []entity.Value{list(array, str("one\ntwo"), str("three"), str(""), str("four\n"))}},
		{"array_of_flags", listOf(array, optional(lightShape)), []entity.Value{list(array, entity.NewUint(entity.KindFlags, 9), entity.Value{})}},
		{"struct", pointShape, []entity.Value{point("a", quiet), point("b", quiet, entity.F32Of(0.5), list(set, uints(entity.KindU8, 1, 2)...))}},
		{"keyed_array", pathShape, []entity.Value{list(array, point("start", quiet, entity.F32Of(2)), point("end", quiet))}},
		{"array_of_optional_struct", listOf(array, optional(pointShape)), []entity.Value{list(array, entity.Value{}, point("x", quiet))}},
	}
}

// sampleEntity returns an entity with a field for each value of the sample.
func sampleEntity(s sample) (*entity.Entity, *entity.Types) {
	typ := &entity.Type{Name: "Sample", Revision: 3}
	for i := range s.values {
		typ.Fields = append(typ.Fields, &entity.Field{Name: s.name + "_" + string(rune('a'+i)), Shape: s.shape})
	}
	if err := typ.Validate(); err != nil {
		panic(err)
	}
	e := entity.New(7, typ.Current())
	copy(e.Values, s.values)
	if err := e.Validate(); err != nil {
		panic(err)
	}
	return e, entity.NewTypes(typ)
}

func TestGoldenKinds(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			e, types := sampleEntity(s)
			text := textcodec.Append(nil, e)
			path := filepath.Join("testdata", s.name+".entity_text")
			if *update {
				require.NoError(t, os.WriteFile(path, text, 0o644))
			}
			golden, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(golden), string(text))
			r, err := textcodec.Decode(golden, 7, types)
			require.NoError(t, err)
			require.True(t, e.Equal(r.Entity))
			require.True(t, r.Canonical)
			require.Empty(t, r.Findings)
		})
	}
}

// every returns a type that has a field of every sample's shape and more.
func every() *entity.Type {
	typ := &entity.Type{Name: "Every", Revision: 9}
	for _, s := range samples() {
		typ.Fields = append(typ.Fields, &entity.Field{Name: s.name, Shape: optional(s.shape)})
	}
	typ.Fields = append(typ.Fields,
		&entity.Field{Name: "needed", Shape: of(entity.KindU8)},
		&entity.Field{Name: "needed path", Shape: pathShape},
		&entity.Field{Name: "lid", Shape: of(entity.KindF32), SaveWhen: `needed > 3`},
		&entity.Field{Name: "hinge", Shape: listOf(entity.KindSet, of(entity.KindI8)), SaveWhen: `has("lid")`},
		&entity.Field{Name: " odd\t", Shape: optional(narrowShape)},
		&entity.Field{Name: "gone", Shape: of(entity.KindU8), Until: 5},
	)
	if err := typ.Validate(); err != nil {
		panic(err)
	}
	return typ
}

// everyEntities returns entities of that type that show every sample.
func everyEntities() (out []*entity.Entity) {
	typ := every()
	for turn := range 13 {
		e := entity.New(entity.ID(turn+1), typ.Layout(uint32(turn)))
		for i, s := range samples() {
			if turn < len(s.values) {
				e.Values[i] = s.values[turn]
			}
		}
		e.Values[e.Layout.Index("needed")] = entity.NewUint(entity.KindU8, uint64(turn))
		for len(e.Canonicalize()) > 0 {
		}
		out = append(out, e)
	}
	return out
}
