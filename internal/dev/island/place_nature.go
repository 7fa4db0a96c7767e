package island

import "github.com/worldfs/worldfs/entity"

// grow plants the island: woods on the slopes, rocks on shores and heights,
// grass in between.
func (g *generator) grow() {
	g.makeTrees()
	g.makeRocks()
	g.makeGrass()
}

// built reports whether people keep a place free.
func (g *generator) built(p point) bool {
	for _, a := range g.areas {
		if p.distance2(a.at) < a.radius*a.radius/3 {
			return true
		}
	}
	return false
}

func (g *generator) makeTrees() {
	r := g.random("trees")
	for range g.counts["Tree"] {
		p := g.land.somewhere(r, func(p point) bool {
			woods := g.land.forest(p.x, p.y)
			return p.z > 1600 && p.z < g.land.radius/9 && woods > r.between(-30_000, 22_000) && !g.built(p)
		})
		e := g.addAt("Tree", newPose(p, r.heading()))
		g.shapeTree(r, e, p)
	}
}

func (g *generator) shapeTree(r random, e *entity.Entity, p point) {
	size := r.between(600, 1600)
	set(e, "scale", entity.F32Of(thousandths(size)))
	species := g.speciesAt(r, p)
	set(e, "species", entity.NewInt(entity.KindEnum, species))
	set(e, "fade_start", entity.F32Of(thousandths(size*100)))
	set(e, "fade_end", entity.F32Of(thousandths(size*200)))
	set(e, "draw_distance", entity.F32Of(thousandths(size*200)))
	g.ageTree(r, e, size, species)
	set(e, "variation", entity.NewUint(entity.KindU8, uint64(r.below(12))))
	set(e, "leaf_tint", r.colour(280+40*species, 520, 200))
	set(e, "trunk_radius", r.number(size/8, size/4))
	set(e, "wind_phase", r.number(0, 6283))
	set(e, "entity_flags", entity.NewUint(entity.KindFlags, uint64(pick(r, []int64{0b00100, 0b00100, 0b10100, 0b00110}))))
	g.groupNearby(e, p)
	if r.percent(3) {
		set(e, "entity_name", entity.NewString(pick(r, treeNames)+" "+e.ID.String()))
	}
}

// ageTree says what a tree of a size, in thousandths, and a species is like
// when it has come to its age.
func (g *generator) ageTree(r random, e *entity.Entity, size, species int64) {
	evergreen := species == pine || species == cypress
	set(e, "age_years", entity.NewUint(entity.KindU8, uint64(size/10+r.between(-20, 40))))
	set(e, "receives_wind", entity.NewBool(size < 1500))
	set(e, "sheds_leaves", entity.NewBool(!evergreen))
	set(e, "bears_fruit", entity.NewBool(species == apple && r.percent(70)))
	set(e, "climbable", entity.NewBool(size > 1100 && r.percent(25)))
	set(e, "nesting_birds", entity.NewBool(r.percent(12)))
	set(e, "far_impostor", entity.NewBool(size > 700))
}

var treeNames = []string{"leaning tree", "lightning tree", "climbing tree", "apple tree puzzle", "landmark tree"}

// The numbers of the tree type's enum of species.
const birch, oak, pine, cypress, apple, willow = 0, 1, 2, 3, 4, 5

// speciesAt returns the number of the type's enum for a tree at a place.
func (g *generator) speciesAt(r random, p point) int64 {
	switch {
	case r.percent(10):
		return r.below(6)
	case p.z < 4000:
		return pick(r, []int64{willow, cypress})
	case p.z > g.land.radius/16:
		return pick(r, []int64{pine, pine, birch})
	case p.distance2(g.areas[0].at) < g.land.radius*g.land.radius/10:
		return pick(r, []int64{apple, oak})
	}
	return pick(r, []int64{oak, birch, oak, pine})
}

// groupNearby puts what grows near an area into one of the area's groups.
func (g *generator) groupNearby(e *entity.Entity, p point) {
	if a := g.nearest(p); a != nil {
		set(e, "group_id", entity.NewRef(a.group(g.ages)))
	}
}

func (g *generator) makeRocks() {
	r := g.random("rocks")
	for range g.counts["Rock"] {
		p := g.land.somewhere(r, func(p point) bool {
			shore := p.z > -1500 && p.z < 2200
			return shore || p.z > g.land.radius/11 || p.z > 0 && r.percent(6)
		})
		g.shapeRock(r, g.addAt("Rock", newPose(p, r.tumble())), p)
	}
}

func (g *generator) shapeRock(r random, e *entity.Entity, p point) {
	size := r.between(200, 2400)
	set(e, "size", entity.VecOf(entity.KindVec3,
		r.milli(size/2, size*2), r.milli(size/2, size*2), r.milli(size/3, size)))
	set(e, "stone", entity.NewInt(entity.KindEnum, r.below(4)))
	set(e, "mesh", entity.NewUint(entity.KindU16, uint64(r.between(100, 160))))
	set(e, "moss", r.number(0, 1000))
	set(e, "tint", r.colour(520, 500, 470))
	set(e, "walkable", entity.NewBool(size > 1200))
	set(e, "climbable", entity.NewBool(size > 1800 && r.percent(60)))
	set(e, "receives_decals", entity.NewBool(size > 600))
	set(e, "wet_at_high_tide", entity.NewBool(p.z < 600))
	set(e, "echoes_footsteps", entity.NewBool(r.percent(8)))
	set(e, "buried_percent", entity.NewUint(entity.KindU8, uint64(r.between(5, 60))))
	set(e, "entity_flags", entity.NewUint(entity.KindFlags, 0b01100))
	g.groupNearby(e, p)
}

func (g *generator) makeGrass() {
	r := g.random("grass")
	for range g.counts["Grass_Cluster"] {
		p := g.land.somewhere(r, func(p point) bool {
			return p.z > 900 && p.z < g.land.radius/10 && g.land.forest(p.x, p.y) < r.between(-20_000, 30_000)
		})
		e := g.addAt("Grass_Cluster", newPose(p, r.lean()))
		set(e, "plant", entity.NewInt(entity.KindEnum, r.below(5)))
		set(e, "blades_per_tuft", entity.NewUint(entity.KindU8, uint64(r.between(9, 60))))
		set(e, "receives_wind", entity.NewBool(p.z > 1200 || r.percent(60)))
		set(e, "casts_shadow", entity.NewBool(r.percent(20)))
		set(e, "bends_underfoot", entity.NewBool(r.percent(85)))
		set(e, "tufts", tufts(r))
		set(e, "height", r.number(150, 1100))
		set(e, "density", r.number(200, 1000))
		set(e, "tint", r.colour(420, 560, 240))
		set(e, "seed", entity.NewUint(entity.KindU32, r.source.Uint64()>>32))
	}
}

func tufts(r random) entity.Value {
	out := make([]entity.Value, r.between(3, 6))
	for i := range out {
		out[i] = entity.VecOf(entity.KindVec2, r.milli(-1500, 1500), r.milli(-1500, 1500))
	}
	return entity.NewList(entity.KindArray, out)
}
