package island

import (
	"encoding/json"

	"github.com/worldfs/worldfs/entity"
)

// The shapes that the declarations are made of.
var (
	boolean = entity.Shape{Kind: entity.KindBool}
	i8      = entity.Shape{Kind: entity.KindI8}
	i16     = entity.Shape{Kind: entity.KindI16}
	i32     = entity.Shape{Kind: entity.KindI32}
	i64     = entity.Shape{Kind: entity.KindI64}
	u8      = entity.Shape{Kind: entity.KindU8}
	u16     = entity.Shape{Kind: entity.KindU16}
	u32     = entity.Shape{Kind: entity.KindU32}
	u64     = entity.Shape{Kind: entity.KindU64}
	f32     = entity.Shape{Kind: entity.KindF32}
	f64     = entity.Shape{Kind: entity.KindF64}
	vec2    = entity.Shape{Kind: entity.KindVec2}
	vec3    = entity.Shape{Kind: entity.KindVec3}
	vec4    = entity.Shape{Kind: entity.KindVec4}
	quat    = entity.Shape{Kind: entity.KindQuat}
	text    = entity.Shape{Kind: entity.KindString}
	blob    = entity.Shape{Kind: entity.KindBlob}
	guid    = entity.Shape{Kind: entity.KindGUID}
	ref     = entity.Shape{Kind: entity.KindRef}
	parent  = entity.Shape{Kind: entity.KindRef, Direct: true}
)

func optional(s entity.Shape) entity.Shape {
	s.Optional = true
	return s
}

func setOf(s entity.Shape) entity.Shape   { return entity.Shape{Kind: entity.KindSet, Of: &s} }
func arrayOf(s entity.Shape) entity.Shape { return entity.Shape{Kind: entity.KindArray, Of: &s} }

func structOf(fields ...*entity.Field) entity.Shape {
	return entity.Shape{Kind: entity.KindStruct, Fields: fields}
}

// keyedBy is an array of structs that the member key tells apart.
func keyedBy(key string, fields ...*entity.Field) entity.Shape {
	s := arrayOf(structOf(fields...))
	s.Key = key
	return s
}

// enumOf numbers its names from 0.
func enumOf(names ...string) entity.Shape {
	return entity.Shape{Kind: entity.KindEnum, Names: numbered(names)}
}

// flagsOf gives its names the bits from 0.
func flagsOf(names ...string) entity.Shape {
	return entity.Shape{Kind: entity.KindFlags, Names: numbered(names)}
}

func numbered(names []string) []entity.Name {
	out := make([]entity.Name, len(names))
	for i, name := range names {
		out[i] = entity.Name{Name: name, Number: int64(i)}
	}
	return out
}

// defaults makes a declaration's default of a value.
func defaults(v entity.Value) *entity.Value { return &v }

// attributes makes an engine's metadata of names and JSON texts by turns.
func attributes(pairs ...string) map[string]json.RawMessage {
	m := make(map[string]json.RawMessage, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return m
}

// placed returns the fields that everything with a place in the world begins
// with, followed by the type's own.
func placed(own ...*entity.Field) []*entity.Field {
	return append([]*entity.Field{
		{Name: "position", Shape: vec3},
		{Name: "orientation", Shape: quat},
		{Name: "entity_name", Shape: text},
	}, own...)
}

// grouped is the group that an entity is edited and hidden with.
func grouped() *entity.Field { return &entity.Field{Name: "group_id", Shape: ref} }

// entityFlags are the switches that all drawn things share.
func entityFlags() *entity.Field {
	return &entity.Field{Name: "entity_flags", Shape: flagsOf(
		"invisible", "no_collision", "casts_shadow", "lightmapped", "reflected", "frozen")}
}

// mounted returns the fields of mount. The parent is none, and the offset
// absent, for what stands on its own.
func mounted() []*entity.Field {
	return []*entity.Field{
		{Name: "mount_parent_id", Shape: parent},
		{Name: "mount_position", Shape: optional(vec3)},
		{Name: "mount_orientation", Shape: optional(quat)},
	}
}

// mount is how all mounted types follow their parents.
func mount() *entity.Mount {
	return &entity.Mount{
		Parent: "mount_parent_id",
		Offset: []string{"mount_position", "mount_orientation"},
		Pose:   []string{"position", "orientation"},
	}
}

// lightmap is a hash of the baked light; the bake makes it, people do not edit it.
func lightmap() *entity.Field {
	return &entity.Field{Name: "lightmap_hash", Shape: blob, Hidden: true, Derived: true}
}

// with joins runs of fields.
func with(runs ...[]*entity.Field) []*entity.Field {
	var all []*entity.Field
	for _, run := range runs {
		all = append(all, run...)
	}
	return all
}
