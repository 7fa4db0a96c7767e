package island

import "github.com/worldfs/worldfs/entity"

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
