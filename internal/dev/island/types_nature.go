package island

import "github.com/worldfs/worldfs/entity"

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
