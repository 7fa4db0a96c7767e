package island

import (
	"fmt"
	"math"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// area is an inhabited place.
type area struct {
	name     string
	at       point
	radius   int64
	groups   []entity.ID
	entities map[string][]*entity.Entity // by type, those that others refer to
	numbers  map[string]int              // how many of a noun there are
}

// sites say where areas are looked for: from here, in thousandths of the
// island's radius, towards its middle until there is land. Those by the sea
// begin in it.
var sites = []struct {
	name        string
	east, north int64
}{
	{"harbor", -760, -620},
	{"village", -330, -250},
	{"lighthouse", 900, 420},
	{"quarry", 420, -120},
	{"orchard", -120, 330},
	{"monastery", 220, 470},
	{"marsh", -480, 180},
	{"observatory", 30, 20},
	{"mill", 180, -430},
	{"boathouse", 500, -840},
	{"sawmill", -330, 610},
	{"chapel", 560, 220},
	{"hermitage", -960, 250},
}

// settle finds the areas, levels their ground, and makes what there is one of,
// the groups, and the ground itself.
func (g *generator) settle() {
	g.findAreas()
	g.makeSettings()
	g.makeSun()
	g.makeGroups()
	g.makePatches()
}

// bunkerAt is where the bunker's door is, on an island of any size.
var bunkerAt = point{46_103, 108_079, 8_694}

func (g *generator) findAreas() {
	g.addArea("bunker", bunkerAt)
	for _, s := range sites {
		at := g.land.surface(s.east*g.land.radius/1000, s.north*g.land.radius/1000)
		for at.z < 1800 && at.x*at.x+at.y*at.y > 1000*1000 {
			at = g.land.surface(at.x*31/32, at.y*31/32)
		}
		at.z = max(at.z, 1800)
		g.addArea(s.name, at)
	}
}

func (g *generator) addArea(name string, at point) {
	a := &area{
		name: name, at: at, radius: g.land.radius / 9,
		entities: make(map[string][]*entity.Entity), numbers: make(map[string]int),
	}
	g.areas = append(g.areas, a)
	g.land.levels = append(g.land.levels, level{at, a.radius})
}

// number returns the next name of its noun: harbor lamp 12.
func (a *area) number(noun string) string {
	a.numbers[noun]++
	return fmt.Sprintf("%s %s %d", a.name, noun, a.numbers[noun])
}

// group returns one of the area's groups, 0 if it has none.
func (a *area) group(r random) entity.ID {
	if len(a.groups) == 0 {
		return 0
	}
	return pick(r, a.groups)
}

// some returns one of the area's entities of a type, nil if it has none.
func (a *area) some(r random, typ string) *entity.Entity {
	if len(a.entities[typ]) == 0 {
		return nil
	}
	return pick(r, a.entities[typ])
}

// nearest returns the area around a place, nil in the wilderness.
func (g *generator) nearest(p point) *area {
	best, distance := (*area)(nil), g.land.radius*g.land.radius/16
	for _, a := range g.areas {
		if d := p.distance2(a.at); d < distance {
			best, distance = a, d
		}
	}
	return best
}

func (g *generator) makeSettings() {
	r := g.random("settings")
	for range g.counts["World_Settings"] {
		e := g.add("World_Settings")
		set(e, "title", entity.NewString("The Island"))
		set(e, "build_asset", entity.NewGUID(r.guid()))
		set(e, "world_clock", entity.NewF64(math.Float64bits(float64(r.between(1e9, 9e9))/7)))
		set(e, "wind", entity.VecOf(entity.KindVec2, r.milli(-4000, 4000), r.milli(-4000, 4000)))
		set(e, "fog_colour", r.colour(710, 780, 840))
		set(e, "features", entity.NewUint(entity.KindFlags, 0b1011|1<<40))
		set(e, "tide_table", tides(r))
		set(e, "shader_salt", entity.NewUint(entity.KindU64, r.source.Uint64()|1<<63))
		set(e, "editor_notes", entity.NewString("Save before you bake.\nThe bunker is not finished.\n"))
	}
}

func tides(r random) entity.Value {
	var hours []entity.Value
	for hour := uint64(0); hour < 24; hour += 6 {
		hours = append(hours, entity.NewStruct([]entity.Value{
			entity.NewUint(entity.KindU8, hour), r.number(-600, 600),
		}))
	}
	return entity.NewList(entity.KindArray, hours)
}

func (g *generator) makeSun() {
	r := g.random("sun")
	for range g.counts["Sun"] {
		e := g.addAt("Sun", newPose(point{-900_000, -1_200_000, 1_600_000}, r.tumble()))
		set(e, "entity_name", entity.NewString("sun"))
		set(e, "sun_flags", entity.NewUint(entity.KindFlags, 0b011))
		set(e, "colour", r.colour(980, 930, 820))
		set(e, "intensity", r.number(3000, 4000))
		set(e, "shadow_distances", entity.NewList(entity.KindArray, []entity.Value{
			entity.F32Of(12), entity.F32Of(48), entity.F32Of(200), entity.F32Of(900),
		}))
	}
}

// makeGroups makes a group for each area and others below those.
func (g *generator) makeGroups() {
	r := g.random("groups")
	for i := range g.counts["Group"] {
		a := g.areas[i%len(g.areas)]
		e := g.addAt("Group", newPose(a.at, upright))
		name := a.name
		if len(a.groups) > 0 {
			name = a.number("group")
			set(e, "parent_group_id", entity.NewRef(a.groups[0]))
		}
		set(e, "entity_name", entity.NewString(name))
		set(e, "editor_colour", r.colour(r.below(1000), r.below(1000), r.below(1000)))
		set(e, "radius", entity.F32Of(thousandths(a.radius)))
		set(e, "keywords", keywords(r, a))
		if r.percent(10) {
			set(e, "locked_by", entity.NewString(pick(r, roles).name))
		}
		a.groups = append(a.groups, e.ID)
		g.entities["Group"] = append(g.entities["Group"], e)
	}
}

func keywords(r random, a *area) entity.Value {
	words := []entity.Value{entity.NewString(a.name)}
	for _, word := range strings.Fields("act_one act_two night indoors stream_near stream_far secret") {
		if r.percent(25) {
			words = append(words, entity.NewString(word))
		}
	}
	return entity.NewList(entity.KindSet, words) // sorted when the world is put together
}

// patchCorners is how many heights a patch has along each side. Neighbours
// share those of their border.
const patchCorners = 8

// makePatches covers the island with a square of patches.
func (g *generator) makePatches() {
	r := g.random("patches")
	side := squareRoot(int64(g.counts["Terrain_Patch"]))
	for row := range side {
		for column := range side {
			g.makePatch(r, column, row, side)
		}
	}
}

func (g *generator) makePatch(r random, column, row, side int64) {
	spacing := 2 * g.land.radius / (side * (patchCorners - 1))
	size := spacing * (patchCorners - 1)
	corner := point{column*size - g.land.radius, row*size - g.land.radius, 0}
	e := g.addAt("Terrain_Patch", newPose(corner, upright))
	set(e, "entity_name", entity.NewString(fmt.Sprintf("patch %d %d", column, row)))
	set(e, "column", entity.NewInt(entity.KindI16, column))
	set(e, "row", entity.NewInt(entity.KindI16, row))
	set(e, "spacing", entity.F32Of(thousandths(spacing)))
	set(e, "heights", g.heights(corner, spacing))
	middle := g.land.surface(corner.x+size/2, corner.y+size/2)
	set(e, "surface", entity.NewInt(entity.KindEnum, g.surfaceAt(middle)))
	set(e, "splat_asset", entity.NewGUID(r.guid()))
	set(e, "walkable", entity.NewBool(middle.z > 0))
}

func (g *generator) heights(corner point, spacing int64) entity.Value {
	heights := make([]entity.Value, 0, patchCorners*patchCorners)
	for y := range int64(patchCorners) {
		for x := range int64(patchCorners) {
			h := g.land.height(corner.x+x*spacing, corner.y+y*spacing)
			heights = append(heights, entity.F32Of(thousandths(h)))
		}
	}
	return entity.NewList(entity.KindArray, heights)
}

// surfaceAt returns the number of the patch's enum for what covers a place.
func (g *generator) surfaceAt(p point) int64 {
	switch {
	case p.z < 0:
		return 0
	case p.z < 2500:
		return 1
	case p.z > g.land.radius/11:
		return 4
	case g.land.forest(p.x, p.y) > 0:
		return 3
	}
	return 2
}

// DefaultEntities is how many entities the island has unless told otherwise.
const DefaultEntities = 10_422

// share is how many of a type an island of DefaultEntities has.
type share struct {
	typ   string
	count int
	alone bool // there is one of it, however large the island
}

// shares are in order of importance: an island too small for one of each has
// those of the front. Trees are what is left when all others have theirs.
var shares = []share{
	{typ: "Door", count: 64},
	{typ: "Puzzle_Panel", count: 480},
	{typ: "Lamp", count: 620},
	{typ: "Tree"},
	{typ: "Trigger", count: 240},
	{typ: "World_Settings", count: 1, alone: true},
	{typ: "Sun", count: 1, alone: true},
	{typ: "Group", count: 150},
	{typ: "Terrain_Patch", count: 144},
	{typ: "Rock", count: 1500},
	{typ: "Path", count: 40},
	{typ: "Building_Piece", count: 640},
	{typ: "Note", count: 60},
	{typ: "Sound", count: 260},
	{typ: "Start_Point", count: 8},
	{typ: "Camera", count: 24},
	{typ: "Boat", count: 12},
	{typ: "Bridge", count: 18},
	{typ: "Cable", count: 160},
	{typ: "Grass_Cluster", count: 1600},
	{typ: "Decal", count: 520},
	{typ: "Stairs", count: 90},
	{typ: "Railing", count: 220},
	{typ: "Particle_Emitter", count: 90},
	{typ: "Pool", count: 10},
}

// planned returns how many of each type an island of so many entities has.
func planned(entities int) map[string]int {
	counts := make(map[string]int, len(shares))
	for _, s := range shares[:min(entities, len(shares))] {
		counts[s.typ] = 1
	}
	left := max(0, entities-len(shares))
	for _, s := range shares {
		if s.alone || left == 0 {
			continue
		}
		more := min(left, max(0, int(int64(s.count)*int64(entities)/DefaultEntities)-1))
		if s.typ == "Terrain_Patch" {
			more = min(left, squareBelow(more+1)-1) // a square of patches
		}
		counts[s.typ] += more
		left -= more
	}
	counts["Tree"] += left
	return counts
}

func squareBelow(n int) int {
	side := int(squareRoot(int64(n)))
	return side * side
}
