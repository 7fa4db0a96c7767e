package island

import "github.com/worldfs/worldfs/entity"

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
