package merge

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
)

// dispose lets the published side's set stand in each disposable range that one side made
// anew, or in which both changed the same: what the other did there counts for nothing.
func (m *merger) dispose() {
	sets := make(map[*Range][]*slot)
	for _, s := range m.order {
		if in := m.options.Ranges.of(s.id); in != nil && in.Disposable && !m.isOneProgram(s) {
			sets[in] = append(sets[in], s)
		}
	}
	for in, set := range sets {
		ours, theirs := m.editedIn(set, Ours), m.editedIn(set, Theirs)
		if len(ours) == 0 || len(theirs) == 0 || areApart(ours, theirs) || areAlike(ours, theirs) {
			continue
		}
		stands := m.options.published()
		if stands == Neither {
			stands = m.lesserSet(ours, theirs)
		}
		for _, s := range set {
			s.discard(stands.Other())
		}
		m.discarded = append(m.discarded, DiscardedSet{
			From: in.From, To: in.To, Of: stands.Other(), Entities: len(either(stands.Other(), ours, theirs)),
		})
	}
	slices.SortFunc(m.discarded, func(a, b DiscardedSet) int { return cmp.Compare(a.From, b.From) })
}

// areApart reports whether two sides changed different entities of a set by hand: neither
// made one or deleted one.
func areApart(ours, theirs []*slot) bool {
	by := make(map[*slot]bool)
	for _, s := range ours {
		by[s] = true
	}
	return !slices.ContainsFunc(theirs, func(s *slot) bool { return by[s] }) &&
		!slices.ContainsFunc(slices.Concat(ours, theirs), func(s *slot) bool { return s.base == nil || s.ours == nil || s.theirs == nil })
}

// areAlike reports whether two sides made the same of a set.
func areAlike(ours, theirs []*slot) bool {
	return slices.EqualFunc(ours, theirs, func(a, b *slot) bool {
		return a == b && (a.ours == nil && a.theirs == nil || a.ours != nil && a.theirs != nil && a.ours.Same(a.theirs))
	})
}

// isOneProgram reports whether one side's set is a program's and the other changed it by
// hand, where its type yields: what a person did by hand does not go with the set.
func (m *merger) isOneProgram(s *slot) bool {
	return m.yielding != nil && slices.ContainsFunc([]*entity.Entity{s.base, s.ours, s.theirs}, func(e *entity.Entity) bool {
		return e != nil && m.yielding.stands(e.Type(), "") != Neither
	})
}

// editedIn returns those of a set that a side edited.
func (m *merger) editedIn(set []*slot, p Party) (edited []*slot) {
	for _, s := range set {
		if either(p, s.byOurs, s.byTheirs) && m.edited(s.base, either(p, s.ours, s.theirs)) {
			edited = append(edited, s)
		}
	}
	return edited
}

// lesserSet returns the side whose edits of a set have the lesser digests.
func (m *merger) lesserSet(ours, theirs []*slot) Party {
	d := m.newDigests()
	sum := func(p Party, edited []*slot) digest {
		var all []byte
		for _, s := range edited {
			of := d.of(p, s.id)
			all = append(binary.LittleEndian.AppendUint32(all, uint32(s.id)), of[:]...)
		}
		return sha256.Sum256(all)
	}
	return partyIf(sum(Ours, ours).compare(sum(Theirs, theirs)) <= 0)
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
	d := m.newDigests()
	twice, alike := m.madeTwice(d)
	if len(twice) == 0 {
		return
	}
	next := m.newIDs(twice, d)
	for apart := m.apart(&alike, twice, next); len(apart) > 0; apart = m.apart(&alike, twice, next) {
		twice = append(twice, apart...)
		slices.SortFunc(twice, compareSlots)
		next = m.newIDs(twice, d)
	}
	for _, s := range twice {
		for p, to := range next {
			if id, moves := to[s.id]; moves {
				m.move(s, p, id)
			}
		}
	}
	m.sort()
	m.follow(next)
}

// move gives a party's entity another ID.
func (m *merger) move(s *slot, p Party, id entity.ID) {
	e := either(p, s.ours, s.theirs)
	c := *e
	c.ID = id
	outside := len(m.options.Ranges.List) > 0 && m.options.Ranges.of(id) == nil
	m.renumbered = append(m.renumbered, Renumbering{From: s.id, To: id, Side: p, Type: e.Type(), Name: e.Name(), Outside: outside})
	to := m.at(id)
	if p == Ours {
		to.ours, to.byOurs = &c, true
		s.ours, s.byOurs = nil, false
	} else {
		to.theirs, to.byTheirs = &c, true
		s.theirs, s.byTheirs = nil, false
	}
}

// madeTwice returns the slots of entities that both sides made, those that are not the
// same, and those that look the same: by their values, or by what their refs lead to, which
// may have another ID on one side by an earlier merge.
func (m *merger) madeTwice(d *digests) (twice, alike []*slot) {
	for _, s := range m.order {
		switch {
		case s.base != nil || s.ours == nil || s.theirs == nil:
		case s.ours.Type() == s.theirs.Type() && s.ours.Revision() == s.theirs.Revision() && m.similar(Ours, s.ours, Theirs, s.theirs),
			d.of(Ours, s.id) == d.of(Theirs, s.id):
			alike = append(alike, s)
		default:
			twice = append(twice, s)
		}
	}
	return twice, alike
}

// apart takes those out of alike that are not the same with the new IDs: they refer to one
// that was made twice, and each means its own side's.
func (m *merger) apart(alike *[]*slot, twice []*slot, next map[Party]map[entity.ID]entity.ID) (apart []*slot) {
	found := make(map[entity.ID]bool)
	for _, s := range twice {
		found[s.id] = true
	}
	for again := true; again; {
		again = false
		*alike = slices.DeleteFunc(*alike, func(s *slot) bool {
			is := m.similar(Ours, s.ours, Theirs, s.theirs) && m.refersToAny(s.ours, found) ||
				!m.similar(Ours, m.following(nil, s.ours, next[Ours]), Theirs, m.following(nil, s.theirs, next[Theirs]))
			if is {
				found[s.id], again = true, true
				apart = append(apart, s)
			}
			return is
		})
	}
	return apart
}

func (m *merger) refersToAny(e *entity.Entity, ids map[entity.ID]bool) (found bool) {
	for _, i := range m.refFields(e.Layout).all {
		reference.Each(&e.Layout.Fields[i].Shape, e.Values[i], func(id entity.ID, _ bool) { found = found || ids[id] })
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
		now := reference.Replace(&f.Shape, v, func(id entity.ID, _ bool) entity.ID {
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
