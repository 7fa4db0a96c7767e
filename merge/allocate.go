package merge

import (
	"bytes"
	"crypto/sha256"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// Where an entity whose creator has no range gets its new ID: far from what people and
// programs count up from, so that no other machine gives it to another entity.
const (
	firstSpare = 1_000_000_000
	spareIDs   = 1_000_000_000
)

// allocator says which of two entities of one ID keeps it, and gives out IDs that no side
// has or had.
type allocator struct {
	*merger
	by      map[Party]creator
	told    map[Party]map[entity.ID][]string // of single entities
	digests *digests
	given   map[entity.ID]bool
}

// newIDs returns the IDs that a side's entities get of which both sides have one of an ID.
func (m *merger) newIDs(twice []*slot, d *digests) map[Party]map[entity.ID]entity.ID {
	next := map[Party]map[entity.ID]entity.ID{Ours: {}, Theirs: {}}
	ids := m.newAllocator(twice, d)
	for _, s := range twice {
		loser := ids.keeps(s).Other()
		next[loser][s.id] = ids.next(loser, s.id)
	}
	return next
}

// newAllocator returns an allocator for entities of which both sides have one of an ID.
func (m *merger) newAllocator(twice []*slot, d *digests) *allocator {
	a := &allocator{merger: m, by: m.creators(), told: make(map[Party]map[entity.ID][]string), digests: d, given: make(map[entity.ID]bool)}
	if m.options.Ranges.Creators == nil {
		return a
	}
	ids := make([]entity.ID, len(twice))
	for i, s := range twice {
		ids[i] = s.id
	}
	for p := range a.by {
		a.told[p] = m.options.Ranges.Creators(p, ids)
	}
	return a
}

// creator returns for whom a side created an entity.
func (a *allocator) creator(p Party, id entity.ID) creator {
	if keys := a.told[p][id]; len(keys) > 0 {
		return creator{known: true, keys: keys}
	}
	return a.by[p]
}

// keeps returns the side whose entity keeps an ID that both made one of.
func (a *allocator) keeps(s *slot) Party {
	if owner := a.owner(s.id, a.creator(Ours, s.id), a.creator(Theirs, s.id)); owner != Neither {
		return owner
	}
	if p := a.options.published(); p != Neither {
		return p
	}
	order := a.digests.of(Ours, s.id).compare(a.digests.of(Theirs, s.id))
	if order == 0 { // they differ in what their refs lead to, beyond what a digest has of it
		order = bytes.Compare(interchange.AppendEntity(nil, s.ours), interchange.AppendEntity(nil, s.theirs))
	}
	return partyIf(order < 0)
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

// takes reports whether a party's entity of a digest can have an ID: a free one, or one
// that the other side has given to the very same entity in an earlier merge.
func (a *allocator) takes(p Party, sum digest, id entity.ID) bool {
	if a.free(id) {
		return true
	}
	s := a.slots[id]
	return !a.given[id] && s != nil && s.base == nil && either(p, s.ours, s.theirs) == nil && a.digests.of(p.Other(), id) == sum
}

// next returns the ID for an entity of the party's that has to give up id: one in its
// creator's own ranges, else one in no range. The content says which: a counter would be
// at another number on another machine.
func (a *allocator) next(p Party, id entity.ID) entity.ID {
	to, ok := entity.ID(0), false
	if c := a.creator(p, id); c.known {
		to, ok = a.nextIn(a.options.Ranges.own(c.keys), p, id)
	}
	if !ok {
		to = a.nextOutside(p, id)
	}
	a.given[to] = true
	return to
}

// nextIn returns the first free ID in the ranges from the one that the content chooses.
func (a *allocator) nextIn(own []Range, p Party, id entity.ID) (entity.ID, bool) {
	size := uint64(0)
	for _, in := range own {
		size += in.To - in.From
	}
	if size == 0 {
		return 0, false
	}
	sum := a.digests.of(p, id)
	first := sum.spread(id, size)
	for i := range size {
		if to := nth(own, (first+i)%size); a.takes(p, sum, to) {
			return to, true
		}
	}
	return 0, false
}

// nth returns the ID of a place in ranges.
func nth(own []Range, place uint64) entity.ID {
	for _, in := range own {
		if size := in.To - in.From; place >= size {
			place -= size
			continue
		}
		return entity.ID(in.From + place)
	}
	return 0
}

// nextOutside returns a free ID in no range; where ranges are everywhere, in none that a
// program may delete; and any if there is no such ID either.
func (a *allocator) nextOutside(p Party, id entity.ID) entity.ID {
	sum := a.digests.of(p, id)
	for draw, n := sum, 0; n < maxDraws; draw, n = sha256.Sum256(draw[:]), n+1 {
		to := entity.ID(firstSpare + draw.spread(id, spareIDs))
		if a.options.Ranges.of(to) == nil && a.takes(p, sum, to) {
			return to
		}
	}
	for _, isClosed := range []func(*Range) bool{
		func(*Range) bool { return true },
		func(in *Range) bool { return in.Disposable },
	} {
		if to, ok := a.probe(isClosed); ok {
			return to
		}
	}
	to, _ := a.probe(func(*Range) bool { return false })
	return to
}

// maxDraws is how often an ID is chosen by content before the lowest free one is taken:
// often enough for ranges that leave one spare ID in ten.
const maxDraws = 256

// probe returns the lowest free ID that is in no closed range.
func (a *allocator) probe(isClosed func(*Range) bool) (entity.ID, bool) {
	for id := uint64(1); id <= uint64(entity.MaxID); {
		if in := a.options.Ranges.of(entity.ID(id)); in != nil && isClosed(in) {
			id = in.To
			continue
		}
		if a.free(entity.ID(id)) {
			return entity.ID(id), true
		}
		id++
	}
	return 0, false
}
