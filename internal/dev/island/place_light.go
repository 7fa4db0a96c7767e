package island

import "github.com/worldfs/worldfs/entity"

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
