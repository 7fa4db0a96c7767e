package merge

import "github.com/worldfs/worldfs/entity"

// LeftEntity is an entity with conflicts that are left to people, as each side
// has it under the merged declarations; nil where there is none.
type LeftEntity struct {
	Base, Ours, Theirs *entity.Entity
	Conflicts          []Conflict
}

// LeftEntities returns the entities with conflicts that are left, by ID.
func (r *Result) LeftEntities() []LeftEntity { return r.leftEntities }

func (m *merger) leftTo(conflicts []Conflict) (out []LeftEntity) {
	left := make(map[entity.ID][]Conflict)
	for _, c := range conflicts {
		if c.Left && c.ID != 0 {
			left[c.ID] = append(left[c.ID], c)
		}
	}
	repairs := m.repairs
	for _, s := range m.order {
		if len(left[s.id]) > 0 {
			out = append(out, LeftEntity{m.adopt(s.base), m.adopt(s.ours), m.adopt(s.theirs), left[s.id]})
		}
	}
	m.repairs = repairs // adopting them again is no repair of the merged world
	return out
}
