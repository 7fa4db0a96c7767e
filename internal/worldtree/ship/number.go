package ship

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// number gives each entity that ships its ship ID.
func (m *making) number() error {
	m.ids = &Map{World: m.editor.ID, Dense: m.options.Dense, ByType: m.options.ByType && m.options.Dense, Next: 1}
	m.to = make(map[entity.ID]entity.ID, len(m.chosen))
	rest := m.chosen
	switch {
	case m.options.Earlier != nil:
		if m.options.Earlier.World != m.editor.ID {
			return fmt.Errorf("the earlier build's map is of another world, %s; this one is %s", m.options.Earlier.World.Dashed(), m.editor.ID.Dashed())
		}
		rest = m.keepIDs(m.options.Earlier)
	case !m.options.Dense:
		for _, e := range m.chosen {
			m.give(e, e.ID)
		}
		rest = nil
	}
	if err := m.giveNew(rest); err != nil {
		return err
	}
	slices.SortFunc(m.ids.Entries, func(a, b Entry) int { return cmp.Compare(a.Ship, b.Ship) })
	return nil
}

// keepIDs gives the entities that an earlier build had the IDs of then, and returns the
// others. What has another type now is another entity: what a saved game has of the one
// is nothing to the other.
func (m *making) keepIDs(earlier *Map) (rest []*entity.Entity) {
	m.ids.Next = earlier.Next
	had := make(map[entity.ID][]Entry, len(earlier.Entries))
	for _, in := range earlier.Entries {
		had[in.ID] = append(had[in.ID], in)
	}
	kept := make(map[entity.ID]bool) // ship IDs
	for _, e := range m.chosen {
		i := slices.IndexFunc(had[e.ID], func(in Entry) bool { return in.Type == e.Type() })
		if i < 0 {
			if len(had[e.ID]) > 0 {
				m.notes.Retyped = append(m.notes.Retyped, named(e))
			}
			rest = append(rest, e)
			continue
		}
		kept[had[e.ID][i].Ship] = true
		m.give(e, had[e.ID][i].Ship)
	}
	for _, in := range earlier.Entries {
		if !kept[in.Ship] {
			in.Gone = true
			m.ids.Entries = append(m.ids.Entries, in)
		}
	}
	return rest
}

// giveNew gives entities the next IDs, by their types and the editor's IDs.
func (m *making) giveNew(entities []*entity.Entity) error {
	if m.options.ByType {
		entities = slices.Clone(entities)
		slices.SortStableFunc(entities, func(a, b *entity.Entity) int { return strings.Compare(a.Type(), b.Type()) })
	}
	for _, e := range entities {
		if m.ids.Next > math.MaxUint32 {
			return fmt.Errorf("%s: there is no ship ID left for it; leave the earlier build's map out", e)
		}
		m.give(e, entity.ID(m.ids.Next))
	}
	return nil
}

func (m *making) give(e *entity.Entity, id entity.ID) {
	m.to[e.ID] = id
	m.ids.Next = max(m.ids.Next, uint64(id)+1)
	in := Entry{Ship: id, Named: named(e)}
	if x, y, z, ok := entity.Position(e); ok {
		in.Position = []float64{x, y, z}
	}
	m.ids.Entries = append(m.ids.Entries, in)
}

// Named is an entity as people know it.
type Named struct {
	ID   entity.ID `json:"id"` // the editor's
	Type string    `json:"type"`
	Name string    `json:"name,omitempty"`
}

func named(e *entity.Entity) Named { return Named{e.ID, e.Type(), e.Name()} }

func (n Named) String() string {
	s := n.Type + " " + n.ID.String()
	if n.Name != "" {
		s += fmt.Sprintf(" %q", n.Name)
	}
	return s
}
