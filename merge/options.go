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

// String returns the party's name for programs; people read SideNames.
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

// UnmarshalText reads what MarshalText writes.
func (p *Party) UnmarshalText(text []byte) error {
	for _, known := range []Party{Neither, Ours, Theirs} {
		if string(text) == known.String() {
			*p = known
			return nil
		}
	}
	return fmt.Errorf("party %q: it is one of neither, ours, theirs", text)
}

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
	Shared Party     // the published side; Theirs if it is Neither
	Names  SideNames // what the sides are called, if that is not to follow Shared

	// Rules, if there are any, say which policy counts for a field of a type,
	// "" for the entity as a whole; ok is false where Policy counts.
	Rules func(typ, field string) (p Policy, ok bool)

	// Choose, if it is set, returns the side that a person chose for a conflict about a
	// field of an entity, "" for the entity as a whole; ID 0 is the declaration of the
	// type. Neither: that person chose nothing.
	Choose func(id entity.ID, typ, field string) Party

	// Amended are fields, "" for the entity as a whole, that both sides are given as a
	// person has chosen, who wants neither side's: what is deleted, or would follow itself,
	// by the rest of the merge is no side's own doing.
	Amended map[Amendment]bool

	// Published is the side whose entities others have by their IDs already: of two that
	// were made under one ID its keeps it, and of a disposable range its set stands.
	// Neither: that is the shared side; or it is the side that the content chooses, if the
	// two are Peers. Then two machines that merge each other's work choose alike.
	Published Party
	Peers     bool

	// Program is the side of which it is known that a program made its changes, and Bulk
	// the share of a type's entities from which on a side's changes are taken for a
	// program's; 0 is DefaultBulk. Where a declaration says yields, those give way.
	Program Party
	Bulk    float64

	Alone bool // the sides lack what their entities are mounted on: any pose may be derived

	Ranges Ranges
}

// Amendment is a field of an entity, or with "" the entity as a whole.
type Amendment struct {
	ID    entity.ID
	Field string
}

// isAmended reports whether a field of an entity is as a person has chosen.
func (o *Options) isAmended(id entity.ID, field string) bool {
	return o.Amended[Amendment{id, field}] || o.Amended[Amendment{id, ""}]
}

func (o *Options) shared() Party {
	if o.Shared == Neither {
		return Theirs
	}
	return o.Shared
}

// published returns the side whose IDs stand, Neither where the content chooses it.
func (o *Options) published() Party {
	if o.Published == Neither && !o.Peers {
		return o.shared()
	}
	return o.Published
}

// verdict is what a policy says about a conflict.
type verdict struct {
	stands   Party
	left     bool
	why      string
	byPolicy bool // neither a person nor a rule has decided
	gaveWay  bool // the other side's was a program's
}

// verdict returns what becomes of a conflict about a field of an entity, "" for the
// entity as a whole; ID 0 is the declaration of its type.
func (o *Options) verdict(id entity.ID, typ, field string) verdict {
	if v, ok := o.chosen(id, typ, field); ok {
		return v
	}
	p, why, byPolicy := o.Policy, "by the policy", true
	if o.Rules != nil {
		if rule, ok := o.Rules(typ, field); ok {
			p, why, byPolicy = rule, "by the rule for "+typ, false
			if field != "" {
				why += " " + field
			}
		}
	}
	switch p {
	case Shared:
		return verdict{stands: o.shared(), why: why + " shared", byPolicy: byPolicy}
	case Mine:
		return verdict{stands: o.shared().Other(), why: why + " mine", byPolicy: byPolicy}
	}
	return verdict{stands: Ours, left: true, why: "left to people", byPolicy: byPolicy}
}

// chosen returns the verdict of the person, ok if there is one.
func (o *Options) chosen(id entity.ID, typ, field string) (v verdict, ok bool) {
	if o.Choose == nil {
		return v, false
	}
	p := o.Choose(id, typ, field)
	return verdict{stands: p, why: "as was chosen"}, p != Neither
}
