package merge

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
)

// Party is one of the two whose changes are merged.
type Party uint8

// The parties.
const (
	Neither Party = iota
	Ours
	Theirs
)

// String returns the party's name in reports.
func (p Party) String() string {
	switch p {
	case Ours:
		return "ours"
	case Theirs:
		return "theirs"
	}
	return "neither"
}

// MarshalText is String.
func (p Party) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Other returns the other party.
func (p Party) Other() Party {
	switch p {
	case Ours:
		return Theirs
	case Theirs:
		return Ours
	}
	return Neither
}

// Policy says what becomes of a conflict.
type Policy uint8

// The policies.
const (
	Leave  Policy = iota // it is left to people: ours stands meanwhile, and what was deleted stays
	Shared               // the shared side stands
	Mine                 // the side that is not shared stands
)

var policyNames = [...]string{"leave", "shared", "mine"}

// String returns the policy's name as commands spell it.
func (p Policy) String() string { return policyNames[p] }

// ParsePolicy returns the policy of that name.
func ParsePolicy(name string) (Policy, error) {
	for p, n := range policyNames {
		if n == name {
			return Policy(p), nil
		}
	}
	return Leave, fmt.Errorf("policy %q: it is one of leave, shared, mine", name)
}

// Options are how to merge. The zero Options leave conflicts to people and
// take theirs for the shared side.
type Options struct {
	Policy Policy
	Shared Party // the published side; Theirs if it is Neither

	// Rules, if there are any, say which policy counts for a field of a type,
	// "" for the entity as a whole; ok is false where Policy counts.
	Rules func(typ, field string) (p Policy, ok bool)

	// Choose, if it is set, returns the side that a person chose for a conflict about a
	// field of an entity, "" for the entity as a whole; ID 0 is the declaration of the
	// type. Neither: that person chose nothing.
	Choose func(id entity.ID, typ, field string) Party

	Ranges Ranges // nil: no party owns an ID
}

// Ranges says which party may create which IDs.
type Ranges interface {
	// Owner returns the party that owns the range of the ID.
	Owner(id entity.ID) Party

	// Disposable returns the range of the ID, to excluded, if whatever is in
	// it may be deleted and made anew by a program.
	Disposable(id entity.ID) (from, to entity.ID, ok bool)

	// Next returns the next ID for an entity of the party's that had to give
	// up id: one in the party's own range for which free holds.
	Next(p Party, id entity.ID, free func(entity.ID) bool) (entity.ID, bool)
}

func (o *Options) shared() Party {
	if o.Shared == Neither {
		return Theirs
	}
	return o.Shared
}

// verdict is what a policy says about a conflict.
type verdict struct {
	stands Party
	left   bool
	why    string
}

// verdict returns what becomes of a conflict about a field of an entity, "" for the
// entity as a whole; ID 0 is the declaration of its type.
func (o *Options) verdict(id entity.ID, typ, field string) verdict {
	if v, ok := o.chosen(id, typ, field); ok {
		return v
	}
	p, why := o.Policy, "by the policy"
	if o.Rules != nil {
		if rule, ok := o.Rules(typ, field); ok {
			p, why = rule, "by the rule for "+typ
			if field != "" {
				why += " " + field
			}
		}
	}
	switch p {
	case Shared:
		return verdict{stands: o.shared(), why: why + " shared"}
	case Mine:
		return verdict{stands: o.shared().Other(), why: why + " mine"}
	}
	return verdict{stands: Ours, left: true, why: "left to people"}
}

// chosen returns the verdict of the person, ok if there is one.
func (o *Options) chosen(id entity.ID, typ, field string) (v verdict, ok bool) {
	if o.Choose == nil {
		return v, false
	}
	p := o.Choose(id, typ, field)
	return verdict{stands: p, why: "as was chosen"}, p != Neither
}
