package island

import "github.com/worldfs/worldfs/entity"

func lamp() *entity.Type {
	return &entity.Type{
		Name: "Lamp", Revision: 57, Mount: mount(),
		Fields: with(placed(), mounted(), []*entity.Field{
			{Name: "light", Shape: enumOf("point", "spot", "area")},
			{Name: "colour", Shape: vec4, Attributes: attributes("ui", `"colour"`)},
			{Name: "intensity", Shape: f32, Default: defaults(entity.F32Of(1)), Attributes: attributes("max", `16`, "step", `0.25`)},
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
