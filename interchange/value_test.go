package interchange

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
)

// TestSpellings reads what JSON and the model allow for a value, and compares
// with the canonical form.
func TestSpellings(t *testing.T) {
	f32, f64 := &entity.Shape{Kind: entity.KindF32}, &entity.Shape{Kind: entity.KindF64}
	i64, u64 := &entity.Shape{Kind: entity.KindI64}, &entity.Shape{Kind: entity.KindU64}
	ref := &entity.Shape{Kind: entity.KindRef}
	enum := &entity.Shape{Kind: entity.KindEnum, Names: []entity.Name{{Name: "closed"}, {Name: "open", Number: 4}}}
	flags := &entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{{Name: "lit"}, {Name: "far", Number: 40}}}
	nested := &entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
		{Name: "q", Shape: entity.Shape{Kind: entity.KindQuat}},
		{Name: "o", Shape: entity.Shape{Kind: entity.KindBool, Optional: true}},
	}}
	for _, c := range []struct {
		shape     *entity.Shape
		in, canon string
	}{
		{f32, "46.103531", "46.10353"}, {f32, "1.6777217e7", "16777216"}, {f32, "-0", "-0"}, {f32, "-0.0", "-0"},
		{f32, "0.000001", "0.000001"}, {f32, "1e-7", "1e-7"}, {f32, "1e21", "1e+21"}, {f32, "1e20", "100000000000000000000"},
		{f32, "1e-99", "0"}, {f32, `"nan"`, `"nan"`}, {f32, `"0x7fc00000"`, `"nan"`}, {f32, `"0x7FC00001"`, `"0x7fc00001"`},
		{f32, `"0x3f800000"`, "1"}, {f32, `"-inf"`, `"-inf"`}, {f32, `"0xffc00000"`, `"0xffc00000"`},
		// The decimal is rounded once: by way of an f64 this would be 1.
		{f32, "1.00000005960464477540", "1.0000001"},
		{f64, "0.1", "0.1"}, {f64, "5e-324", "5e-324"}, {f64, `"0x7ff8000000000000"`, `"nan"`}, {f64, `"0x7ff0000000000001"`, `"0x7ff0000000000001"`},
		{i64, "9007199254740992", "9007199254740992"}, {i64, "9007199254740993", `"9007199254740993"`},
		{i64, `"-9223372036854775808"`, `"-9223372036854775808"`}, {i64, "-9223372036854775808", `"-9223372036854775808"`},
		{i64, "5.0", "5"}, {i64, "1e3", "1000"}, {i64, "-12.50e1", "-125"}, {i64, "-0", "0"}, {i64, "0e999999999999", "0"}, {i64, "0.000", "0"},
		{u64, "18446744073709551615", `"18446744073709551615"`}, {u64, "1.8446744073709551615e19", `"18446744073709551615"`}, {u64, "-0.0", "0"}, {u64, "-0", "0"},
		{&entity.Shape{Kind: entity.KindSet, Of: ref}, " [ 3, 1,2 ,3 ] ", "[1,2,3]"},
		{enum, `"open"`, `"open"`}, {enum, "4", `"open"`}, {enum, "-3", "-3"},
		{flags, `["far","lit",3,0]`, `["lit",3,"far"]`}, {flags, "[]", "[]"},
		{&entity.Shape{Kind: entity.KindString}, `"\u00e9\u2028</\ud83d\ude00\u0007\n"`, "\"é\u2028</😀\\u0007\\n\""},
		{&entity.Shape{Kind: entity.KindGUID}, `"00112233-4455-6677-8899-AABBCCDDEEFF"`, `"00112233-4455-6677-8899-aabbccddeeff"`},
		{&entity.Shape{Kind: entity.KindBlob}, `"AP8="`, `"AP8="`},
		{&entity.Shape{Kind: entity.KindArray, Of: &entity.Shape{Kind: entity.KindU8, Optional: true}}, "[null,1]", "[null,1]"},
		{&entity.Shape{Kind: entity.KindMat3x4}, `[1,0,0,46.103531, 0,1,0,"nan", 0,0,1,-0]`, `[1,0,0,46.10353,0,1,0,"nan",0,0,1,-0]`},
		{nested, "{}", `{"q":[0,0,0,1]}`}, {nested, `{"o":true,"q":[1,2,3,4]}`, `{"q":[1,2,3,4],"o":true}`},
		{nested, `{"o":null}`, `{"q":[0,0,0,1]}`},
	} {
		v, err := ParseValue([]byte(c.in), c.shape)
		require.NoError(t, err, c.in)
		require.Equal(t, c.canon, string(AppendValue(nil, c.shape, v)), c.in)
	}
}

// TestValueRoundTrip holds for every value of every shape, and what is written
// is JSON to everyone.
func TestValueRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := entitytest.Shape(3).Draw(t, "shape")
		v := entitytest.Value(&s).Draw(t, "value")
		raw := AppendValue(nil, &s, v)
		require.True(t, json.Valid(raw))
		back, err := ParseValue(raw, &s)
		require.NoError(t, err, "%s", raw)
		require.True(t, v.Equal(back), "%s", raw)
	})
}

func TestParseValueRefusesMore(t *testing.T) {
	mat := &entity.Shape{Kind: entity.KindMat3x4}
	for _, raw := range []string{"[1,2,3,4]", "[1,2,3,4,5,6,7,8,9,10,11]", "[1,2,3,4,5,6,7,8,9,10,11,12,13]", "[[1,0,0,0],[0,1,0,0],[0,0,1,0]]", "null"} {
		_, err := ParseValue([]byte(raw), mat)
		require.Error(t, err, raw)
	}
	s := &entity.Shape{Kind: entity.KindU8}
	for _, raw := range []string{"", " ", "1 2", "1,", "01", "+1", "[", "nul", "\"1"} {
		_, err := ParseValue([]byte(raw), s)
		require.Error(t, err, raw)
	}
}

func TestIntegerOfManyDigits(t *testing.T) {
	s := &entity.Shape{Kind: entity.KindI64}
	v, err := ParseValue([]byte("1"+strings.Repeat("0", 1000)+"e-1000"), s)
	require.NoError(t, err)
	require.Equal(t, int64(1), v.Int())
	_, err = ParseValue([]byte("0."+strings.Repeat("0", 1000)+"1e1000"), s)
	require.Error(t, err)
	v, err = ParseValue([]byte("-9223372036854775808.000"), s)
	require.NoError(t, err)
	require.Equal(t, int64(math.MinInt64), v.Int())
}

// TestDesignExample is the example that the form is documented with.
func TestDesignExample(t *testing.T) {
	const lines = `{"type":{"name":"Door","revision":72,"fields":[{"name":"position","kind":"vec3"},{"name":"map_size","kind":"u32","since":63,"until":85},{"name":"mount_parent_id","kind":"ref","direct":true},{"name":"targets","kind":"set","of":"ref","optional":true}]}}
{"entity":{"id":6555,"type":"Door","revision":72,"fields":{"position":[46.10353,108.07968,8.694907],"map_size":4,"mount_parent_id":0,"targets":[6001,6005]}}}
`
	d, err := Read(strings.NewReader(lines), "world.jsonl", nil, nil)
	require.NoError(t, err)
	w := world(d)
	require.Equal(t, lines, string(write(t, w)))
	e, _ := w.Get(6555)
	require.Equal(t, uint32(0x42386a04), e.Value("position").Component(0))

	known := entity.NewTypes(d.Types...)
	d, err = Read(strings.NewReader("\ufeff\r\n"+`{"entity":{"type":"Door","id":1,"fields":{}}}`+"\r\n\n"), "w", known, nil)
	require.NoError(t, err)
	require.Empty(t, d.Types)
	require.Equal(t, uint32(72), d.Entities[0].Revision())
	require.True(t, d.Entities[0].Value("targets").IsNull())
	require.False(t, d.Entities[0].Value("map_size").IsNull())
}

func TestConditionalFields(t *testing.T) {
	const lines = `{"type":{"name":"Sun","fields":[{"name":"on","kind":"bool"},{"name":"power","kind":"f32","save_when":"on","default":5}]}}
{"entity":{"id":1,"type":"Sun","fields":{"on":true}}}
{"entity":{"id":2,"type":"Sun","fields":{"on":false,"power":3}}}
{"entity":{"id":3,"type":"Sun","fields":{"on":true,"power":null}}}
{"entity":{"id":4,"type":"Sun","fields":{"on":false,"power":null}}}
`
	d, err := Read(strings.NewReader(lines), "w", nil, nil)
	require.NoError(t, err)
	require.Equal(t, `{"id":1,"type":"Sun","revision":1,"fields":{"on":true,"power":5}}`, string(AppendEntity(nil, d.Entities[0])))
	require.Equal(t, `{"id":2,"type":"Sun","revision":1,"fields":{"on":false}}`, string(AppendEntity(nil, d.Entities[1])))
	require.True(t, d.Entities[2].Value("power").IsNull(), "it is absent, as it is in a text without it, though it would be saved")
	require.Equal(t, `{"id":3,"type":"Sun","revision":1,"fields":{"on":true,"power":null}}`, string(AppendEntity(nil, d.Entities[2])))
	require.Equal(t, `{"id":4,"type":"Sun","revision":1,"fields":{"on":false}}`, string(AppendEntity(nil, d.Entities[3])))

	const chain = `{"type":{"name":"Fan","revision":1,"fields":[{"name":"on","kind":"bool"},{"name":"spare","kind":"u8","save_when":"power == nil"},{"name":"power","kind":"u8","save_when":"on","default":5}]}}
{"entity":{"id":1,"type":"Fan","revision":1,"fields":{"on":false,"spare":3}}}
{"entity":{"id":2,"type":"Fan","revision":1,"fields":{"on":true,"power":5}}}
{"entity":{"id":3,"type":"Fan","revision":1,"fields":{"on":true,"spare":3,"power":null}}}
`
	d, err = Read(strings.NewReader(chain), "w", nil, nil)
	require.NoError(t, err)
	require.Equal(t, chain, string(write(t, world(d))), "a condition sees no default of what is absent")

	const itself = `{"type":{"name":"Fan","revision":1,"fields":[{"name":"rest","kind":"u8","save_when":"power == nil"},{"name":"power","kind":"u8","save_when":"power != 5","default":5}]}}
{"entity":{"id":1,"type":"Fan","revision":1,"fields":{"rest":3}}}
{"entity":{"id":2,"type":"Fan","revision":1,"fields":{"power":6}}}
`
	d, err = Read(strings.NewReader(itself), "w", nil, nil)
	require.NoError(t, err)
	require.Equal(t, itself, string(write(t, world(d))), "a default that is not saved is left out")

	const member = `{"type":{"name":"Sky","fields":[{"name":"sun","kind":"struct","fields":[{"name":"power","kind":"u8"}]}]}}
{"entity":{"id":1,"type":"Sky","fields":{"sun":{"power":null}}}}
`
	_, err = Read(strings.NewReader(member), "w", nil, nil)
	require.ErrorContains(t, err, "null, but the value is not optional")
}

func TestUnknownTypes(t *testing.T) {
	const lines = `{"entity":{"id":1,"type":"Sun","revision":3,"unknown":[{"name":"a","lines":"    1"}]}}` + "\n"
	d, err := Read(strings.NewReader(lines), "w", nil, nil)
	require.NoError(t, err)
	require.True(t, d.Entities[0].Layout.Type.Unknown)
	require.Equal(t, lines, string(write(t, world(d))))
}
