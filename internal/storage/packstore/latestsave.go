package packstore

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// latestSave returns what a save was made from that names a base: that one, or
// an earlier save from the same base that it goes on from. A program that saves
// again before it has seen what became of its first save names what it loaded;
// against that, whatever it changed twice would be a conflict with itself. A save
// from before the base was published once more does not count: what it changed has
// been taken back since, and an engine that loads the base now does not have it.
func (s *Store) latestSave(base, p *packfile.Pack) *packfile.Pack {
	packs, err := s.List()
	if err != nil {
		return base
	}
	for _, k := range packs { // the newest first
		if k.Digest == base.Hash() {
			break
		}
		if !k.Saved {
			continue
		}
		if head, err := packfile.ReadHead(s.Path(k.Digest)); err != nil || head.BasedOn != base.Hash() {
			continue
		}
		if save, err := s.Get(k.Digest); err == nil && goesOn(base, save, p) {
			return save
		}
	}
	return base
}

// goesOn reports whether next has all that save changed of base, some of it
// changed further. Of what another program made of base it hardly has any.
func goesOn(base, save, next entity.Source) bool {
	changes := entity.Diff(base, save)
	later := make(map[property]entity.ChangeSet)
	for _, c := range entity.Diff(base, next) {
		at := property{c.ID, c.Field}
		later[at] = append(later[at], c)
	}
	for _, c := range changes {
		if !isIn(c, later) {
			return false
		}
	}
	return len(changes) > 0
}

// property is what a change is about; of a change of the whole entity, or of
// what its type does not have, the field is "".
type property struct {
	id    entity.ID
	field string
}

// isIn reports whether later changes do what c does, or change the same further.
func isIn(c entity.Change, later map[property]entity.ChangeSet) bool {
	for _, l := range later[property{id: c.ID}] {
		if l.Op == entity.OpDelete {
			return c.Op != entity.OpCreate
		}
	}
	for _, l := range later[property{c.ID, c.Field}] {
		switch c.Op {
		case entity.OpAdd, entity.OpRemove: // each element is its own property
			if l.Op == c.Op && l.From.Equal(c.From) && l.To.Equal(c.To) {
				return true
			}
		case entity.OpSet, entity.OpEdit:
			return true
		default:
			if l.Op == c.Op {
				return true
			}
		}
	}
	return false
}
