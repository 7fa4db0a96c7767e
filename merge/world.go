// Package merge merges worlds by property: what two people did to one world
// since they last had it in common comes together in one, and only where both
// changed the same property to two values, or one deleted what the other
// changed or put something under, is there a conflict.
//
// What it guarantees, for Worlds(base, ours, theirs):
//
//   - If one side changed nothing, the result is the other side, whatever that
//     looks like; if both are the same, it is that.
//   - What one side alone changed is in the result, unless a listed repair
//     names it. Derived and insignificant fields never conflict, nor do poses that
//     parents carry: those are derived anew in the result. Where a declaration says
//     yields, a program's bulk change gives way to a person's.
//   - Every conflict and every repair is listed; the policies decide conflicts
//     or leave them to people, and ours stands meanwhile.
//   - The result loads: no ID twice, no ref to nothing and no circle of direct
//     refs that neither side had, every value of its field's shape. Values of
//     a unique field that are equal only together are a conflict.
//   - It does not matter in which order anything comes; with the sides and
//     what is said of them swapped the same world comes out, new IDs included.
//     Where nothing is left to people, it does not matter which side is called
//     ours, while the same is shared, or, of IDs, while the two are peers.
//
// Lines of fields that the type does not know are merged as text. What looks like a
// ref in them is none: it does not follow an entity to a new ID. Where the other side
// declares the field, they become its value; lines that are none are kept under
// another name, NAME_lines, which is a listed repair.
//
// The sides may have other declarations of their types; these are merged too,
// and entities are carried over.
//
// What it costs grows with what the sides changed. Finding that out reads both
// sides, unless they are an entity.Differ: packs compare rows as they lie, at
// about 200 ns an entity. Where a declaration is neither side's, the entities
// of the type are all read.
package merge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

// Side is a world to be merged: types, which may be nil, and entities.
type Side struct {
	Types    *entity.Types
	Entities entity.Source
}

// Of returns a world in memory as a side.
func Of(w *entity.World) Side { return Side{Types: w.Types, Entities: w} }

// merger is a merge under way.
type merger struct {
	options            *Options
	base, ours, theirs entity.Source
	types              *entity.Types // the merged ones
	otherWay           bool          // conflicts about declarations that are left are decided the other way

	baseTypes, ourTypes, theirTypes *entity.Types

	slots map[entity.ID]*slot
	order []*slot // by ID

	redeclared  map[string]bool                   // the types that both sides declared anew, and not alike
	bound       map[*entity.Type]bool             // a side's declaration: whether it is the merged one
	layouts     map[*entity.Layout]*entity.Layout // a side's layout: the merged one
	places      map[layouts][]source
	refs        map[*entity.Layout]refFields
	expressions map[string]*expression.Program
	uniques     map[*entity.Layout][]int // its unique fields
	yielding    *yields                  // nil: nothing yields

	conflicts  []Conflict
	repairs    []Repair
	renumbered []Renumbering
	discarded  []DiscardedSet
	alike      int
}

// slot is an ID under which a side changed something.
type slot struct {
	id                 entity.ID
	base, ours, theirs *entity.Entity // nil where there is none
	byOurs, byTheirs   bool           // the sides that changed it
	out                *entity.Entity // nil: there is none
	own                bool           // out is a copy of ours that may be changed

	decided     bool           // that it is deleted is settled
	discarded   *entity.Entity // what went for the set of a disposable range; nil: a deletion, or nothing
	discardedOf Party          // whose it was
}

// Worlds merges what ours and theirs made of base. It fails only if a source
// cannot be read.
func Worlds(base, ours, theirs Side, o Options) (*Result, error) {
	m := &merger{
		options: &o, base: base.Entities, ours: ours.Entities, theirs: theirs.Entities,
		baseTypes: orNone(base.Types), ourTypes: orNone(ours.Types), theirTypes: orNone(theirs.Types),
		slots: make(map[entity.ID]*slot), bound: make(map[*entity.Type]bool),
		layouts: make(map[*entity.Layout]*entity.Layout), places: make(map[layouts][]source),
		uniques: make(map[*entity.Layout][]int),
		refs:    make(map[*entity.Layout]refFields), expressions: make(map[string]*expression.Program),
	}
	m.collect()
	m.mergeTypes(m.baseTypes, m.ourTypes, m.theirTypes)
	m.rebind()
	m.yielding = m.countYielding()
	m.dispose()
	m.renumber()
	for _, s := range m.order {
		m.slot(s)
	}
	m.keepParents()
	m.clearRefs()
	m.cutCycles()
	m.settleUnique()
	derivePoses(m)
	m.declare(orNone(base.Types), orNone(ours.Types), orNone(theirs.Types))
	m.readUndeclared()
	result := m.result()
	result.leftEntities = m.leftTo(result.Conflicts)
	result.disputed = m.disputedTypes(m.baseTypes, m.ourTypes, m.theirTypes)
	for i, side := range []entity.Source{m.base, m.ours, m.theirs} {
		if s, ok := side.(interface{ Err() error }); ok && s.Err() != nil {
			return nil, fmt.Errorf("read %s: %w", [...]string{"base", "ours", "theirs"}[i], s.Err())
		}
	}
	return result, nil
}

func orNone(t *entity.Types) *entity.Types {
	if t == nil {
		return &entity.Types{}
	}
	return t
}

func (m *merger) conflict(v verdict, c Conflict) {
	c.Stands, c.Left, c.By, c.Gave = v.stands, v.left, v.why, v.gaveWay
	m.conflicts = append(m.conflicts, c)
}

func (m *merger) repair(r Repair) { m.repairs = append(m.repairs, r) }

// collect finds out what each side changed.
func (m *merger) collect() {
	for b, o := range entity.Differing(m.base, m.ours) {
		s := m.at(cmp.Or(b, o).ID)
		s.base, s.ours, s.byOurs = b, o, true
	}
	for b, t := range entity.Differing(m.base, m.theirs) {
		s := m.at(cmp.Or(b, t).ID)
		s.base, s.theirs, s.byTheirs = b, t, true
	}
	for a := range m.options.Amended {
		m.look(a.ID)
	}
	m.lookAtRedeclared()
	for _, s := range m.slots {
		if !s.byOurs {
			s.ours = m.asDeclaredIn(m.ours, s.base)
		}
		if !s.byTheirs {
			s.theirs = m.asDeclaredIn(m.theirs, s.base)
		}
	}
	m.sort()
}

// look has an entity be looked at that no side may have changed.
func (m *merger) look(id entity.ID) {
	if base, there := m.base.Get(id); there && m.slots[id] == nil {
		m.at(id).base = base
	}
}

// at returns the slot of an ID, made if need be.
func (m *merger) at(id entity.ID) *slot {
	s := m.slots[id]
	if s == nil {
		s = &slot{id: id}
		m.slots[id] = s
	}
	return s
}

// sort brings the slots into the order of their IDs.
func (m *merger) sort() {
	m.order = m.order[:0]
	for _, s := range m.slots {
		m.order = append(m.order, s)
	}
	slices.SortFunc(m.order, compareSlots)
}

func compareSlots(a, b *slot) int { return cmp.Compare(a.id, b.id) }

// slot merges the entity of one ID, as far as it can be done without looking
// at others.
func (m *merger) slot(s *slot) {
	switch {
	case s.ours != nil && s.theirs != nil && s.ours.Type() == s.theirs.Type() && m.redeclared[s.ours.Type()]:
		s.out = m.entity(s.base, s.ours, s.theirs)
	case s.byOurs && s.byTheirs && s.ours != nil && s.theirs != nil && s.ours.Same(s.theirs):
		m.alike++
		s.out = m.adopt(s.ours)
	case !s.byTheirs:
		s.out = m.oneSided(s, s.ours)
	case !s.byOurs:
		s.out = m.oneSided(s, s.theirs)
	case s.ours == nil && s.theirs == nil:
		m.alike++
	case s.ours == nil:
		m.deletion(s, Theirs)
	case s.theirs == nil:
		m.deletion(s, Ours)
	default:
		s.out = m.entity(s.base, s.ours, s.theirs)
	}
}

// oneSided returns what one side alone made of an entity. Where the merged
// declaration is another than its own, the other side may have what it lacks.
func (m *merger) oneSided(s *slot, e *entity.Entity) *entity.Entity {
	if e == nil || s.base == nil || m.isAdopted(e) {
		return m.saved(s.base, m.adopt(e))
	}
	return m.entity(s.base, s.ours, s.theirs)
}

// deletion settles an entity that one side deleted and the changer changed.
func (m *merger) deletion(s *slot, changer Party) {
	changed := either(changer, s.ours, s.theirs)
	s.decided = true
	if !m.significant(s.base, changer, changed) {
		s.decided = false
		return
	}
	v := m.yield(m.options.verdict(s.id, changed.Type(), ""), s.base.Type(), "")
	if v.left {
		v.stands = changer
	}
	names := m.options.SideNames()
	m.conflict(v, Conflict{Kind: Deleted, Why: names[changer.Other()] + " deleted it, " + names[changer] + " changed it",
		Base: Version{Entity: s.base}, Ours: Version{Entity: s.ours}, Theirs: Version{Entity: s.theirs}}.about(changed))
	if v.stands == changer {
		s.out = m.saved(s.base, m.adopt(changed))
	}
}

// significant reports whether a party's e is not just base with other derived or
// insignificant values, or another revision.
func (m *merger) significant(base *entity.Entity, p Party, e *entity.Entity) bool {
	return base.Type() != e.Type() || !m.similar(Neither, base, p, e)
}

// similar reports whether two parties' entities of one type have the same values in all
// fields that count.
func (m *merger) similar(pa Party, a *entity.Entity, pb Party, b *entity.Entity) bool {
	va, vb := m.view(a, b.Layout), m.view(b, b.Layout)
	for i, f := range b.Layout.Fields {
		if !va.value(i, f).Equal(vb.value(i, f)) && !f.Derived && !m.holds(f.InsignificantWhen, a) && !m.holds(f.InsignificantWhen, b) &&
			!(carries(m, pa, a, f.Name) && carries(m, pb, b, f.Name)) {
			return false
		}
	}
	return slices.Equal(va.raw, vb.raw)
}
