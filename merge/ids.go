package merge

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// dispose lets the shared side's set stand in each disposable range in which
// both sides changed something: what the other did there counts for nothing.
func (m *merger) dispose() {
	if m.options.Ranges == nil {
		return
	}
	type extent struct{ from, to entity.ID }
	sets := make(map[extent][]*slot)
	for _, s := range m.order {
		if from, to, ok := m.options.Ranges.Disposable(s.id); ok {
			sets[extent{from, to}] = append(sets[extent{from, to}], s)
		}
	}
	for _, set := range sets {
		byOurs := slices.ContainsFunc(set, func(s *slot) bool { return s.byOurs && m.edited(s.base, s.ours) })
		byTheirs := slices.ContainsFunc(set, func(s *slot) bool { return s.byTheirs && m.edited(s.base, s.theirs) })
		if !byOurs || !byTheirs {
			continue
		}
		for _, s := range set {
			s.discard(m.options.shared().Other())
		}
	}
}

// edited reports whether a side made more of an entity than another declaration of
// its type makes of it. Either may be nil, but not both.
func (m *merger) edited(base, e *entity.Entity) bool {
	if base == nil || e == nil || base.Type() != e.Type() || base.Revision() != e.Revision() {
		return true
	}
	was := m.view(base, e.Layout)
	for i, f := range e.Layout.Fields {
		if !was.value(i, f).Equal(e.Values[i]) {
			return true
		}
	}
	return !slices.Equal(was.raw, e.Unknown)
}

// discard forgets what a party did.
func (s *slot) discard(p Party) {
	if p == Ours {
		s.discarded, s.ours, s.byOurs = s.ours, s.base, false
	} else {
		s.discarded, s.theirs, s.byTheirs = s.theirs, s.base, false
	}
	s.discardedOf = p
}

// renumber finds the IDs under which both sides made different things, and
// gives one of the two a new ID; the refs of its side follow.
func (m *merger) renumber() {
	twice := m.madeTwice()
	if len(twice) == 0 {
		return
	}
	next := map[Party]map[entity.ID]entity.ID{Ours: {}, Theirs: {}}
	ids := m.newIDs()
	for _, s := range twice {
		loser := m.options.shared().Other()
		if m.options.Ranges != nil {
			if owner := m.options.Ranges.Owner(s.id); owner != Neither {
				loser = owner.Other()
			}
		}
		id := ids.next(loser, s.id)
		next[loser][s.id] = id
		m.move(s, loser, id)
	}
	m.sort()
	m.follow(next)
}

// move gives a party's entity another ID.
func (m *merger) move(s *slot, p Party, id entity.ID) {
	e := either(p, s.ours, s.theirs)
	c := *e
	c.ID = id
	m.renumbered = append(m.renumbered, Renumbering{From: s.id, To: id, Side: p, Type: e.Type(), Name: e.Name()})
	to := m.at(id)
	if p == Ours {
		to.ours, to.byOurs = &c, true
		s.ours, s.byOurs = nil, false
	} else {
		to.theirs, to.byTheirs = &c, true
		s.theirs, s.byTheirs = nil, false
	}
}

// madeTwice returns the slots of entities that both sides made and that are
// not the same. Two that look the same are not if they refer to one that is
// made twice: each means its own side's.
func (m *merger) madeTwice() (twice []*slot) {
	var alike []*slot
	found := make(map[entity.ID]bool)
	for _, s := range m.order {
		switch {
		case s.base != nil || s.ours == nil || s.theirs == nil:
		case s.ours.Type() == s.theirs.Type() && s.ours.Revision() == s.theirs.Revision() && m.similar(s.ours, s.theirs):
			alike = append(alike, s)
		default:
			found[s.id] = true
			twice = append(twice, s)
		}
	}
	for again := len(twice) > 0; again; {
		again = false
		for i, s := range alike {
			if s != nil && m.refersToAny(s.ours, found) {
				found[s.id], alike[i], again = true, nil, true
				twice = append(twice, s)
			}
		}
	}
	slices.SortFunc(twice, compareSlots)
	return twice
}

func (m *merger) refersToAny(e *entity.Entity, ids map[entity.ID]bool) (found bool) {
	for _, i := range m.refFields(e.Layout).all {
		eachRef(&e.Layout.Fields[i].Shape, e.Values[i], func(id entity.ID, _ bool) { found = found || ids[id] })
	}
	return found
}

// follow makes the refs that a side made follow its entities to their new IDs.
func (m *merger) follow(next map[Party]map[entity.ID]entity.ID) {
	for _, s := range m.order {
		if s.byOurs && s.ours != nil {
			s.ours = m.following(s.base, s.ours, next[Ours])
		}
		if s.byTheirs && s.theirs != nil {
			s.theirs = m.following(s.base, s.theirs, next[Theirs])
		}
	}
}

// following returns e with its refs replaced, but for those in fields that are
// as in the base: they refer to what was there before.
func (m *merger) following(base, e *entity.Entity, next map[entity.ID]entity.ID) *entity.Entity {
	if len(next) == 0 {
		return e
	}
	cloned := false
	for _, i := range m.refFields(e.Layout).all {
		f, v := e.Layout.Fields[i], e.Values[i]
		if base != nil && base.Value(f.Name).Equal(v) {
			continue
		}
		now := replaceRefs(&f.Shape, v, func(id entity.ID, _ bool) entity.ID {
			if to, moved := next[id]; moved {
				return to
			}
			return id
		})
		if now.Equal(v) {
			continue
		}
		if !cloned {
			e, cloned = e.Clone(), true
		}
		e.Values[i] = now
	}
	return e
}

// allocator gives out IDs that no side has or had.
type allocator struct {
	*merger
	given   map[entity.ID]bool
	highest entity.ID
}

func (m *merger) newIDs() *allocator {
	a := &allocator{merger: m, given: make(map[entity.ID]bool)}
	for _, side := range []entity.Source{m.base, m.ours, m.theirs} {
		a.highest = max(a.highest, highest(side))
	}
	return a
}

// highest returns the highest ID in a source, 0 if it is empty.
func highest(s entity.Source) (id entity.ID) {
	if x, ok := s.(interface{ IDAt(i int) entity.ID }); ok {
		if s.Len() > 0 {
			id = x.IDAt(s.Len() - 1)
		}
		return id
	}
	for e := range s.All() {
		id = e.ID
	}
	return id
}

func (a *allocator) free(id entity.ID) bool {
	if id == 0 || a.given[id] {
		return false
	}
	for _, side := range []entity.Source{a.base, a.ours, a.theirs} {
		if _, taken := side.Get(id); taken {
			return false
		}
	}
	return true
}

// next returns the ID for an entity of the party's that had to give up id: in
// its range, else above the highest, else the next below that is free.
func (a *allocator) next(p Party, id entity.ID) entity.ID {
	if a.options.Ranges != nil {
		if to, ok := a.options.Ranges.Next(p, id, a.free); ok && a.free(to) {
			a.given[to] = true
			return to
		}
	}
	to := a.highest + 1 // 0 after the last
	for !a.free(to) {
		to--
	}
	a.given[to] = true
	a.highest = max(a.highest, to)
	return to
}
