package island

import (
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// build makes the houses and what is built besides them.
func (g *generator) build() {
	g.makeHouses()
	g.makeStairs()
	g.makeBridges()
	g.makeBoats()
	g.makePools()
	g.makeRailings()
}

// housePart is one piece of a house: where it is, in millimetres from the
// middle of the floor, how it is turned, and its size.
type housePart struct {
	part int64 // the number of the type's enum
	noun string
	at   point
	turn turn
	size point
}

// quarter is 90 degrees about the vertical, nearly: newTurn takes the tangent
// of a fourth of the angle.
var quarter = newTurn(0, 0, 414)

var house = []housePart{
	{0, "floor", point{0, 0, 100}, upright, point{6000, 4500, 200}},
	{1, "wall", point{0, -2250, 1500}, upright, point{6000, 200, 2600}},
	{1, "wall", point{0, 2250, 1500}, upright, point{6000, 200, 2600}},
	{1, "wall", point{-3000, 0, 1500}, quarter, point{4500, 200, 2600}},
	{1, "wall", point{3000, 0, 1500}, quarter, point{4500, 200, 2600}},
	{2, "roof", point{0, -1200, 3300}, newTurn(130, 0, 0), point{6600, 3000, 150}},
	{2, "roof", point{0, 1200, 3300}, newTurn(-130, 0, 0), point{6600, 3000, 150}},
	{3, "chimney", point{1800, 700, 3900}, upright, point{700, 700, 1600}},
}

func (g *generator) makeHouses() {
	r := g.random("houses")
	var a *area
	var base pose
	for i := range g.counts["Building_Piece"] {
		if i%len(house) == 0 {
			a = g.areas[i/len(house)%len(g.areas)]
			base = newPose(g.land.near(r, a.at, a.radius*3/4), r.heading())
		}
		g.makePiece(r, a, base, &house[i%len(house)])
	}
}

func (g *generator) makePiece(r random, a *area, base pose, part *housePart) {
	e := g.addIn(a, "Building_Piece", part.noun, base.child(newPose(part.at, part.turn)))
	set(e, "asset", entity.NewGUID(assetGUID("house "+part.noun)))
	set(e, "part", entity.NewInt(entity.KindEnum, part.part))
	set(e, "size", part.size.vec3())
	set(e, "material", entity.NewInt(entity.KindEnum, r.below(4)))
	set(e, "weathering", r.number(0, 1000))
	if r.percent(40) {
		set(e, "tint", r.colour(800, 760, 700))
	}
	diagonal := part.size.x*part.size.x + part.size.y*part.size.y + part.size.z*part.size.z
	set(e, "bounds_radius", entity.F32Of(thousandths(squareRoot(diagonal)/2)))
	set(e, "entity_flags", entity.NewUint(entity.KindFlags, 0b01100))
	set(e, "lightmap_hash", r.blob(8))
}

// assetGUID returns the guid of an asset that many entities share.
func assetGUID(name string) entity.GUID { return newRandom(0, name).guid() }

// inAreas calls place for each missing entity of a type, going round the areas,
// with a place in each.
func (g *generator) inAreas(typ string, place func(r random, a *area, p pose)) {
	r := g.random(typ)
	for i := range g.missing(typ) {
		a := g.areas[i%len(g.areas)]
		place(r, a, newPose(g.land.near(r, a.at, a.radius), r.heading()))
	}
}

func (g *generator) makeStairs() {
	g.inAreas("Stairs", func(r random, a *area, p pose) {
		e := g.addIn(a, "Stairs", "stairs", p)
		set(e, "steps", entity.NewUint(entity.KindU8, uint64(r.between(3, 24))))
		set(e, "rise", r.number(140, 200))
		set(e, "run", r.number(260, 320))
		set(e, "width", r.number(900, 2400))
		set(e, "turn", entity.NewInt(entity.KindI16, pick(r, []int64{-180, -90, 0, 0, 0, 90, 180})))
		set(e, "material", entity.NewInt(entity.KindEnum, r.below(3)))
	})
}

func (g *generator) makeBridges() {
	g.inAreas("Bridge", func(r random, a *area, p pose) {
		e := g.addIn(a, "Bridge", "bridge", p)
		set(e, "span", r.number(4000, 14_000))
		planks := make([]entity.Value, r.between(8, 20))
		for i := range planks {
			planks[i] = entity.NewInt(entity.KindI16, r.between(-12, 12))
		}
		set(e, "planks", entity.NewList(entity.KindArray, planks))
		set(e, "raised", entity.NewBool(r.percent(30)))
		set(e, "entity_flags", entity.NewUint(entity.KindFlags, 0b00100))
	})
}

// makeBoats puts boats on the sea off the areas.
func (g *generator) makeBoats() {
	n := 0
	g.inAreas("Boat", func(r random, a *area, p pose) {
		n++
		e := g.addIn(a, "Boat", "boat", newPose(g.offshore(a.at), p.turn))
		set(e, "hull", entity.NewInt(entity.KindEnum, r.below(3)))
		set(e, "hull_number", entity.NewString(fmt.Sprintf("IS-%03d", n)))
		set(e, "draught", r.number(300, 900))
		set(e, "heel_degrees", entity.NewInt(entity.KindI8, r.between(-6, 6)))
		set(e, "colour", r.colour(300, 450, 600))
		set(e, "entity_flags", entity.NewUint(entity.KindFlags, 0b10100))
	})
}

// offshore returns a place on the water outward from another.
func (g *generator) offshore(p point) point {
	for range 500 {
		if p.z < -800 {
			break
		}
		p = g.land.surface(p.x+p.x/24+900, p.y+p.y/24-700)
	}
	return point{p.x, p.y, 0}
}

func (g *generator) makePools() {
	g.inAreas("Pool", func(r random, a *area, p pose) {
		e := g.addIn(a, "Pool", "pool", p)
		outline := make([]entity.Value, r.between(6, 14))
		for i := range outline {
			outline[i] = entity.VecOf(entity.KindVec2, r.milli(-9000, 9000), r.milli(-9000, 9000))
		}
		set(e, "outline", entity.NewList(entity.KindArray, outline))
		set(e, "depth", r.number(300, 2600))
		set(e, "flow", entity.VecOf(entity.KindVec2, r.milli(-300, 300), r.milli(-300, 300)))
		set(e, "colour", r.colour(200, 420, 450))
		set(e, "swimmable", entity.NewBool(r.percent(50)))
	})
}

// makeRailings mounts railings on bridges and sets others up on the ground.
func (g *generator) makeRailings() {
	g.inAreas("Railing", func(r random, a *area, p pose) {
		var e *entity.Entity
		if bridge := g.any(r, "Bridge"); bridge != nil && r.percent(30) {
			side := pick(r, []int64{-900, 900})
			e = g.addOn(bridge, "Railing", "railing", newPose(point{r.between(-3000, 3000), side, 100}, upright))
		} else {
			e = g.addIn(a, "Railing", "railing", p)
		}
		set(e, "posts", entity.NewUint(entity.KindU16, uint64(r.between(2, 30))))
		set(e, "height", r.number(800, 1200))
		set(e, "style", entity.NewInt(entity.KindEnum, r.below(4)))
		set(e, "entity_flags", entity.NewUint(entity.KindFlags, 0b00100))
	})
}

// light hangs lamps on doors, houses and boats, sets others up, and lights
// fires.
func (g *generator) light() {
	g.inAreas("Lamp", func(r random, a *area, p pose) {
		if on := g.lampHolder(r, a); on != nil {
			offset := newPose(point{r.between(-600, 600), -150, r.between(1800, 2400)}, upright)
			g.shine(r, g.addOn(on, "Lamp", "lamp", offset))
			return
		}
		p.at[2] += 3
		g.shine(r, g.addIn(a, "Lamp", "lamp", p))
	})
	g.makeEmitters()
}

// lampHolder returns what a lamp of the area is mounted on, often nothing.
func (g *generator) lampHolder(r random, a *area) *entity.Entity {
	switch r.below(10) {
	case 0, 1, 2:
		return a.some(r, "Building_Piece")
	case 3, 4:
		return a.some(r, "Door")
	case 5:
		return a.some(r, "Boat")
	}
	return nil
}

func (g *generator) shine(r random, e *entity.Entity) {
	set(e, "light", entity.NewInt(entity.KindEnum, pick(r, []int64{0, 0, 0, 1, 1, 2})))
	set(e, "colour", r.colour(980, 860, 640))
	set(e, "intensity", r.number(250, 6000))
	set(e, "brightness", r.number(250, 6000))
	set(e, "radius", r.number(1500, 14_000))
	set(e, "cone", entity.VecOf(entity.KindVec2, r.milli(15_000, 40_000), r.milli(40_000, 70_000)))
	set(e, "lamp_flags", entity.NewUint(entity.KindFlags, uint64(r.below(32))))
	set(e, "flicker_seed", entity.NewUint(entity.KindU16, uint64(r.below(65_536))))
	set(e, "lightmap_hash", r.blob(8))
}

func (g *generator) makeEmitters() {
	assets := []string{"smoke", "pollen", "spray", "fireflies", "dust"}
	g.inAreas("Particle_Emitter", func(r random, a *area, p pose) {
		effect := r.below(int64(len(assets)))
		e := g.addIn(a, "Particle_Emitter", assets[effect], p)
		set(e, "effect", entity.NewInt(entity.KindEnum, effect))
		set(e, "rate", r.number(500, 40_000))
		set(e, "lifetime", entity.VecOf(entity.KindVec2, r.milli(500, 2000), r.milli(2000, 8000)))
		set(e, "gravity", entity.VecOf(entity.KindVec3, 0, 0, r.milli(-2000, 600)))
		ramp := make([]entity.Value, r.between(2, 4))
		for i := range ramp {
			ramp[i] = r.colour(600, 600, 560)
		}
		set(e, "colour_ramp", entity.NewList(entity.KindArray, ramp))
		set(e, "asset", entity.NewGUID(assetGUID("effect "+assets[effect])))
	})
}

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

// puzzle makes what the player deals with. What these entities do to each
// other is set when all are there, by link.
func (g *generator) puzzle() {
	g.makeBunker()
	g.makeDoors()
	g.makePanels()
	g.makeTriggers()
	g.makeCables()
	g.makePaths()
	g.makeNotes()
}

// makeBunker makes the door that the documentation shows, exactly as there,
// and the panel and the lamp beside it that are its targets.
func (g *generator) makeBunker() {
	bunker := g.areas[0]
	if g.counts["Door"] > 0 {
		e := g.settleIn(bunker, "door", g.addAs(bunkerDoorID, "Door"))
		set(e, "entity_name", entity.NewString("bunker door"))
		set(e, "position", entity.NewVec(entity.KindVec3, [4]uint32{0x42386a04, 0x42d828cc, 0x410b1e57}))
		set(e, "orientation", entity.NewVec(entity.KindQuat, [4]uint32{0, 0, 0xbd8d9184, 0x3f7f633d}))
		g.fitDoor(g.random("bunker"), e)
	}
	if g.counts["Puzzle_Panel"] > 0 {
		e := g.settleIn(bunker, "panel", g.addAs(bunkerPanelID, "Puzzle_Panel"))
		setPose(e, newPose(bunkerAt.plus(900, -150, 1250), upright))
		set(e, "entity_name", entity.NewString("bunker panel"))
		g.drawPanel(g.random("bunker panel"), e)
	}
	if g.counts["Lamp"] > 0 {
		e := g.settleIn(bunker, "lamp", g.addAs(bunkerLampID, "Lamp"))
		setPose(e, newPose(bunkerAt.plus(-700, -100, 2300), upright))
		set(e, "entity_name", entity.NewString("bunker lamp"))
		g.shine(g.random("bunker lamp"), e)
	}
}

// makeDoors hangs doors in walls, and sets up gates where there is none.
func (g *generator) makeDoors() {
	g.inAreas("Door", func(r random, a *area, p pose) {
		if wall := a.some(r, "Building_Piece"); wall != nil && r.percent(75) {
			g.fitDoor(r, g.addOn(wall, "Door", "door", newPose(point{r.between(-1500, 1500), 0, -400}, upright)))
			return
		}
		g.fitDoor(r, g.addIn(a, "Door", "gate", p))
	})
}

func (g *generator) fitDoor(r random, e *entity.Entity) {
	set(e, "map_size", entity.NewUint(entity.KindU32, uint64(64)<<r.below(4)))
	set(e, "open_angle", r.number(80_000, 110_000))
	set(e, "travel", r.number(80_000, 110_000))
	set(e, "open_seconds", r.number(1000, 6000))
	set(e, "motion", entity.NewInt(entity.KindEnum, r.below(4)))
	set(e, "door_flags", entity.NewUint(entity.KindFlags, uint64(r.below(32))))
	set(e, "lock_code", entity.NewInt(entity.KindI32, r.between(-99_999, 99_999)))
	set(e, "colour", r.colour(520, 330, 210))
	set(e, "entity_flags", entity.NewUint(entity.KindFlags, 0b01100))
	set(e, "lightmap_hash", r.blob(8))
}

// makePanels puts panels up beside doors and on stands of their own.
func (g *generator) makePanels() {
	g.inAreas("Puzzle_Panel", func(r random, a *area, p pose) {
		if door := a.some(r, "Door"); door != nil && r.percent(30) {
			g.drawPanel(r, g.addOn(door, "Puzzle_Panel", "panel", newPose(point{r.between(700, 1100), -120, 300}, upright)))
			return
		}
		g.drawPanel(r, g.addIn(a, "Puzzle_Panel", "panel", p))
	})
}

func (g *generator) drawPanel(r random, e *entity.Entity) {
	columns, rows := r.between(3, 5), r.between(3, 5)
	cells := make([]entity.Value, columns*rows)
	for i := range cells {
		cells[i] = entity.NewUint(entity.KindU8, uint64(pick(r, []int64{0, 0, 0, 1, 2, 3, 17})))
	}
	set(e, "puzzle", entity.NewInt(entity.KindEnum, r.below(6)))
	set(e, "panel_flags", entity.NewUint(entity.KindFlags, uint64(r.below(32))))
	set(e, "grid_size", entity.NewStruct([]entity.Value{
		entity.NewUint(entity.KindU8, uint64(columns)), entity.NewUint(entity.KindU8, uint64(rows)),
	}))
	set(e, "cells", entity.NewList(entity.KindArray, cells))
	set(e, "solution_hash", entity.NewUint(entity.KindU64, r.source.Uint64()))
	set(e, "timer_seconds", r.number(15_000, 90_000))
	set(e, "colour_back", r.colour(180, 200, 230))
	set(e, "colour_line", r.colour(900, 850, 500))
	set(e, "difficulty", entity.NewInt(entity.KindI8, r.between(-1, 9)))
	if r.percent(15) {
		set(e, "designer_comment", entity.NewString(pick(r, comments)))
	}
}

var comments = []string{
	"Too easy after the mirror puzzles.\nMove it behind the mill?\n",
	"Nobody found this one. Good.",
	"The start is hidden by the reed at high tide.\n- check with Audio\n- check at night\n",
	"Three testers drew the line the other way round.",
}

func (g *generator) makeTriggers() {
	g.inAreas("Trigger", func(r random, a *area, p pose) {
		e := g.addIn(a, "Trigger", "trigger", p)
		set(e, "half_size", entity.VecOf(entity.KindVec3, r.milli(500, 6000), r.milli(500, 6000), r.milli(1000, 3000)))
		set(e, "event", entity.NewInt(entity.KindEnum, r.below(4)))
		set(e, "delay_seconds", r.number(0, 4000))
		set(e, "fires_once", entity.NewBool(r.percent(60)))
		set(e, "priority", entity.NewInt(entity.KindI32, r.between(-3, 3)))
		if r.percent(30) {
			set(e, "cooldown", r.number(500, 30_000))
		}
	})
}

// makeCables lays cables over the ground.
func (g *generator) makeCables() {
	g.inAreas("Cable", func(r random, a *area, p pose) {
		e := g.addIn(a, "Cable", "cable", p)
		at := p.point()
		points := make([]entity.Value, r.between(3, 7))
		for i := range points {
			points[i] = entity.NewStruct([]entity.Value{
				entity.NewUint(entity.KindU16, uint64(10*(i+1))), at.vec3(), entity.NewBool(r.percent(30)),
			})
			at = g.land.surface(at.x+r.between(-3000, 3000), at.y+r.between(-3000, 3000))
		}
		set(e, "points", entity.NewList(entity.KindArray, points))
		set(e, "thickness", r.number(20, 80))
		set(e, "colour_lit", r.colour(950, 800, 300))
	})
}

// makePaths lays paths from area to area.
func (g *generator) makePaths() {
	g.inAreas("Path", func(r random, a *area, p pose) {
		to := g.areas[r.below(int64(len(g.areas)))]
		e := g.addIn(a, "Path", "path to the "+to.name, newPose(a.at, upright))
		set(e, "waypoints", g.waypoints(r, e.Layout, p.point(), to.at))
		set(e, "closed", entity.NewBool(to == a))
		set(e, "speed", r.number(700, 2200))
		set(e, "width", r.number(800, 2000))
	})
}

// waypoints returns points on the ground between two places, with what the
// path's revision knows of them.
func (g *generator) waypoints(r random, l *entity.Layout, from, to point) entity.Value {
	shape := l.Fields[l.Index("waypoints")].Of
	n := r.between(6, 18)
	out := make([]entity.Value, n)
	for i := range n {
		at := g.land.surface(
			from.x+(to.x-from.x)*i/n+r.between(-2500, 2500), from.y+(to.y-from.y)*i/n+r.between(-2500, 2500))
		lookAt := entity.Value{}
		if r.percent(20) {
			lookAt = at.plus(r.between(-9000, 9000), r.between(-9000, 9000), 1500).vec3()
		}
		members := []entity.Value{
			entity.NewUint(entity.KindU32, uint64(100+10*i)), at.vec3(),
			r.number(0, 1500), lookAt, entity.NewInt(entity.KindEnum, r.below(4)),
		}
		out[i] = entity.NewStruct(members[:len(shape.Fields)]) // surface, the last, is the newest
	}
	return entity.NewList(entity.KindArray, out)
}

// makeNotes leaves notes about.
func (g *generator) makeNotes() {
	n := uint64(0)
	g.inAreas("Note", func(r random, a *area, p pose) {
		n++
		e := g.addIn(a, "Note", "note", p)
		set(e, "title", entity.NewString(fmt.Sprintf("Page %d, from the %s", n, a.name)))
		set(e, "body", entity.NewString(letter(r, a)))
		set(e, "written_at", entity.NewInt(entity.KindI32, r.between(-2_000_000_000, -1_500_000_000)))
		set(e, "catalogue_number", entity.NewUint(entity.KindU32, 1000+n))
		if r.percent(40) {
			set(e, "voice_asset", entity.NewGUID(r.guid()))
		}
		set(e, "handwriting", entity.NewInt(entity.KindEnum, r.below(4)))
	})
}

var sentences = []string{
	"The tide came higher than the table said.",
	"I have counted the lamps again: one more than yesterday.",
	"Whoever drew the line on the mill's panel was left-handed.",
	"\"Don't trust the shadows before noon,\" she said.",
	"The door answers to the bell, not to the wind.",
	"Nobody has been in the bunker since the autumn.",
	"Three boats, two moorings – somebody is lying.",
	"The orchard hums when the power is on.",
}

// letter returns a few paragraphs of several lines.
func letter(r random, a *area) string {
	var b strings.Builder
	fmt.Fprintf(&b, "At the %s, %d o'clock\n\n", a.name, r.between(1, 12))
	for range r.between(3, 9) {
		b.WriteString(pick(r, sentences))
		b.WriteByte('\n')
		if r.percent(20) {
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "\n\t%c.\n", 'A'+rune(r.below(26)))
	return b.String()
}

// furnish adds what makes a scene of a place: sounds, cameras, marks on the
// ground, and where players begin.
func (g *generator) furnish() {
	g.makeSounds()
	g.makeCameras()
	g.makeStartPoints()
	g.makeDecals()
}

func (g *generator) makeSounds() {
	samples := []string{"waves_shore", "wind_roof", "lamp_hum", "gulls", "door_bell", "engine_idle", "crickets", "flag_rope"}
	g.inAreas("Sound", func(r random, a *area, p pose) {
		var e *entity.Entity
		switch on := a.some(r, pick(r, []string{"Lamp", "Boat", "Door"})); {
		case on != nil && r.percent(35):
			e = g.addOn(on, "Sound", "sound", newPose(point{0, 0, r.between(0, 400)}, upright))
		default:
			e = g.addIn(a, "Sound", "sound", p)
		}
		set(e, "sample", entity.NewString("ambience/"+pick(r, samples)+".wav"))
		set(e, "bus", entity.NewInt(entity.KindEnum, r.below(4)))
		set(e, "volume", r.number(100, 1500))
		set(e, "pitch", r.number(900, 1100))
		set(e, "falloff", entity.NewStruct([]entity.Value{
			r.number(500, 3000), r.number(5000, 60_000), entity.NewInt(entity.KindEnum, r.below(3)),
		}))
		set(e, "looped", entity.NewBool(r.percent(70)))
	})
}

func (g *generator) makeCameras() {
	g.inAreas("Camera", func(r random, a *area, p pose) {
		p.at[2] += 6
		p.turn = r.lean()
		e := g.addIn(a, "Camera", "camera", p)
		set(e, "field_of_view", r.number(35_000, 80_000))
		set(e, "clip_planes", entity.VecOf(entity.KindVec2, 0.1, r.milli(400_000, 2_000_000)))
		set(e, "shot", entity.NewInt(entity.KindEnum, r.below(4)))
		set(e, "exposure_stops", entity.NewInt(entity.KindI8, r.between(-3, 3)))
	})
}

func (g *generator) makeStartPoints() {
	g.inAreas("Start_Point", func(r random, a *area, p pose) {
		e := g.addIn(a, "Start_Point", "start", p)
		set(e, "priority", entity.NewInt(entity.KindI32, r.between(-10, 10)))
		set(e, "for_testing", entity.NewBool(r.percent(60)))
	})
}

func (g *generator) makeDecals() {
	g.inAreas("Decal", func(r random, a *area, p pose) {
		e := g.addIn(a, "Decal", "decal", p)
		set(e, "texture", entity.NewInt(entity.KindEnum, r.below(6)))
		set(e, "size", entity.VecOf(entity.KindVec2, r.milli(200, 4000), r.milli(200, 4000)))
		set(e, "depth", r.number(50, 600))
		set(e, "opacity", r.number(300, 1000))
		set(e, "tint", r.colour(700, 690, 650))
		set(e, "layer", entity.NewInt(entity.KindI8, r.between(-4, 4)))
	})
}

// link makes the entities refer to each other where both had to be there
// first. None of these refs is direct, so they may go round in circles: panels
// open doors that light the panels.
func (g *generator) link() {
	r := g.random("links")
	g.eachIn("Door", func(e *entity.Entity, a *area) {
		set(e, "targets", g.targets(r, a, e, 55, "Lamp", "Puzzle_Panel", "Sound"))
	})
	g.eachIn("Puzzle_Panel", func(e *entity.Entity, a *area) {
		if opens := g.targets(r, a, e, 60, "Door", "Bridge"); !opens.IsNull() {
			set(e, "opens", opens)
		}
		set(e, "next_panel_id", refTo(a.some(r, "Puzzle_Panel")))
	})
	g.eachIn("Trigger", func(e *entity.Entity, a *area) {
		if targets := g.targets(r, a, e, 95, "Door", "Lamp", "Sound", "Camera", "Particle_Emitter"); !targets.IsNull() {
			set(e, "targets", targets)
		}
	})
	g.linkMoving(r)
	g.linkPower(r)
	g.linkScenes(r)
	g.linkBunker()
}

// eachIn calls do for the entities of a type.
func (g *generator) eachIn(typ string, do func(*entity.Entity, *area)) {
	for _, e := range g.entities[typ] {
		do(e, g.homes[e.ID])
	}
}

// targets returns a set of a few entities of these types in an area, without e
// itself; null when chance, so many times of a hundred, or the area has none.
func (g *generator) targets(r random, a *area, e *entity.Entity, percent int64, types ...string) entity.Value {
	if !r.percent(percent) {
		return entity.Value{}
	}
	var refs []entity.Value
	for range r.between(1, 6) {
		if to := a.some(r, pick(r, types)); to != nil && to != e {
			refs = append(refs, refTo(to))
		}
	}
	if len(refs) == 0 {
		return entity.Value{}
	}
	return entity.NewList(entity.KindSet, refs) // sorted when the world is put together
}

// linkMoving sends boats and bridges on their ways.
func (g *generator) linkMoving(r random) {
	g.eachIn("Boat", func(e *entity.Entity, a *area) {
		route := g.any(r, "Path")
		set(e, "route_id", refTo(route))
		set(e, "docks", g.targets(r, a, e, 70, "Stairs", "Bridge"))
		if route != nil {
			set(route, "walker_id", refTo(e))
		}
	})
	g.eachIn("Bridge", func(e *entity.Entity, a *area) {
		set(e, "opened_by_id", refTo(a.some(r, "Puzzle_Panel")))
	})
}

// linkPower connects lamps and cables to the panels that switch them.
func (g *generator) linkPower(r random) {
	g.eachIn("Lamp", func(e *entity.Entity, a *area) {
		if r.percent(50) {
			set(e, "power_source_id", refTo(a.some(r, "Puzzle_Panel")))
		}
	})
	g.eachIn("Cable", func(e *entity.Entity, a *area) {
		set(e, "from_id", refTo(a.some(r, "Puzzle_Panel")))
		set(e, "to_id", refTo(a.some(r, pick(r, []string{"Door", "Lamp", "Bridge"}))))
	})
}

// linkScenes points cameras at subjects, some of which are not cast yet.
func (g *generator) linkScenes(r random) {
	g.eachIn("Camera", func(e *entity.Entity, a *area) {
		subjects := make([]entity.Value, r.between(1, 5))
		for i := range subjects {
			if to := a.some(r, pick(r, []string{"Door", "Boat", "Puzzle_Panel"})); to != nil {
				subjects[i] = refTo(to)
			}
		}
		set(e, "subjects", entity.NewList(entity.KindArray, subjects))
	})
	g.eachIn("Start_Point", func(e *entity.Entity, _ *area) {
		set(e, "opening_camera_id", refTo(g.any(r, "Camera")))
	})
	g.eachIn("Decal", func(e *entity.Entity, a *area) {
		set(e, "receivers", g.targets(r, a, e, 35, "Building_Piece", "Stairs"))
	})
}

// linkBunker gives the bunker's door the targets that documentation shows, as
// far as there are such entities.
func (g *generator) linkBunker() {
	if len(g.entities["Door"]) == 0 {
		return
	}
	var refs []entity.Value
	for _, typ := range []string{"Puzzle_Panel", "Lamp"} {
		if made := g.entities[typ]; len(made) > 0 {
			refs = append(refs, refTo(made[0])) // the bunker's own is the first
		}
	}
	e := g.entities["Door"][0]
	set(e, "targets", entity.Value{})
	if len(refs) > 0 {
		set(e, "targets", entity.NewList(entity.KindSet, refs))
	}
}
