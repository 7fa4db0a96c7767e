package island

import (
	"fmt"

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
