package island

import "github.com/worldfs/worldfs/entity"

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
