// Package island makes a world to try things on: an island with hills, woods
// and shores, a dozen inhabited places on it, and the doors, panels, lamps,
// triggers and paths of an adventure among puzzles.
//
// The same number of entities and the same seed give the same world on every
// machine, bit for bit (geometry.go says how). IDs are from ranges that people
// were given (RangesText), with gaps; refs are all valid; every value is
// canonical; every kind of the model occurs. As text an entity takes about 770
// bytes. A million entities take a few seconds and, mostly for their values,
// about 1.4 GB, and half as much again while they are made.
package island

import (
	"fmt"
	"math"

	"github.com/worldfs/worldfs/entity"
)

// generator is an island in the making.
type generator struct {
	seed     uint64
	counts   map[string]int // how many of each type there are to be
	land     *terrain
	areas    []*area
	types    *entity.Types
	ids      map[string]*ids // by type; types of one role share one
	ages     random          // draws revisions
	all      []*entity.Entity
	entities map[string][]*entity.Entity // by type, those that others refer to
	homes    map[entity.ID]*area         // of those
}

// Generate returns an island of exactly so many entities, at least one. The
// world's ID comes from the seed too.
func Generate(entities int, seed uint64) *entity.World {
	g := newGenerator(max(entities, 1), seed)
	g.settle()
	g.build()
	g.puzzle()
	g.light()
	g.furnish()
	g.grow()
	g.link()
	return g.world()
}

func newGenerator(n int, seed uint64) *generator {
	g := &generator{
		seed:     seed,
		counts:   planned(n),
		land:     newTerrain(seed, n),
		types:    Types(),
		ids:      make(map[string]*ids),
		ages:     newRandom(seed, "revisions"),
		all:      make([]*entity.Entity, 0, n),
		entities: make(map[string][]*entity.Entity),
		homes:    make(map[entity.ID]*area),
	}
	for i, given := range spans(g.counts) {
		s := newIDs(seed, &roles[i], given)
		for _, typ := range roles[i].types {
			g.ids[typ] = s
		}
	}
	return g
}

// world returns everything made so far, in canonical form.
func (g *generator) world() *entity.World {
	w := entity.NewWorld(newRandom(g.seed, "world").guid(), g.types)
	for _, e := range g.all {
		e.Canonicalize()
		w.Put(e)
	}
	return w
}

// random returns the stream of one part of the island.
func (g *generator) random(part string) random { return newRandom(g.seed, part) }

// older are the revisions besides the current one that entities of a type
// still have, because they were not saved since.
var older = map[string][]uint32{
	"Door":          {52, 62, 71},
	"Puzzle_Panel":  {80, 93},
	"Lamp":          {38, 48, 56},
	"Sun":           {19},
	"Trigger":       {24},
	"Path":          {17, 21},
	"Sound":         {37},
	"Tree":          {25, 27, 30},
	"Rock":          {12},
	"Decal":         {18},
	"Group":         {6},
	"Note":          {8},
	"Grass_Cluster": {11},
}

// add makes an entity with every field at its default. One in nine is of an
// older revision.
func (g *generator) add(typ string) *entity.Entity {
	return g.addAs(g.ids[typ].take(), typ)
}

func (g *generator) addAs(id entity.ID, typ string) *entity.Entity {
	t := g.types.Get(typ)
	revision := t.Revision
	if revisions := older[typ]; len(revisions) > 0 && id != bunkerDoorID && g.ages.below(9) == 0 {
		revision = pick(g.ages, revisions)
	}
	e := entity.New(id, t.Layout(revision))
	g.all = append(g.all, e)
	return e
}

// addAt makes an entity at a pose.
func (g *generator) addAt(typ string, p pose) *entity.Entity {
	e := g.add(typ)
	setPose(e, p)
	return e
}

// addIn makes an entity of an area, under a name and in a group of it, that
// others may refer to.
func (g *generator) addIn(a *area, typ, noun string, p pose) *entity.Entity {
	return g.settleIn(a, noun, g.addAt(typ, p))
}

func (g *generator) settleIn(a *area, noun string, e *entity.Entity) *entity.Entity {
	set(e, "entity_name", entity.NewString(a.number(noun)))
	if e.Layout.Index("group_id") >= 0 {
		set(e, "group_id", entity.NewRef(a.group(g.ages)))
	}
	typ := e.Type()
	g.entities[typ] = append(g.entities[typ], e)
	a.entities[typ] = append(a.entities[typ], e)
	g.homes[e.ID] = a
	return e
}

// addOn makes an entity that is mounted on another.
func (g *generator) addOn(parent *entity.Entity, typ, noun string, offset pose) *entity.Entity {
	e := g.addIn(g.homes[parent.ID], typ, noun, poseOf(parent).child(offset))
	set(e, "mount_parent_id", entity.NewRef(parent.ID))
	set(e, "mount_position", entity.VecOf(entity.KindVec3, offset.at[:]...))
	set(e, "mount_orientation", offset.turn.quat())
	return e
}

// missing returns how many of a type are still to be made.
func (g *generator) missing(typ string) int { return g.counts[typ] - len(g.entities[typ]) }

// any returns one of a type's entities, or nil if there is none.
func (g *generator) any(r random, typ string) *entity.Entity {
	if len(g.entities[typ]) == 0 {
		return nil
	}
	return pick(r, g.entities[typ])
}

// set gives a field its value, in the kind that the field has at the entity's
// revision: of a field that was widened, callers give the narrowest. What the
// revision did not have yet, or has no more, is left out; a field that no
// revision has is a mistake here.
func set(e *entity.Entity, field string, v entity.Value) {
	if i := e.Layout.Index(field); i >= 0 {
		e.Values[i] = widened(&e.Layout.Fields[i].Shape, v)
		return
	}
	for _, f := range e.Layout.Type.Fields {
		if f.Name == field {
			return
		}
	}
	panic("island: " + e.Type() + " has no field " + field)
}

func widened(s *entity.Shape, v entity.Value) entity.Value {
	if v.IsNull() || v.Kind() == s.Kind {
		return v
	}
	w, ok := entity.Widen(v, &entity.Shape{Kind: v.Kind()}, s)
	if !ok {
		panic(fmt.Sprintf("island: %s does not widen to %s", v.Kind(), s.Kind))
	}
	return w
}

// refTo returns a ref to an entity, to none if e is nil.
func refTo(e *entity.Entity) entity.Value {
	if e == nil {
		return entity.NewRef(0)
	}
	return entity.NewRef(e.ID)
}

func setPose(e *entity.Entity, p pose) {
	set(e, "position", entity.VecOf(entity.KindVec3, p.at[:]...))
	set(e, "orientation", p.turn.quat())
}

// poseOf returns the pose that an entity has.
func poseOf(e *entity.Entity) pose {
	var p pose
	at, turned := e.Value("position"), e.Value("orientation")
	for i := range p.at {
		p.at[i] = floatOf(at, i)
	}
	for i := range p.turn {
		p.turn[i] = floatOf(turned, i)
	}
	return p
}

// floatOf returns a component of a vector.
func floatOf(v entity.Value, i int) float32 { return math.Float32frombits(v.Component(i)) }
