package island

import "github.com/worldfs/worldfs/entity"

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
