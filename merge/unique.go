package merge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// uniqueKey is a value of a unique field, as entity.Check tells them apart.
type uniqueKey struct {
	typ, field string
	kind       entity.Kind
	value      string
}

// holder is an entity of the merged world that has a value of a unique field.
type holder struct {
	slot  *slot // nil: no side changed it
	e     *entity.Entity
	field int
}

// place is a field of an entity.
type place struct {
	id    entity.ID
	field int
}

// settleUnique settles values of unique fields that the sides' changes made
// equal together. Of two entities, that which has the value from the side that
// does not stand goes back to the value of the one that does. If that side has
// deleted it, it goes back to the base's, and others give way to that, as they
// do to a value that a person chose.
func (m *merger) settleUnique() {
	if !m.hasUnique() {
		return
	}
	s := separator{m, make(map[place]bool)}
	for s.separate() {
		m.clearRefs()
		m.cutCycles()
	}
}

func (m *merger) hasUnique() bool {
	return slices.ContainsFunc(m.types.All(), func(t *entity.Type) bool {
		return slices.ContainsFunc(t.Fields, func(f *entity.Field) bool { return f.Unique })
	})
}

// separator takes values of unique fields apart that stand twice in the merged world.
type separator struct {
	*merger
	told map[place]bool // the fields about which there is a conflict
}

// separate settles each value that stands twice, and reports whether it changed any.
func (s *separator) separate() (changed bool) {
	groups := s.uniqueHolders()
	for _, key := range slices.SortedFunc(maps.Keys(groups), compareKeys) {
		for _, h := range groups[key] {
			at := place{h.e.ID, h.field}
			other := s.clash(h, groups[key])
			if other == nil || s.told[at] {
				continue
			}
			s.told[at] = true
			changed = s.makeUnique(h, *other) || changed
		}
	}
	return changed
}

func compareKeys(a, b uniqueKey) int {
	return cmp.Or(cmp.Compare(a.typ, b.typ), cmp.Compare(a.field, b.field), cmp.Compare(a.kind, b.kind), cmp.Compare(a.value, b.value))
}

// uniqueHolders returns the entities with each value of a unique field that some entity
// has that a side changed.
func (s *separator) uniqueHolders() map[uniqueKey][]holder {
	groups := make(map[uniqueKey][]holder)
	everywhere := s.newlyUnique()
	for _, of := range s.order {
		s.eachUnique(of.out, func(i int, key uniqueKey) {
			h := holder{of, of.out, i}
			groups[key] = append(groups[key], h)
			everywhere = everywhere || !s.had(Ours, h) && !s.had(Theirs, h)
		})
	}
	if !everywhere {
		return groups // what no side changed is as unique as it was
	}
	for e := range s.ours.All() {
		if s.slots[e.ID] != nil {
			continue
		}
		e = s.bindEntity(e)
		s.eachUnique(e, func(i int, key uniqueKey) {
			if groups[key] != nil {
				groups[key] = append(groups[key], holder{nil, e, i})
			}
		})
	}
	return groups
}

// eachUnique calls f with the fields of an entity that are unique in the merged
// world and have a value. e may be nil.
func (m *merger) eachUnique(e *entity.Entity, f func(i int, key uniqueKey)) {
	if e == nil {
		return
	}
	fields, known := m.uniques[e.Layout]
	if !known {
		for i, field := range e.Layout.Fields {
			if isUnique(m.types, e.Type(), field.Name) {
				fields = append(fields, i)
			}
		}
		m.uniques[e.Layout] = fields
	}
	for _, i := range fields {
		field := e.Layout.Fields[i]
		if v := e.Values[i]; !v.IsNull() {
			f(i, uniqueKey{e.Type(), field.Name, v.Kind(), string(interchange.AppendValue(nil, &field.Shape, v))})
		}
	}
}

// newlyUnique reports whether a field is unique that is not so on both sides.
func (m *merger) newlyUnique() bool {
	for _, t := range m.types.All() {
		for _, f := range t.Fields {
			if f.Unique && (!isUnique(m.ourTypes, t.Name, f.Name) || !isUnique(m.theirTypes, t.Name, f.Name)) {
				return true
			}
		}
	}
	return false
}

// isUnique reports whether a field is declared unique.
func isUnique(types *entity.Types, typ, field string) bool {
	t := types.Get(typ)
	return t != nil && slices.ContainsFunc(t.Fields, func(f *entity.Field) bool { return f.Name == field && f.Unique })
}

// side returns the entity as a side has it, nil if it has none.
func (h holder) side(p Party) *entity.Entity {
	if h.slot == nil {
		return h.e
	}
	return either(p, h.slot.ours, h.slot.theirs)
}

func (h holder) name() string { return h.e.Layout.Fields[h.field].Name }

// had reports whether a side has the holder's value there, and declares it
// unique, be it under the name that the field had before.
func (s *separator) had(p Party, h holder) bool {
	e := h.had(p)
	v, ok := s.valueOf(e, h)
	return ok && v.Equal(h.e.Values[h.field]) && isUnique(either(p, s.ourTypes, s.theirTypes), e.Type(), s.formerName(e, h))
}

// hadBoth reports whether a side has the value of two holders in both, and in one field: under
// the name that it has now and the one that it had before it is no clash there.
func (s *separator) hadBoth(p Party, h, o holder) bool {
	return s.had(p, h) && s.had(p, o) && s.formerName(h.had(p), h) == s.formerName(o.had(p), o)
}

// had returns the entity as a side's world has it, nil if it has none.
func (h holder) had(p Party) *entity.Entity {
	if h.slot == nil {
		return h.e
	}
	return h.slot.had(p)
}

// formerName returns what the field of a holder is called in an entity that has a value of it.
func (s *separator) formerName(e *entity.Entity, h holder) string {
	if from := s.sources(e.Layout, h.e.Layout)[h.field]; e.Layout.Index(h.name()) < 0 && from.shape != nil {
		return e.Layout.Fields[from.field].Name
	}
	return h.name()
}

// clash returns the entity with which h shares its value although no side had
// both, if it is h that has to give way; nil otherwise.
func (s *separator) clash(h holder, group []holder) *holder {
	if h.slot == nil {
		return nil
	}
	stands := s.standing(h).stands
	for i := range group {
		o := &group[i]
		switch {
		case o.e.ID == h.e.ID:
		case s.isAmended(h) != s.isAmended(*o): // of both sides, which were given it, none had both
			if s.isAmended(*o) {
				return o
			}
		case s.hadBoth(Ours, h, *o), s.hadBoth(Theirs, h, *o):
		case o.slot != nil && s.isFirm(h) != s.isFirm(*o):
			if s.isFirm(*o) {
				return o
			}
		case !s.had(stands, h), o.slot == nil || s.had(stands, *o) && o.e.ID < h.e.ID:
			return o
		}
	}
	return nil
}

// standing returns the verdict about a holder's value.
func (s *separator) standing(h holder) verdict { return s.verdict(h.e.ID, h.e.Type(), h.name()) }

// isFirm reports whether others give way to a holder's value, whichever side stands.
func (s *separator) isFirm(h holder) bool { return s.isRestored(h) || s.isChosen(h) || s.isAmended(h) }

// isAmended reports whether a person chose a holder's value that is of neither side.
func (s *separator) isAmended(h holder) bool { return s.options.isAmended(h.e.ID, h.name()) }

// isChosen reports whether a person chose the side of which a holder has its value.
func (s *separator) isChosen(h holder) bool {
	v, ok := s.options.chosen(h.e.ID, h.e.Type(), h.name())
	return ok && s.had(v.stands, h)
}

// isRestored reports whether a holder has the base's value although the side that
// stands deleted it: there is no other for it.
func (s *separator) isRestored(h holder) bool {
	if h.slot == nil || h.side(s.standing(h).stands) != nil {
		return false
	}
	v, ok := s.valueOf(h.slot.base, h)
	return ok && v.Equal(h.e.Values[h.field])
}

// valueOf returns the value of a holder's field that an entity has, which may be nil.
func (s *separator) valueOf(e *entity.Entity, h holder) (v entity.Value, ok bool) {
	if e == nil || e.Type() != h.e.Type() {
		return v, false
	}
	view := s.view(e, h.e.Layout)
	return view.value(h.field, h.e.Layout.Fields[h.field]), view.has(h.field)
}

// makeUnique has a field go back to another value, which is a conflict, and
// reports whether there is one. If not, people have to settle it.
func (s *separator) makeUnique(h, other holder) bool {
	name := h.name()
	v, now, ok := s.formerValue(h, s.isFirm(other))
	c := Conflict{Kind: NotUnique, Field: name, Path: name, With: other.e.ID,
		Why:  fmt.Sprintf("with both sides' changes %s would have the same value, and no two may", other.e),
		Base: s.versionOf(h.slot.base, h), Ours: s.versionOf(h.side(Ours), h), Theirs: s.versionOf(h.side(Theirs), h)}
	if ok && h.side(v.stands) == nil {
		c.Why += "; " + s.options.SideNames()[v.stands] + " deleted it, so it has the base's"
	}
	s.conflict(v, c.about(h.e))
	if ok {
		h.slot.edit(h.field, now)
	}
	return ok
}

// formerValue returns the value that a field goes back to, and whose it is: that of the
// side that stands, and if there is none and orOther is set, that of the other one. The
// base's is in the place of that of a side that deleted the entity. Without any, ok is false.
func (s *separator) formerValue(h holder, orOther bool) (v verdict, now entity.Value, ok bool) {
	v = s.standing(h)
	left := verdict{stands: v.stands.Other(), left: true, why: "left to people"}
	for _, from := range []verdict{v, left} {
		now, ok = s.valueOf(cmp.Or(h.side(from.stands), h.slot.base), h)
		if ok = ok && !now.Equal(h.e.Values[h.field]); ok {
			return from, now, true
		}
		if !orOther {
			break
		}
	}
	return s.keeping(h, v.stands, left), now, false
}

// keeping returns a verdict with which a holder keeps its value: that of the party, if it has
// it, else that of the other one.
func (s *separator) keeping(h holder, p Party, v verdict) verdict {
	is, ok := s.valueOf(h.side(p), h)
	if v.stands = p; (!ok || !is.Equal(h.e.Values[h.field])) && h.side(p.Other()) != nil {
		v.stands = p.Other()
	}
	return v
}

// versionOf returns what an entity has in a holder's field, be it under the name that the
// field had before; e may be nil.
func (s *separator) versionOf(e *entity.Entity, h holder) Version {
	v, ok := s.valueOf(e, h)
	if !ok {
		return Version{}
	}
	return version(&h.e.Layout.Fields[h.field].Shape, v)
}
