// Package entitytest generates types, values and entities of every kind for
// property tests: NaN payloads, -0, subnormals and infinities, multi-line
// strings, nested structs, keyed arrays, unknown fields.
package entitytest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

var scalarKinds = []entity.Kind{
	entity.KindBool, entity.KindI8, entity.KindI16, entity.KindI32, entity.KindI64,
	entity.KindU8, entity.KindU16, entity.KindU32, entity.KindU64,
	entity.KindF32, entity.KindF64, entity.KindString, entity.KindBlob, entity.KindExpr,
	entity.KindGUID, entity.KindEnum, entity.KindFlags, entity.KindRef,
}

var vectorKinds = []entity.Kind{
	entity.KindVec2, entity.KindVec3, entity.KindVec4, entity.KindQuat,
	entity.KindMat3x4, entity.KindMat4,
}

// F32Bits generates the bits of an f32, the odd ones often.
func F32Bits() *rapid.Generator[uint32] {
	return rapid.OneOf(
		rapid.Uint32(),
		rapid.SampledFrom([]uint32{
			0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff,
			0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc00001, 0x7f800001,
			0x42386a04, 0xbd8d9184, 0x3f800000, 0x49742400, 0x4b000001,
		}),
		rapid.Map(rapid.Float32Range(-1000, 1000), func(f float32) uint32 { return entity.F32Of(f).F32() }),
	)
}

// F64Bits generates the bits of an f64, the odd ones often.
func F64Bits() *rapid.Generator[uint64] {
	return rapid.OneOf(
		rapid.Uint64(),
		rapid.SampledFrom([]uint64{
			0, 1 << 63, 1, 0x000fffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
			0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000000000001, 0x7ff0000000000001,
			0x7fefffffffffffff, 0x3ff0000000000000, 0x4340000000000001,
		}),
		rapid.Map(rapid.Float64Range(-1e6, 1e6), func(f float64) uint64 { return entity.F64Of(f).F64() }),
	)
}

// Text generates strings, those with quotes, brackets, semicolons, markers,
// line breaks of every sort and astral characters often.
func Text() *rapid.Generator[string] {
	odd := rapid.SampledFrom([]string{
		"", "\n", "\n\n", "a\n", "\na", "line one\nline two\n", "\"", "\\", "\\n", "; name", "[", "]", "{", "}",
		"<<<<<<< ours\n=======\n>>>>>>> theirs\n", "\r\n", "\r", "\t", " lead", "trail ", "\x00", "\u2028", "\ufeff",
		"Zoë", "猫", "😀", "0.5 : 3f000000", "null", strings.Repeat("x", 300),
	})
	return rapid.OneOf(odd, rapid.String(), rapid.Map(rapid.SliceOfN(odd, 2, 4), func(s []string) string {
		return strings.Join(s, "")
	}))
}

// Source generates what can stand as an expression in data: right ones over t and x,
// and others, which are kept as well.
func Source() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "0", "t", "sin(t) + 0.1 * cos(10 * t)", "t < 1 ? t : 1", "2*pi", "sin(", "= 1", "== 2", "; name", "]", "\"t\"", "null",
			"======= x", "Zoë\t+ 猫", "\u2028", "-0",
		}),
		rapid.Map(Text(), func(s string) string {
			printable := strings.Map(func(r rune) rune {
				if r < ' ' || r == 0x7f {
					return -1
				}
				return r
			}, s)
			// No line of a text but a float's has this: tests change what floats look like.
			return strings.Trim(strings.ReplaceAll(printable, " : ", ":"), " \t")
		}),
	)
}

// Name generates names for types and fields.
func Name() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-z][a-z_]{0,12}`),
		rapid.StringMatching(`[A-Z][a-zA-Z]{0,8}(\.[a-z]{1,8}){1,2}`),
		rapid.SampledFrom([]string{
			" lead", "trail ", "in side", ";", "; x", "\"q\"", "[", "]", "{", "}", "#", "-", "Zoë", "猫",
			"<<<<<<< x", "=======", ">>>>>>> y", "6555", "null", "a\tb", "=", "\ufeff", "\\",
		}),
	)
}

// Shape generates shapes nested up to depth deep.
func Shape(depth int) *rapid.Generator[entity.Shape] {
	return rapid.Custom(func(t *rapid.T) entity.Shape {
		s := entity.Shape{Optional: rapid.Bool().Draw(t, "optional")}
		pick := rapid.IntRange(0, 9).Draw(t, "sort")
		switch {
		case pick <= 4 || depth == 0 && pick >= 7:
			scalar(t, &s)
		case pick <= 6:
			s.Kind = rapid.SampledFrom(vectorKinds).Draw(t, "kind")
		case pick == 7:
			of := entity.Shape{}
			scalar(t, &of)
			s.Kind, s.Of = entity.KindSet, &of
		case pick == 8:
			of := Shape(depth-1).Draw(t, "of")
			s.Kind, s.Of = entity.KindArray, &of
			if of.Kind == entity.KindStruct && !of.Optional && of.Fields[0].Kind.IsScalar() && !of.Fields[0].Optional {
				s.Key = of.Fields[0].Name
			}
		case pick == 9:
			s.Kind, s.Fields = entity.KindStruct, fields(t, depth-1, 3)
		}
		return s
	})
}

func scalar(t *rapid.T, s *entity.Shape) {
	s.Kind = rapid.SampledFrom(scalarKinds).Draw(t, "kind")
	switch s.Kind {
	case entity.KindEnum:
		s.Names = []entity.Name{{Name: "closed"}, {Name: "half open", Number: 1}, {Name: "odd", Number: -7}}
	case entity.KindFlags:
		s.Names = []entity.Name{{Name: "locked"}, {Name: "lit up", Number: 1}, {Name: "last", Number: 31}}
		if rapid.Bool().Draw(t, "wide") {
			s.Names = append(s.Names, entity.Name{Name: "far", Number: 63})
		}
	case entity.KindExpr:
		s.Vars = rapid.SampledFrom([][]string{nil, {"t"}, {"t", "x"}}).Draw(t, "vars")
	case entity.KindRef:
		s.Direct = rapid.Bool().Draw(t, "direct")
	}
}

func fields(t *rapid.T, depth, most int) []*entity.Field {
	names := rapid.SliceOfNDistinct(Name(), 1, most, rapid.ID[string]).Draw(t, "names")
	out := make([]*entity.Field, len(names))
	for i, name := range names {
		out[i] = &entity.Field{Name: name, Shape: Shape(depth).Draw(t, "shape")}
	}
	return out
}

// Type generates a type that passes Validate.
func Type() *rapid.Generator[*entity.Type] {
	return rapid.Custom(func(t *rapid.T) *entity.Type {
		typ := &entity.Type{
			Name:     Name().Draw(t, "type"),
			Revision: rapid.Uint32Range(1, 100).Draw(t, "revision"),
			Fields:   fields(t, 3, 8),
			Yields:   rapid.IntRange(0, 9).Draw(t, "type yields") == 0,

			EditorOnly: rapid.IntRange(0, 9).Draw(t, "type is the editor's only") == 0,
		}
		for _, f := range typ.Fields {
			if rapid.IntRange(0, 4).Draw(t, "ages") == 0 {
				f.Since = rapid.Uint32Range(0, 100).Draw(t, "since")
				f.Until = f.Since + rapid.Uint32Range(1, 100).Draw(t, "until")
			}
			if rapid.IntRange(0, 9).Draw(t, "says whether it yields") == 0 {
				f.Yields = rapid.Ptr(rapid.Bool(), false).Draw(t, "yields")
			}
		}
		if err := typ.Validate(); err != nil {
			t.Fatalf("generated type: %v", err)
		}
		return typ
	})
}

// Value generates a value of the shape.
func Value(s *entity.Shape) *rapid.Generator[entity.Value] {
	return rapid.Custom(func(t *rapid.T) entity.Value {
		if s.Optional && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
			return entity.Value{}
		}
		return value(t, s)
	})
}

func value(t *rapid.T, s *entity.Shape) entity.Value {
	switch k := s.Kind; {
	case k == entity.KindBool:
		return entity.NewBool(rapid.Bool().Draw(t, "bool"))
	case k == entity.KindFlags:
		bits := rapid.Uint64().Draw(t, "flags")
		if !s.WideFlags() {
			bits &= 1<<32 - 1
		}
		return entity.NewUint(k, bits)
	case k.IsSigned():
		shift := 64 - k.Bits()
		return entity.NewInt(k, rapid.Int64().Draw(t, "int")<<shift>>shift)
	case k.IsUnsigned():
		shift := 64 - k.Bits()
		return entity.NewUint(k, rapid.Uint64().Draw(t, "uint")<<shift>>shift)
	case k == entity.KindF32:
		return entity.NewF32(F32Bits().Draw(t, "f32"))
	case k == entity.KindF64:
		return entity.NewF64(F64Bits().Draw(t, "f64"))
	case k.Components() > 0:
		var c [entity.MaxComponents]uint32
		for i := range k.Components() {
			c[i] = F32Bits().Draw(t, "component")
		}
		return entity.NewComponents(k, c)
	case k == entity.KindString:
		return entity.NewString(Text().Draw(t, "string"))
	case k == entity.KindBlob:
		return entity.NewBlob(string(rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "blob")))
	case k == entity.KindExpr:
		return entity.NewExpr(Source().Draw(t, "expr"))
	case k == entity.KindGUID:
		return entity.NewGUID(entity.GUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "guid")))
	case k.IsList():
		return list(t, s)
	}
	members := make([]entity.Value, len(s.Fields))
	for i, f := range s.Fields {
		members[i] = Value(&f.Shape).Draw(t, f.Name)
	}
	return entity.NewStruct(members)
}

func list(t *rapid.T, s *entity.Shape) entity.Value {
	items := rapid.SliceOfN(Value(s.Of), 0, 4).Draw(t, "items")
	if s.Kind == entity.KindSet {
		items, _ = entity.SortSet(items)
	}
	if key := s.KeyIndex(); key >= 0 {
		items = distinctKeys(items, key)
	}
	return entity.NewList(s.Kind, items)
}

// distinctKeys drops elements whose key an earlier one has.
func distinctKeys(items []entity.Value, key int) []entity.Value {
	var out []entity.Value
	seen := make(map[string]bool)
	for _, item := range items {
		k := fmt.Sprint(item.Items()[key])
		if !seen[k] {
			seen[k] = true
			out = append(out, item)
		}
	}
	return out
}

// Entity generates an entity of the type, at a revision of its own.
func Entity(id entity.ID, typ *entity.Type) *rapid.Generator[*entity.Entity] {
	return rapid.Custom(func(t *rapid.T) *entity.Entity {
		e := entity.New(id, typ.Layout(rapid.Uint32Range(0, 200).Draw(t, "at revision")))
		for i, f := range e.Layout.Fields {
			e.Values[i] = Value(&f.Shape).Draw(t, f.Name)
		}
		if rapid.IntRange(0, 3).Draw(t, "unknown") == 0 && e.Layout.Index("no such field") < 0 {
			e.Unknown = []entity.Raw{{Name: "no such field", Lines: "    1.5 : 3fc00000\n    [\n    \"x\"\n    ]"}}
		}
		if err := e.Validate(); err != nil {
			t.Fatalf("generated entity: %v", err)
		}
		return e
	})
}

// World generates a small world of a few types.
func World() *rapid.Generator[*entity.World] {
	return rapid.Custom(func(t *rapid.T) *entity.World {
		types := rapid.SliceOfNDistinct(Type(), 1, 4, func(t *entity.Type) string { return t.Name }).Draw(t, "types")
		w := entity.NewWorld(entity.GUID{1, 2, 3}, entity.NewTypes(types...))
		ids := rapid.SliceOfNDistinct(rapid.Uint32Min(1), 0, 8, rapid.ID[uint32]).Draw(t, "ids")
		for _, id := range ids {
			typ := rapid.SampledFrom(types).Draw(t, "type")
			w.Put(Entity(entity.ID(id), typ).Draw(t, "entity"))
		}
		return w
	})
}
