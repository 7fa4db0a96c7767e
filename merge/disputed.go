package merge

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// DisputedType is a declaration with conflicts that are left to people.
type DisputedType struct {
	Stands    *entity.Type // the declaration in force meanwhile
	Other     *entity.Type // the same with each of the conflicts decided the other way; nil: there is none
	Conflicts []Conflict
	Names     [2]string // what the sides of Stands and Other are called
}

// DisputedTypes returns the declarations with conflicts that are left, by name.
func (r *Result) DisputedTypes() []DisputedType { return r.disputed }

// side returns whose part of a declaration is taken.
func (m *merger) side(v verdict) Party {
	if v.left && m.otherWay {
		return v.stands.Other()
	}
	return v.stands
}

// disputedTypes merges the declarations with conflicts that are left once more,
// the other way.
func (m *merger) disputedTypes(base, ours, theirs *entity.Types) (out []DisputedType) {
	for _, name := range typeNames(base, ours, theirs) {
		left := slices.DeleteFunc(slices.Clone(m.conflicts), func(c Conflict) bool {
			return !c.Left || c.Kind != Declaration || c.Type != name
		})
		if len(left) == 0 {
			continue
		}
		other := &merger{options: m.options, otherWay: true}
		var stands []Party
		for _, c := range left {
			stands = append(stands, c.Stands)
		}
		out = append(out, DisputedType{
			Stands: m.types.Get(name), Conflicts: left, Names: m.options.SideNames().Standing(stands),
			Other: other.declaration(name, base.Get(name), ours.Get(name), theirs.Get(name)),
		})
	}
	return out
}
