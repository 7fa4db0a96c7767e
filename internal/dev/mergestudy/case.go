package mergestudy

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// threeWay is a case: a base, and what two sides made of it.
type threeWay struct {
	base  *entity.World
	sides [2]*side

	// disagreements are the entities about which the sides disagree: both
	// changed one property to two values, or one deleted what the other changed
	// or put something under that it made or changed.
	disagreements map[entity.ID]bool
	overlapping   [2][]bool // by edit: the other side disagrees with it

	types      *entity.Types // with what both sides declare
	disposable bool          // a program makes the entities of a range: theirs stand there as a whole
	void       []bool        // by edit of ours: it counts for nothing in that range
}

// side is a side's world and how it came about. No edit of a side undoes or
// changes another of it, so all of them can be seen in the world.
type side struct {
	base, world *entity.World
	edits       []edit
}

// edit is what a side did to one property.
type edit struct {
	property
	at     string       // the part of the field, "" for all of it
	does   string       // what it does there: edits that do the same agree
	unique entity.Value // what no other entity may have; null for nothing
	sole   bool         // places in the field are those of the base, so the side edits it once

	creates, deletes bool
	upgrades         bool                            // it is to the newest revision: no reason to keep what the other deletes
	kept             func(o *outcome, side int) bool // whether it can be seen in a merged world
}

// property is a field of an entity, or the entity as a whole if it has no name.
type property struct {
	id    entity.ID
	field string
}

// newCase returns a case of a seed.
func newCase(seed, number uint64) *threeWay {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, number)), types: types()}
	c := &threeWay{base: g.world(), disagreements: make(map[entity.ID]bool)}
	hot := g.hot(c.base)
	for i := range c.sides {
		c.sides[i] = g.side(c.base, hot)
		c.overlapping[i] = make([]bool, len(c.sides[i].edits))
	}
	c.types = together(c.base.Types, c.sides[0].world.Types, c.sides[1].world.Types)
	c.disposable = g.chance(3)
	c.dispose()
	for i := range c.sides[0].edits {
		for j := range c.sides[1].edits {
			c.compare(i, j)
		}
	}
	return c
}

// compare notes whether an edit of ours and one of theirs disagree.
func (c *threeWay) compare(i, j int) {
	a, b := &c.sides[0].edits[i], &c.sides[1].edits[j]
	if c.void[i] {
		return
	}
	same := a.id != b.id && a.field == b.field && !a.unique.IsNull() && a.unique.Equal(b.unique)
	if !same && !a.disagrees(b) && !c.above(a, b, 1) && !c.above(b, a, 0) {
		return
	}
	c.disagreements[a.id], c.disagreements[b.id] = true, true
	c.overlapping[0][i], c.overlapping[1][j] = true, true
}

// touches reports whether two edits are about the same thing, or one about a
// part of what the other is about.
func (e *edit) touches(o *edit) bool {
	switch {
	case e.id != o.id:
		return false
	case e.field == "" || o.field == "":
		return true
	}
	return e.field == o.field && (strings.HasPrefix(e.at, o.at) || strings.HasPrefix(o.at, e.at))
}

// disagrees reports whether not both edits can stand. Two entities made under
// one ID can: each says what it is, and the ID means nothing to people.
func (e *edit) disagrees(o *edit) bool {
	if e.upgrades && o.deletes || o.upgrades && e.deletes {
		return false
	}
	return e.touches(o) && e.does != o.does && !(e.creates && o.creates)
}

// above reports whether one edit deleted what the other's entity follows, in
// the base or in the world of the other's side.
func (c *threeWay) above(deletion, other *edit, otherSide int) bool {
	if !deletion.deletes || other.deletes || other.upgrades || other.id == 0 {
		return false
	}
	return follows(c.base, other.id, deletion.id) || follows(c.sides[otherSide].world, other.id, deletion.id)
}

// follows reports whether an entity follows another, at however many removes.
func follows(w *entity.World, id, what entity.ID) bool {
	for range w.Len() {
		e, ok := w.Get(id)
		if !ok || e.Values[0].Ref() == 0 {
			return false
		}
		if id = e.Values[0].Ref(); id == what {
			return true
		}
	}
	return false
}

// step is an edit to be made.
type step struct {
	edit
	apply func(e *entity.Entity) // on a copy; nil: the entity is taken away
	made  *entity.Entity         // a new one
}

// hot is where people work just now: half of all edits are there.
type hot struct {
	ids    []entity.ID
	fields []string
}

func (g *generator) hot(w *entity.World) hot {
	h := hot{fields: []string{"position", "links", "parent"}}
	for range 3 {
		h.ids = append(h.ids, pick(g, w.IDs()))
	}
	fields := g.types.Get("Node").Fields
	for range 3 {
		h.fields = append(h.fields, pick(g, fields).Name)
	}
	return h
}

// side makes one to four edits, and those that a deletion brings with it.
func (g *generator) side(base *entity.World, h hot) *side {
	s := &side{base: base, world: entity.NewWorld(base.ID, base.Types)}
	for e := range base.All() {
		s.world.Put(e)
	}
	if g.chance(4) {
		g.redeclare(s)
	}
	wanted := 1 + g.IntN(4)
	for tries, done := 0, 0; done < wanted && tries < 50; tries++ {
		if steps := g.steps(s, h); len(steps) > 0 && s.accepts(steps) {
			s.do(steps)
			done++
		}
	}
	return s
}

func (s *side) accepts(steps []step) bool {
	for i := range steps {
		for j := range s.edits {
			a, b := &steps[i].edit, &s.edits[j]
			if a.touches(b) || a.sole && a.property == b.property {
				return false
			}
		}
	}
	return true
}

func (s *side) do(steps []step) {
	for _, step := range steps {
		s.edits = append(s.edits, step.edit)
		switch {
		case step.made != nil:
			s.world.Put(step.made)
		case step.deletes:
			s.world.Delete(step.id)
		default:
			e, _ := s.world.Get(step.id)
			e = e.Clone()
			step.apply(e)
			s.world.Put(e)
		}
	}
}

// steps draws something to do; nothing if it cannot be done.
func (g *generator) steps(s *side, h hot) []step {
	switch g.IntN(12) {
	case 0, 1:
		return g.create(s)
	case 2:
		return g.remove(s)
	case 3:
		return rehang(s, pick(g, h.ids), pick(g, h.ids))
	case 4:
		return g.unknownLines(s, pick(g, s.world.IDs()))
	case 5:
		return upgrade(s, pick(g, h.ids))
	}
	id := pick(g, s.world.IDs())
	if g.chance(2) {
		id = pick(g, h.ids)
	}
	e, ok := s.world.Get(id)
	if !ok {
		return nil
	}
	f := pick(g, e.Layout.Fields)
	if g.chance(2) {
		i := e.Layout.Index(pick(g, h.fields))
		if i < 0 {
			return nil
		}
		f = e.Layout.Fields[i]
	}
	return g.change(s, e, f)
}

func (g *generator) create(s *side) []step {
	id := entity.ID(1 + g.IntN(mostIDs))
	_, there := s.world.Get(id)
	if _, was := s.base.Get(id); there || was || s.world.Len() == 0 {
		return nil
	}
	made := g.entity(id, s.world)
	g.refer(made, s.world)
	return []step{{made: made, edit: edit{property: property{id: id}, does: fmt.Sprint("create ", made.Values), creates: true,
		kept: func(o *outcome, side int) bool {
			e := o.get(side, id)
			if e == nil || e.Type() != made.Type() {
				return false
			}
			for i, f := range made.Layout.Fields {
				if !e.Value(f.Name).Equal(o.as(side, &f.Shape, made.Values[i])) && !o.repaired[property{e.ID, f.Name}] {
					return false
				}
			}
			return true
		}}}}
}

// remove deletes an entity and all that follows it, and takes away what refers
// to them, as an editor does.
func (g *generator) remove(s *side) []step {
	root := pick(g, s.world.IDs())
	gone := make(map[entity.ID]bool)
	var steps []step
	for _, id := range s.world.IDs() {
		if id == root || follows(s.world, id, root) {
			gone[id] = true
			steps = append(steps, step{edit: edit{property: property{id: id}, does: "delete", deletes: true,
				kept: func(o *outcome, side int) bool { return o.get(side, id) == nil }}})
		}
	}
	if len(gone) > 3 {
		return nil
	}
	for e := range s.world.All() {
		if !gone[e.ID] {
			steps = append(steps, forget(e, gone)...)
		}
	}
	return steps
}

// forget takes away an entity's indirect refs to what is gone.
func forget(e *entity.Entity, gone map[entity.ID]bool) (steps []step) {
	for _, f := range e.Layout.Fields {
		v := e.Value(f.Name)
		switch f.Name {
		case "link":
			if !v.IsNull() && gone[v.Ref()] {
				steps = append(steps, set(e, f, entity.Value{}))
			}
		case "links":
			for _, item := range v.Items() {
				if gone[item.Ref()] {
					steps = append(steps, setRemove(e, f, item))
				}
			}
		case "parts":
			for _, item := range v.Items() {
				if gone[item.Items()[2].Ref()] {
					steps = append(steps, keyedMember(e, f, item.Items()[0], 2, entity.NewRef(0)))
				}
			}
		}
	}
	return steps
}
