package merge

import (
	"cmp"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
)

// edge is a direct ref of a merged entity.
type edge struct {
	holder   entity.ID
	field    int
	to       entity.ID
	inOurs   bool
	inTheirs bool
}

// isNew reports whether it is not a ref that both sides have.
func (e edge) isNew() bool { return !e.inOurs || !e.inTheirs }

// lacking says which sides do not have the edge, as bits.
func (e edge) lacking() (bits uint8) {
	if !e.inOurs {
		bits |= 1
	}
	if !e.inTheirs {
		bits |= 2
	}
	return bits
}

// lackingBoth is what a circle has that no side has in whole.
const lackingBoth = 3

func compareEdges(a, b edge) int {
	return cmp.Or(cmp.Compare(a.holder, b.holder), cmp.Compare(a.field, b.field), cmp.Compare(a.to, b.to))
}

// graph is the merged world's direct refs. A circle counts that neither side has
// alone. Indirect refs in a circle are common and harmless: the world loads, and
// no edit is taken back for them.
type graph struct {
	*merger
	edges    map[entity.ID][]edge // those looked at
	reverted map[edge]bool        // cuts that brought the ref of the base back
}

// cutCycles cuts the circles that both sides' edits made together, each at the
// lowest of the refs that a side made: that of the lowest ID.
func (m *merger) cutCycles() {
	g := &graph{merger: m, edges: make(map[entity.ID][]edge), reverted: make(map[edge]bool)}
	for again := true; again; {
		again = false
		for _, e := range g.suspects() {
			for circle := g.circle(e); circle != nil; circle = g.circle(e) {
				g.cut(lowest(circle))
				again = true // what came back may close another
			}
		}
	}
}

// suspects returns the new direct edges that a circle could go through.
func (g *graph) suspects() []edge {
	var out []edge
	var lacking uint8
	for _, s := range g.order {
		for _, e := range g.from(s.id) {
			lacking |= e.lacking()
			if e.isNew() {
				out = append(out, e)
			}
		}
	}
	if lacking != lackingBoth {
		return nil
	}
	return out
}

// from returns the edges of an entity.
func (g *graph) from(id entity.ID) []edge {
	if edges, known := g.edges[id]; known {
		return edges
	}
	var edges []edge
	s := g.slots[id]
	if s == nil {
		edges = g.unchanged(id)
	} else if s.out != nil {
		edges = g.changed(s)
	}
	g.edges[id] = edges
	return edges
}

func (g *graph) unchanged(id entity.ID) (edges []edge) {
	e, ok := g.ours.Get(id)
	if !ok {
		return nil
	}
	for _, i := range g.refFields(e.Layout).direct {
		reference.Each(&e.Layout.Fields[i].Shape, e.Values[i], func(to entity.ID, direct bool) {
			if direct {
				edges = append(edges, edge{id, i, to, true, true})
			}
		})
	}
	return edges
}

func (g *graph) changed(s *slot) (edges []edge) {
	for _, i := range g.refFields(s.out.Layout).direct {
		f := s.out.Layout.Fields[i]
		chosen := g.options.isAmended(s.id, f.Name)
		reference.Each(&f.Shape, s.out.Values[i], func(to entity.ID, direct bool) {
			if direct {
				edges = append(edges, edge{s.id, i, to, !chosen && refersTo(s.had(Ours), f.Name, to, true), !chosen && refersTo(s.had(Theirs), f.Name, to, true)})
			}
		})
	}
	return edges
}

// step is a way to an entity, and which sides lack some edge of it.
type step struct {
	at      entity.ID
	lacking uint8
}

// circle returns the shortest circle through an edge that no side has in whole,
// nil if there is none or the edge is not there any more.
func (g *graph) circle(start edge) []edge {
	if !slices.Contains(g.from(start.holder), start) {
		return nil
	}
	first := step{start.to, start.lacking()}
	came := map[step]edge{first: start}
	before := make(map[step]step)
	for queue := []step{first}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at.at == start.holder && at.lacking == lackingBoth {
			return walkBack(came, before, at, first)
		}
		for _, e := range g.from(at.at) {
			next := step{e.to, at.lacking | e.lacking()}
			if _, seen := came[next]; !seen {
				came[next], before[next] = e, at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

func walkBack(came map[step]edge, before map[step]step, at, first step) []edge {
	circle := []edge{came[at]}
	for at != first {
		at = before[at]
		circle = append(circle, came[at])
	}
	return circle
}

// lowest returns the edge at which a circle is cut.
func lowest(circle []edge) edge {
	circle = slices.DeleteFunc(circle, func(e edge) bool { return !e.isNew() })
	return slices.MinFunc(circle, compareEdges)
}

// cut takes an edge away. A field that is a direct ref gets what it had in the
// base, unless that is in a circle too: what hung somewhere is not to fall off
// the world.
func (g *graph) cut(e edge) {
	s := g.slots[e.holder]
	f, v := s.out.Layout.Fields[e.field], s.out.Values[e.field]
	var now entity.Value
	place := edge{holder: e.holder, field: e.field}
	if old, ok := g.before(s, f); ok && !g.reverted[place] && !old.Equal(v) {
		g.reverted[place] = true
		now = old
	} else {
		now = reference.Replace(&f.Shape, v, func(id entity.ID, direct bool) entity.ID {
			if id == e.to && direct {
				return 0
			}
			return id
		})
	}
	s.edit(e.field, now)
	delete(g.edges, e.holder)
	message := "with the other side's change it would follow itself"
	g.repair(Repair{Kind: CycleCut, Field: f.Name, From: version(&f.Shape, v), To: version(&f.Shape, now), Message: message}.about(s.out))
}

// before returns what a field that is a ref had in the base, if that is still
// there.
func (g *graph) before(s *slot, f *entity.Field) (entity.Value, bool) {
	if s.base == nil || f.Kind != entity.KindRef {
		return entity.Value{}, false
	}
	old := s.base.Value(f.Name)
	if old.Kind() != entity.KindRef || old.Ref() == s.id {
		return entity.Value{}, false
	}
	_, there := g.get(old.Ref())
	return old, there || old.Ref() == 0
}
