package island

import "github.com/worldfs/worldfs/entity"

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
