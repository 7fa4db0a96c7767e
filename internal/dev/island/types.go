package island

import (
	"encoding/json"

	"github.com/worldfs/worldfs/entity"
	_ "github.com/worldfs/worldfs/entity/expression" // which the conditions of the types are written in
)

// Types returns the types of the island's entities, made anew by every call.
func Types() *entity.Types {
	return entity.NewTypes(
		settings(), sun(), group(), startPoint(), camera(), sound(),
		door(), panel(), trigger(), cable(), path(), note(),
		lamp(), emitter(),
		buildingPiece(), stairs(), railing(), bridge(), boat(), pool(), decal(),
		tree(), rock(), grassCluster(), terrainPatch(),
	)
}

func buildingPiece() *entity.Type {
	return &entity.Type{
		Name: "Building_Piece", Revision: 46,
		Fields: placed(
			&entity.Field{Name: "asset", Shape: guid},
			&entity.Field{Name: "part", Shape: enumOf("floor", "wall", "roof", "chimney")},
			&entity.Field{Name: "size", Shape: vec3},
			&entity.Field{Name: "material", Shape: enumOf("timber", "brick", "concrete", "limestone")},
			&entity.Field{Name: "weathering", Shape: f32, Attributes: attributes("max", `1`, "min", `0`)},
			&entity.Field{Name: "tint", Shape: vec4, Default: defaults(entity.VecOf(entity.KindVec4, 1, 1, 1, 1))},
			&entity.Field{Name: "bounds_radius", Shape: f32, Derived: true},
			entityFlags(),
			grouped(),
			lightmap(),
		),
	}
}

func stairs() *entity.Type {
	return &entity.Type{
		Name: "Stairs", Revision: 14,
		Fields: placed(
			&entity.Field{Name: "steps", Shape: u8},
			&entity.Field{Name: "rise", Shape: f32},
			&entity.Field{Name: "run", Shape: f32},
			&entity.Field{Name: "width", Shape: f32},
			&entity.Field{Name: "turn", Shape: i16, Attributes: attributes("unit", `"degrees"`)},
			&entity.Field{Name: "material", Shape: enumOf("timber", "stone", "iron")},
			entityFlags(),
			grouped(),
		),
	}
}

func railing() *entity.Type {
	return &entity.Type{
		Name: "Railing", Revision: 18, Mount: mount(),
		Fields: with(placed(), mounted(), []*entity.Field{
			{Name: "posts", Shape: u16},
			{Name: "spacing", Shape: f32, Default: defaults(entity.F32Of(1.2))},
			{Name: "height", Shape: f32, Default: defaults(entity.F32Of(1))},
			{Name: "style", Shape: enumOf("rope", "picket", "iron", "bamboo")},
			entityFlags(),
			grouped(),
		}),
	}
}

func bridge() *entity.Type {
	return &entity.Type{
		Name: "Bridge", Revision: 26,
		Fields: placed(
			&entity.Field{Name: "span", Shape: f32},
			&entity.Field{Name: "planks", Shape: arrayOf(i16)},
			&entity.Field{Name: "raised", Shape: boolean},
			&entity.Field{Name: "opened_by_id", Shape: ref},
			entityFlags(),
			grouped(),
		),
	}
}

func boat() *entity.Type {
	return &entity.Type{
		Name: "Boat", Revision: 37,
		Fields: placed(
			&entity.Field{Name: "hull", Shape: enumOf("dinghy", "launch", "barge")},
			&entity.Field{Name: "hull_number", Shape: text, Unique: true},
			&entity.Field{Name: "draught", Shape: f32},
			&entity.Field{Name: "heel_degrees", Shape: i8},
			&entity.Field{Name: "route_id", Shape: ref},
			&entity.Field{Name: "docks", Shape: optional(setOf(ref))},
			&entity.Field{Name: "colour", Shape: vec4},
			entityFlags(),
			grouped(),
		),
	}
}

func pool() *entity.Type {
	return &entity.Type{
		Name: "Pool", Revision: 8,
		Fields: placed(
			&entity.Field{Name: "outline", Shape: arrayOf(vec2)},
			&entity.Field{Name: "depth", Shape: f32},
			&entity.Field{Name: "flow", Shape: vec2},
			&entity.Field{Name: "colour", Shape: vec4},
			&entity.Field{Name: "swimmable", Shape: boolean},
			grouped(),
		),
	}
}

func decal() *entity.Type {
	return &entity.Type{
		Name: "Decal", Revision: 21,
		Fields: placed(
			&entity.Field{Name: "texture", Shape: enumOf("moss", "crack", "rust", "leaves", "paint", "puddle")},
			&entity.Field{Name: "size", Shape: vec2},
			&entity.Field{Name: "depth", Shape: f32, Default: defaults(entity.F32Of(0.25))},
			&entity.Field{Name: "opacity", Shape: f32, Default: defaults(entity.F32Of(1))},
			&entity.Field{Name: "tint", Shape: vec4, Default: defaults(entity.VecOf(entity.KindVec4, 1, 1, 1, 1))},
			&entity.Field{Name: "layer", Shape: i8},
			&entity.Field{Name: "receivers", Shape: optional(setOf(ref)), Since: 19},
			grouped(),
		),
	}
}

func lamp() *entity.Type {
	return &entity.Type{
		Name: "Lamp", Revision: 57, Mount: mount(),
		Fields: with(placed(), mounted(), []*entity.Field{
			{Name: "light", Shape: enumOf("point", "spot", "area")},
			{Name: "colour", Shape: vec4, Attributes: attributes("ui", `"colour"`)},
			{Name: "intensity", Shape: f32, Since: 40, Default: defaults(entity.F32Of(1)), Attributes: attributes("max", `16`, "step", `0.25`)},
			{Name: "radius", Shape: f32},
			{Name: "cone", Shape: vec2, SaveWhen: `light == "spot"`, Default: defaults(entity.VecOf(entity.KindVec2, 30, 45))},
			{Name: "lamp_flags", Shape: flagsOf("lit", "casts_shadow", "baked", "flickers", "follows_power")},
			{Name: "flicker_seed", Shape: u16, Since: 49},
			{Name: "power_source_id", Shape: ref},
			{Name: "brightness", Shape: f32, Until: 40, Successor: "intensity"},
			entityFlags(),
			grouped(),
			lightmap(),
		}),
	}
}

func emitter() *entity.Type {
	return &entity.Type{
		Name: "Particle_Emitter", Revision: 30,
		Fields: placed(
			&entity.Field{Name: "effect", Shape: enumOf("smoke", "pollen", "spray", "fireflies", "dust")},
			&entity.Field{Name: "rate", Shape: f32},
			&entity.Field{Name: "lifetime", Shape: vec2},
			&entity.Field{Name: "gravity", Shape: vec3},
			&entity.Field{Name: "colour_ramp", Shape: arrayOf(vec4)},
			&entity.Field{Name: "max_particles", Shape: u16, Default: defaults(entity.NewUint(entity.KindU16, 64))},
			&entity.Field{Name: "asset", Shape: guid},
			grouped(),
		),
	}
}

func tree() *entity.Type {
	return &entity.Type{
		Name: "Tree", Revision: 31,
		Fields: placed(
			&entity.Field{Name: "scale", Shape: f32, Default: defaults(entity.F32Of(1))},
			&entity.Field{Name: "species", Shape: enumOf("birch", "oak", "pine", "cypress", "apple", "willow")},
			&entity.Field{Name: "variation", Shape: u8},
			&entity.Field{Name: "leaf_tint", Shape: vec4, Attributes: attributes("ui", `"colour"`)},
			&entity.Field{Name: "trunk_radius", Shape: f32},
			&entity.Field{Name: "wind_phase", Shape: f32, Since: 28},
			&entity.Field{Name: "fade_start", Shape: f32, Since: 26, Default: defaults(entity.F32Of(80))},
			&entity.Field{Name: "fade_end", Shape: f32, Since: 26, Default: defaults(entity.F32Of(240))},
			&entity.Field{Name: "draw_distance", Shape: f32, Until: 26, Successor: "fade_end"},
			&entity.Field{Name: "age_years", Shape: u8},
			&entity.Field{Name: "receives_wind", Shape: boolean, Since: 28, Default: defaults(entity.NewBool(true))},
			&entity.Field{Name: "sheds_leaves", Shape: boolean},
			&entity.Field{Name: "bears_fruit", Shape: boolean},
			&entity.Field{Name: "climbable", Shape: boolean},
			&entity.Field{Name: "nesting_birds", Shape: boolean},
			&entity.Field{Name: "far_impostor", Shape: boolean, Default: defaults(entity.NewBool(true))},
			entityFlags(),
			grouped(),
		),
		Attributes: attributes("icon", `"tree.png"`, "instanced", `true`),
	}
}

func rock() *entity.Type {
	return &entity.Type{
		Name: "Rock", Revision: 17,
		Fields: placed(
			&entity.Field{Name: "size", Shape: vec3},
			&entity.Field{Name: "stone", Shape: enumOf("granite", "basalt", "sandstone", "chalk")},
			&entity.Field{Name: "mesh", Shape: u16},
			&entity.Field{Name: "moss", Shape: f32},
			&entity.Field{Name: "tint", Shape: vec4},
			&entity.Field{Name: "walkable", Shape: boolean, Since: 13},
			&entity.Field{Name: "climbable", Shape: boolean},
			&entity.Field{Name: "receives_decals", Shape: boolean},
			&entity.Field{Name: "wet_at_high_tide", Shape: boolean},
			&entity.Field{Name: "echoes_footsteps", Shape: boolean},
			&entity.Field{Name: "buried_percent", Shape: u8, Attributes: attributes("max", `100`)},
			&entity.Field{Name: "snow_depth", Shape: f32, Until: 13}, // it never snowed: every rock has the default
			entityFlags(),
			grouped(),
		),
		Attributes: attributes("icon", `"rock.png"`, "instanced", `true`),
	}
}

// grassCluster is what the scattering tool makes and makes anew; its IDs are
// in the disposable range.
func grassCluster() *entity.Type {
	return &entity.Type{
		Name: "Grass_Cluster", Revision: 12,
		Fields: placed(
			&entity.Field{Name: "plant", Shape: enumOf("grass", "reed", "heather", "poppy", "fern")},
			&entity.Field{Name: "tufts", Shape: arrayOf(vec2)},
			&entity.Field{Name: "height", Shape: f32},
			&entity.Field{Name: "density", Shape: f32},
			&entity.Field{Name: "tint", Shape: vec4},
			&entity.Field{Name: "seed", Shape: u32, Hidden: true},
			&entity.Field{Name: "blades_per_tuft", Shape: u8},
			&entity.Field{Name: "receives_wind", Shape: boolean},
			&entity.Field{Name: "casts_shadow", Shape: boolean},
			&entity.Field{Name: "bends_underfoot", Shape: boolean},
		),
		Attributes: attributes("made_by", `"scatter"`),
	}
}

func terrainPatch() *entity.Type {
	return &entity.Type{
		Name: "Terrain_Patch", Revision: 20,
		Fields: placed(
			&entity.Field{Name: "column", Shape: i16},
			&entity.Field{Name: "row", Shape: i16},
			&entity.Field{Name: "spacing", Shape: f32},
			&entity.Field{Name: "heights", Shape: arrayOf(f32)},
			&entity.Field{Name: "surface", Shape: enumOf("sea_bed", "sand", "meadow", "forest", "scree")},
			&entity.Field{Name: "splat_asset", Shape: guid},
			&entity.Field{Name: "walkable", Shape: boolean},
		),
	}
}

func door() *entity.Type {
	return &entity.Type{
		Name: "Door", Revision: 72, Mount: mount(),
		Fields: with(placed(
			&entity.Field{Name: "targets", Shape: optional(setOf(ref))},
		), mounted(), []*entity.Field{
			{Name: "map_size", Shape: u32, Since: 63, Until: 85, Default: defaults(entity.NewUint(entity.KindU32, 256))},
			{Name: "open_angle", Shape: f32, Until: 58, Successor: "travel"},
			{Name: "travel", Shape: f32, Since: 58, Attributes: attributes("unit", `"degrees"`)},
			{Name: "open_seconds", Shape: f32, Default: defaults(entity.F32Of(2.5))},
			{Name: "motion", Shape: enumOf("hinged", "sliding", "rising", "double")},
			{Name: "door_flags", Shape: flagsOf("locked", "starts_open", "one_way", "closes_behind", "silent")},
			{Name: "lock_code", Shape: i32, SaveWhen: `"locked" in door_flags`},
			{Name: "colour", Shape: vec4, Attributes: attributes("ui", `"colour"`)},
			entityFlags(),
			grouped(),
			lightmap(),
		}),
		Attributes: attributes("icon", `"door.png"`, "menu", `["Puzzle","Door"]`),
	}
}

func panel() *entity.Type {
	fields := with(placed(), mounted(), []*entity.Field{
		{Name: "puzzle", Shape: enumOf("maze", "dots", "mirror", "tides", "shadows", "echo")},
		{Name: "panel_flags", Shape: flagsOf("powered", "timed", "optional", "hidden_start", "symmetric")},
		{Name: "grid_size", Shape: structOf(
			&entity.Field{Name: "columns", Shape: u8},
			&entity.Field{Name: "rows", Shape: u8},
		)},
		{Name: "cells", Shape: arrayOf(u8)},
		{Name: "solution_hash", Shape: u64, Hidden: true},
		{Name: "timer_seconds", Shape: f32, SaveWhen: `"timed" in panel_flags`, Default: defaults(entity.F32Of(45))},
		{Name: "opens", Shape: setOf(ref)},
		{Name: "next_panel_id", Shape: ref},
		{Name: "colour_back", Shape: vec4},
		{Name: "colour_line", Shape: vec4},
		{Name: "difficulty", Shape: i8, Since: 88},
		{Name: "designer_comment", Shape: optional(text), EditorOnly: true},
		grouped(),
	})
	fields[2] = &entity.Field{Name: "entity_name", Shape: text, Unique: true}
	return &entity.Type{
		Name: "Puzzle_Panel", Revision: 94, Label: "entity_name", Mount: mount(), Fields: fields,
		Attributes: attributes("icon", `"panel.png"`, "menu", `["Puzzle","Panel"]`),
	}
}

func trigger() *entity.Type {
	return &entity.Type{
		Name: "Trigger", Revision: 28,
		Fields: placed(
			&entity.Field{Name: "half_size", Shape: vec3},
			&entity.Field{Name: "event", Shape: enumOf("enter", "leave", "look_at", "stay")},
			&entity.Field{Name: "targets", Shape: setOf(ref)},
			&entity.Field{Name: "delay_seconds", Shape: f32},
			&entity.Field{Name: "fires_once", Shape: boolean},
			&entity.Field{Name: "priority", Shape: i32},
			&entity.Field{Name: "cooldown", Shape: optional(f32), Since: 25},
			grouped(),
		),
	}
}

func cable() *entity.Type {
	return &entity.Type{
		Name: "Cable", Revision: 15,
		Fields: placed(
			&entity.Field{Name: "from_id", Shape: ref},
			&entity.Field{Name: "to_id", Shape: ref},
			&entity.Field{Name: "thickness", Shape: f32, Default: defaults(entity.F32Of(0.04))},
			&entity.Field{Name: "colour_lit", Shape: vec4},
			&entity.Field{Name: "points", Shape: keyedBy("id",
				&entity.Field{Name: "id", Shape: u16},
				&entity.Field{Name: "position", Shape: vec3},
				&entity.Field{Name: "buried", Shape: boolean},
			)},
			grouped(),
		),
	}
}

func path() *entity.Type {
	return &entity.Type{
		Name: "Path", Revision: 22,
		Fields: placed(
			&entity.Field{Name: "waypoints", Shape: keyedBy("id",
				&entity.Field{Name: "id", Shape: u32},
				&entity.Field{Name: "position", Shape: vec3},
				&entity.Field{Name: "wait", Shape: f32},
				&entity.Field{Name: "look_at", Shape: optional(vec3)},
				&entity.Field{Name: "surface", Shape: enumOf("gravel", "planks", "grass", "stone"), Since: 18},
			)},
			&entity.Field{Name: "closed", Shape: boolean},
			&entity.Field{Name: "speed", Shape: f32, Default: defaults(entity.F32Of(1.4))},
			&entity.Field{Name: "walker_id", Shape: ref},
			&entity.Field{Name: "width", Shape: f32, Until: 20},
			&entity.Field{Name: "width", Shape: f64, Since: 20},
		),
	}
}

func note() *entity.Type {
	return &entity.Type{
		Name: "Note", Revision: 11, Label: "title",
		Fields: with(placed(), []*entity.Field{
			{Name: "title", Shape: text},
			{Name: "body", Shape: text, Attributes: attributes("ui", `"multiline"`, "translate", `true`)},
			{Name: "written_at", Shape: i32, Until: 9, Attributes: attributes("unit", `"unix seconds"`)},
			{Name: "written_at", Shape: i64, Since: 9, Attributes: attributes("unit", `"unix seconds"`)},
			{Name: "catalogue_number", Shape: u32, Unique: true},
			{Name: "voice_asset", Shape: optional(guid), Since: 9},
			{Name: "handwriting", Shape: enumOf("neat", "hurried", "child", "typewriter")},
			grouped(),
		}),
	}
}

func settings() *entity.Type {
	features := flagsOf("tides", "weather", "birds", "photo_mode")
	features.Names = append(features.Names, entity.Name{Name: "experimental", Number: 40})
	return &entity.Type{
		Name: "World_Settings", Revision: 19, Label: "title",
		Fields: []*entity.Field{
			{Name: "title", Shape: text},
			{Name: "build_asset", Shape: guid},
			{Name: "world_clock", Shape: f64, Attributes: attributes("unit", `"seconds"`)},
			{Name: "clock_rate", Shape: f64, Since: 12, Default: defaults(entity.F64Of(1))},
			{Name: "wind", Shape: vec2},
			{Name: "sea_level", Shape: f32},
			{Name: "fog_colour", Shape: vec4, Attributes: attributes("ui", `"colour"`)},
			{Name: "features", Shape: features},
			{Name: "tide_table", Shape: arrayOf(structOf(
				&entity.Field{Name: "hour", Shape: u8},
				&entity.Field{Name: "level", Shape: f32},
			))},
			{Name: "shader_salt", Shape: u64, Hidden: true},
			{Name: "editor_notes", Shape: text, EditorOnly: true},
		},
		Attributes: attributes("singleton", `true`),
	}
}

// sun turns with the world's clock while its flag says so; its pose is then
// whatever it was at the time of a save, and no change.
func sun() *entity.Type {
	const follows = `"follows_clock" in sun_flags`
	return &entity.Type{
		Name: "Sun", Revision: 24,
		Fields: []*entity.Field{
			{Name: "position", Shape: vec3, InsignificantWhen: follows},
			{Name: "orientation", Shape: quat, InsignificantWhen: follows},
			{Name: "entity_name", Shape: text},
			{Name: "sun_flags", Shape: flagsOf("follows_clock", "casts_shadow", "lens_flare")},
			{Name: "colour", Shape: vec4},
			{Name: "intensity", Shape: f32, Default: defaults(entity.F32Of(1))},
			{Name: "shadow_distances", Shape: arrayOf(f32)},
			{Name: "azimuth", Shape: f32, Until: 20},
		},
	}
}

func group() *entity.Type {
	return &entity.Type{
		Name: "Group", Revision: 9,
		Fields: placed(
			&entity.Field{Name: "parent_group_id", Shape: parent},
			&entity.Field{Name: "editor_colour", Shape: vec4, EditorOnly: true},
			&entity.Field{Name: "locked_by", Shape: optional(text), EditorOnly: true},
			&entity.Field{Name: "radius", Shape: f32},
			&entity.Field{Name: "keywords", Shape: setOf(text), Since: 7},
		),
	}
}

func startPoint() *entity.Type {
	return &entity.Type{
		Name: "Start_Point", Revision: 6,
		Fields: placed(
			&entity.Field{Name: "priority", Shape: i32},
			&entity.Field{Name: "for_testing", Shape: boolean, EditorOnly: true},
			&entity.Field{Name: "opening_camera_id", Shape: ref},
		),
	}
}

func camera() *entity.Type {
	return &entity.Type{
		Name: "Camera", Revision: 33,
		Fields: placed(
			&entity.Field{Name: "field_of_view", Shape: f32, Default: defaults(entity.F32Of(60)), Attributes: attributes("max", `120`, "min", `10`)},
			&entity.Field{Name: "clip_planes", Shape: vec2},
			&entity.Field{Name: "shot", Shape: enumOf("still", "pan", "follow", "credits")},
			&entity.Field{Name: "subjects", Shape: arrayOf(optional(ref))},
			&entity.Field{Name: "exposure_stops", Shape: i8, Since: 21},
			grouped(),
		),
	}
}

func sound() *entity.Type {
	return &entity.Type{
		Name: "Sound", Revision: 41, Mount: mount(),
		Fields: with(placed(), mounted(), []*entity.Field{
			{Name: "sample", Shape: text},
			{Name: "bus", Shape: enumOf("ambience", "effects", "music", "voice")},
			{Name: "volume", Shape: f32, Default: defaults(entity.F32Of(1)), Attributes: attributes("max", `2`, "ui", `"slider"`)},
			{Name: "pitch", Shape: f32, Default: defaults(entity.F32Of(1))},
			{Name: "falloff", Shape: structOf(
				&entity.Field{Name: "near", Shape: f32},
				&entity.Field{Name: "far", Shape: f32},
				&entity.Field{Name: "curve", Shape: enumOf("linear", "inverse", "custom")},
			)},
			{Name: "looped", Shape: boolean},
			{Name: "occlusion_volume", Shape: f32, Since: 38, Default: defaults(entity.F32Of(0.5))},
			grouped(),
		}),
	}
}

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
