package packstore

import (
	"fmt"
	"math"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// Base is the pack that a save was made from, as far as is known.
type Base struct {
	Pack    *packfile.Pack
	Unknown string // why it is not certain, "" if it is
	Old     bool   // it is the save itself, since nothing says what that was made from
}

// BaseOf finds the pack that another program had loaded before it saved p: the
// one that p names (see latestSave), or the kept one that p fits best. Where none is kept it is
// published. current returns the world as it is.
func (s *Store) BaseOf(p, published *packfile.Pack, current func() entity.Source) Base {
	named := p.BasedOn()
	if named == ([32]byte{}) {
		if fit := s.fit(p, current); fit != nil {
			return Base{Pack: fit, Old: fit.Hash() == p.Hash() && fit.Hash() != published.Hash()}
		}
		return Base{Pack: published, Unknown: "the save names no base, and no pack is kept; it is taken as made from the last published one"}
	}
	if b, err := s.Get(named); err == nil {
		return Base{Pack: s.latestSave(b, p)}
	}
	if b := s.before(named); b != nil {
		return Base{Pack: b, Unknown: fmt.Sprintf("the pack that the save was made from, %x, is not kept any more; the last one before it stands for it", named[:6])}
	}
	why := fmt.Sprintf("the pack that the save says it was made from, %x, is not known here", named[:6])
	if fit := s.fit(p, current); fit != nil {
		return Base{Pack: fit, Unknown: why + "; the kept one that it fits best stands for it"}
	}
	return Base{Pack: published, Unknown: why + "; the last published one stands for it"}
}

// before returns the newest kept pack that is older than the one of that
// hash, nil if that is not known. An older base can make a conflict of two
// edits of one property; a newer one would undo edits in silence.
func (s *Store) before(hash [32]byte) *packfile.Pack {
	notes, err := s.state.Notes()
	note, known := notes[hash]
	if err != nil || !known {
		return nil
	}
	packs, err := keptIn(s.dir, notes)
	if err != nil {
		return nil
	}
	for _, k := range packs {
		if k.At.After(note.At) {
			continue
		}
		if p, err := s.Get(k.Digest); err == nil {
			return p
		}
	}
	return nil
}

// maxFits is how many kept packs that fit a save equally well are looked at in
// all their properties.
const maxFits = 12

// fit returns the kept pack that differs from p in the fewest entities, and
// among those in the fewest properties, nil if none is kept. Among equals it is
// one that another program saved, which goes on from its own save; else the
// one with which most is seen to have been changed on both sides, and of those
// the oldest: so no edit is lost in silence.
func (s *Store) fit(p *packfile.Pack, current func() entity.Source) *packfile.Pack {
	packs, err := s.List()
	if err != nil {
		return nil
	}
	mine, fewest := sumsOf(p), math.MaxInt
	var best []candidate
	seen := make(map[uint64]bool)
	for _, k := range packs {
		theirs, err := s.sums(k.Digest)
		if err != nil {
			continue
		}
		c := s.compare(k, theirs, mine, fewest)
		if c.differ > fewest {
			continue
		}
		if c.differ < fewest {
			fewest, best = c.differ, nil
			clear(seen)
		}
		if !seen[c.print] { // else another with the same differences stands for it
			seen[c.print] = true
			best = append(best, c)
		}
	}
	return s.bestOf(best, p, current)
}

// candidate is a kept pack and how it differs from a save.
type candidate struct {
	Kept
	differ int         // in how many entities
	ids    []entity.ID // these
	print  uint64      // of these entities as the kept pack has them

	pack       *packfile.Pack
	properties int // in how many of them
	conflicts  int // how many of those the world as it is has otherwise than either
}

// compare stops where more than most differ.
func (s *Store) compare(k Kept, theirs, mine sums, most int) candidate {
	c := candidate{Kept: k}
	for i, j := range differing(theirs, mine) {
		if c.differ++; c.differ > most {
			break
		}
		id, digest := entity.ID(0), uint64(0)
		if i >= 0 {
			id, digest = theirs.ids[i], theirs.digests[i]
		} else {
			id = mine.ids[j]
		}
		c.ids = append(c.ids, id)
		c.print = (c.print^digest^uint64(id)<<32)*1099511628211 + 1
	}
	if k.Saved {
		c.print ^= 1 // those are told from published ones
	}
	return c
}

func (s *Store) bestOf(candidates []candidate, p *packfile.Pack, current func() entity.Source) *packfile.Pack {
	// The newest and the oldest are the likeliest.
	for len(candidates) > maxFits {
		candidates = slices.Delete(candidates, maxFits/2, maxFits/2+1)
	}
	var best *candidate
	for i := range candidates {
		c := &candidates[i]
		var err error
		if c.pack, err = s.Get(c.Digest); err != nil {
			continue
		}
		if len(candidates) > 1 {
			s.weigh(c, p, current())
		}
		if best == nil || c.before(best) {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	return best.pack
}

// before reports whether c is the better base.
func (c *candidate) before(o *candidate) bool {
	switch {
	case c.properties != o.properties:
		return c.properties < o.properties
	case c.Saved != o.Saved:
		return c.Saved
	case c.Saved:
		return c.At.After(o.At)
	case c.conflicts != o.conflicts:
		return c.conflicts > o.conflicts
	}
	return c.At.Before(o.At)
}

// weigh counts the properties in which the candidate differs from p, and those
// of them that the world as it is has otherwise than either.
func (s *Store) weigh(c *candidate, p *packfile.Pack, current entity.Source) {
	saved := make(map[property]entity.Change)
	for _, ch := range diffOf(c.ids, c.pack, p) {
		c.properties++
		saved[property{ch.ID, ch.Field}] = ch
	}
	for _, ch := range diffOf(c.ids, c.pack, current) {
		s, both := saved[property{ch.ID, ch.Field}]
		if both && !(s.Op == entity.OpSet && ch.Op == entity.OpSet && s.To.Equal(ch.To)) {
			c.conflicts++
		}
	}
}

// diffOf returns what differs in some entities.
func diffOf(ids []entity.ID, a, b entity.Source) entity.ChangeSet {
	return entity.Diff(only(ids, a), only(ids, b))
}

func only(ids []entity.ID, s entity.Source) *entity.World {
	part := entity.NewWorld(entity.GUID{}, nil)
	for _, id := range ids {
		if e, ok := s.Get(id); ok {
			part.Put(e)
		}
	}
	return part
}
