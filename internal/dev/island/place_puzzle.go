package island

import (
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

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
