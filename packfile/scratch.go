package packfile

import "github.com/worldfs/worldfs/entity"

// Scratch is room for decoding entities one after the other, for a caller that needs
// each only until the next: that then takes no memory of its own. The zero Scratch is
// ready to be used, by one goroutine at a time.
type Scratch struct {
	entity entity.Entity
	values []entity.Value // cut into what entities have
	used   int
}

// GetInto is Get of an entity that lies in s, and is good until s is used for
// another or Reset.
func (p *Pack) GetInto(id entity.ID, s *Scratch) (*entity.Entity, bool) {
	i, ok := p.find(id)
	if !ok {
		return nil, false
	}
	s.Reset()
	d := decoder{pack: p, budget: p.header.sections[secHeap].len(), scratch: s}
	e, err := d.entity(i)
	p.keep(err)
	return e, err == nil
}

// Reset lets go of the entity, and so of the pack that its strings lie in.
func (s *Scratch) Reset() {
	s.entity = entity.Entity{}
	clear(s.values[:s.used])
	s.used = 0
}

// scratchValues is how many values a Scratch has room for at first.
const scratchValues = 64

// take returns n values. When the room is used up what was taken of it stays where
// it is, and there is twice as much from then on.
func (s *Scratch) take(n int) []entity.Value {
	if n > len(s.values)-s.used {
		s.values, s.used = make([]entity.Value, max(2*len(s.values), n, scratchValues)), 0
	}
	from := s.used
	s.used += n
	return s.values[from:s.used:s.used]
}
