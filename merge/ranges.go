package merge

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// Ranges says who may create which IDs. The zero Ranges has no ranges: then every ID is
// as good as any other.
type Ranges struct {
	List []Range // they do not overlap

	// Keys are the owners that the machine which merges creates entities for, and Party is
	// whose edits are that machine's; Neither: it only brings together what others did.
	Keys  []string
	Party Party

	// Creators, if it is set, returns the keys of the owners for which a side's entities
	// were created, of those of which it is known.
	Creators func(p Party, ids []entity.ID) map[entity.ID][]string
}

// Range is the IDs from From up to but not To, and whose they are.
type Range struct {
	From, To   uint64
	Owners     []string // keys: machines and roles
	Disposable bool     // whatever is in it may be deleted and made anew by a program
}

// has reports whether the ID is in the range.
func (r *Range) has(id entity.ID) bool { return r.From <= uint64(id) && uint64(id) < r.To }

// isOf reports whether one of the keys owns the range.
func (r *Range) isOf(keys []string) bool {
	return slices.ContainsFunc(r.Owners, func(o string) bool { return slices.Contains(keys, o) })
}

// of returns the range that an ID is in, nil for none.
func (r *Ranges) of(id entity.ID) *Range {
	for i := range r.List {
		if r.List[i].has(id) {
			return &r.List[i]
		}
	}
	return nil
}

// IsDisposable reports whether an ID is in a disposable range.
func (r *Ranges) IsDisposable(id entity.ID) bool {
	in := r.of(id)
	return in != nil && in.Disposable
}

// own returns the ranges in which an owner of the keys creates entities.
func (r *Ranges) own(keys []string) (own []Range) {
	for _, in := range r.List {
		if !in.Disposable && in.isOf(keys) {
			own = append(own, in)
		}
	}
	return own
}

// creator is for whom a side created its entities.
type creator struct {
	known bool     // false: nothing says
	keys  []string // of ranges; none where known: an owner of no range
}

// creators finds out for whom the sides created entities: what a side created in ranges
// that one owner has in common is that owner's. A machine knows its own keys, and where
// what its side created is another's, nothing is known. So two machines come to the same
// wherever the worlds say it.
func (m *merger) creators() map[Party]creator {
	out := make(map[Party]creator)
	for _, p := range []Party{Ours, Theirs} {
		keys, some := m.owners(p)
		c := creator{known: len(keys) > 0, keys: keys}
		if p == m.options.Ranges.Party {
			mine := m.options.Ranges.Keys
			isMine := slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(mine, k) })
			c = creator{known: isMine || !some, keys: mine}
		}
		out[p] = c
	}
	return out
}

// owners returns the keys that all ranges have in which the side created an entity that
// the other has not; some is whether there is one. What is in a disposable range is a
// program's and says nothing of the rest.
func (m *merger) owners(p Party) (keys []string, some bool) {
	for _, s := range m.order {
		if s.base != nil || !either(p, s.byOurs, s.byTheirs) || either(p, s.theirs, s.ours) != nil {
			continue
		}
		in := m.options.Ranges.of(s.id)
		switch {
		case in == nil || in.Disposable:
			continue
		case !some:
			keys, some = slices.Clone(in.Owners), true
		default:
			keys = slices.DeleteFunc(keys, func(k string) bool { return !slices.Contains(in.Owners, k) })
		}
	}
	return keys, some
}

// owner returns the side whose creator of an ID owns its range. Where that is known of
// neither, it is the one of which it is not known that it is another's. Neither: nothing
// says.
func (m *merger) owner(id entity.ID, ours, theirs creator) Party {
	in := m.options.Ranges.of(id)
	if in == nil {
		return Neither
	}
	switch oursOwn, theirsOwn := in.isOf(ours.keys) && ours.known, in.isOf(theirs.keys) && theirs.known; {
	case oursOwn != theirsOwn:
		return partyIf(oursOwn)
	case oursOwn || ours.known == theirs.known:
		return Neither
	}
	return partyIf(!ours.known)
}
