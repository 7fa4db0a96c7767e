package merge

import "github.com/worldfs/worldfs/entity"

// lookAtRedeclared has every entity be merged of the types that both sides declared
// anew, and not alike: the same bits may have other names there.
func (m *merger) lookAtRedeclared() {
	m.redeclared = make(map[string]bool)
	for _, o := range m.ourTypes.All() {
		b, t := m.baseTypes.Get(o.Name), m.theirTypes.Get(o.Name)
		if t != nil && !sameType(o, t) && !sameType(b, o) && !sameType(b, t) {
			m.redeclared[o.Name] = true
		}
	}
	if len(m.redeclared) == 0 {
		return
	}
	for e := range m.ours.All() {
		if m.redeclared[e.Type()] {
			m.look(e.ID)
		}
	}
}

// asDeclaredIn returns an entity of the base that a side did not change; of a type
// that both sides declared anew as that side has it. It may be nil.
func (m *merger) asDeclaredIn(side entity.Source, base *entity.Entity) *entity.Entity {
	if base == nil || !m.redeclared[base.Type()] {
		return base
	}
	e, _ := side.Get(base.ID)
	return e
}
