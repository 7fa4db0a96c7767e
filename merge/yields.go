package merge

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// A declaration says what yields: in a conflict about it a program's bulk change gives way
// to a person's. The change of a side is a program's where the side is known to be one's,
// or where the side changed more of the type's entities at once than people do.

// DefaultBulk is the share of a type's entities from which on a change is a program's.
const DefaultBulk = 0.25

// minBulk is how many entities that are at least: of a few a person changes any share.
const minBulk = 10

// yielder is what is counted together: a type, or a field that says for itself that it
// yields.
type yielder struct{ typ, field string }

// yields is what yields in a merge.
type yields struct {
	*merger
	changed map[Party]map[yielder]int // how many entities of the base each side changed
	had     map[string]int            // how many of each type the base has; nil: not counted yet
}

// countYielding counts what the sides changed of what yields. It is nil where nothing does.
func (m *merger) countYielding() *yields {
	y := &yields{merger: m, changed: map[Party]map[yielder]int{Ours: {}, Theirs: {}}}
	if !Yields(m.types) {
		return nil
	}
	for _, s := range m.order {
		if s.byOurs {
			y.count(Ours, s.base, s.ours)
		}
		if s.byTheirs {
			y.count(Theirs, s.base, s.theirs)
		}
	}
	return y
}

// Yields reports whether something of the types yields.
func Yields(types *entity.Types) bool { return slices.ContainsFunc(types.All(), anyYields) }

func anyYields(t *entity.Type) bool {
	return t.Yields || slices.ContainsFunc(t.Fields, func(f *entity.Field) bool { return f.Yields != nil && *f.Yields })
}

// count counts one entity for all that a party changed in it. e is nil if it deleted it.
func (y *yields) count(p Party, base, e *entity.Entity) {
	if base == nil {
		return
	}
	t := y.types.Get(base.Type())
	if t == nil || !anyYields(t) {
		return
	}
	changed := make(map[yielder]bool)
	if e == nil || e.Type() != base.Type() {
		changed[yielder{typ: t.Name}] = true
	} else {
		was := y.view(base, e.Layout)
		for i, f := range e.Layout.Fields {
			if !f.Derived && !was.value(i, f).Equal(e.Values[i]) {
				changed[y.yielder(t.Name, f.Name)] = true
			}
		}
		if !slices.Equal(was.raw, e.Unknown) {
			changed[yielder{typ: t.Name}] = true
		}
	}
	for what := range changed {
		y.changed[p][what]++
	}
}

// yielder returns what a field of a type is counted with, "" for the entity as a whole;
// the zero yielder where it does not yield.
func (y *yields) yielder(typ, field string) yielder {
	t := y.types.Get(typ)
	if t == nil {
		return yielder{}
	}
	for _, f := range t.Fields {
		switch {
		case f.Name != field || f.Yields == nil:
		case *f.Yields:
			return yielder{typ, field}
		default:
			return yielder{}
		}
	}
	if !t.Yields {
		return yielder{}
	}
	return yielder{typ: typ}
}

// stands returns the side whose change of a field is a person's, where the other's is a
// program's and the field yields; else Neither.
func (y *yields) stands(typ, field string) Party {
	what := y.yielder(typ, field)
	if what == (yielder{}) {
		return Neither
	}
	ours, theirs := y.byProgram(Ours, what), y.byProgram(Theirs, what)
	if ours == theirs {
		return Neither
	}
	return partyIf(theirs)
}

func (y *yields) byProgram(p Party, what yielder) bool {
	if p == y.options.Program {
		return true
	}
	n := y.changed[p][what]
	if n < minBulk {
		return false
	}
	share := y.options.Bulk
	if share == 0 {
		share = DefaultBulk
	}
	return float64(n) > share*float64(y.sizeOf(what.typ))
}

// sizeOf returns how many entities of a type the base has.
func (y *yields) sizeOf(typ string) int {
	if y.had == nil {
		y.had = make(map[string]int)
		for e := range y.base.All() {
			y.had[e.Type()]++
		}
	}
	return y.had[typ]
}

// verdict returns what becomes of a conflict about a field of an entity, "" for the entity
// as a whole: what was chosen, what a rule says, what yields, what the policy says.
func (m *merger) verdict(id entity.ID, typ, field string) verdict {
	return m.yield(m.options.verdict(id, typ, field), typ, field)
}

// yield has a program's change give way where only the policy would decide.
func (m *merger) yield(v verdict, typ, field string) verdict {
	if m.yielding == nil || !v.byPolicy {
		return v
	}
	if p := m.yielding.stands(typ, field); p != Neither {
		return verdict{stands: p, why: "since it yields and the other side's is a program's bulk change", gaveWay: true}
	}
	return v
}
