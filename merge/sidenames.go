package merge

import "slices"

// SideNames are what the sides are called in words for people, and in the markers of
// conflicts, by Party. Policies call them so, too: yours is the person's own.
type SideNames [3]string

const nameYours, nameShared = "yours", "shared"

// UnknownSides is for where nothing says which side is the person's own.
var UnknownSides = SideNames{Neither: "neither", Ours: "here", Theirs: "coming in"}

// SideNames returns what the sides are called.
func (o *Options) SideNames() SideNames {
	switch {
	case o.Names != SideNames{}:
		return o.Names
	case o.shared() == Ours:
		return SideNames{Neither: "neither", Ours: nameShared, Theirs: nameYours}
	}
	return SideNames{Neither: "neither", Ours: nameYours, Theirs: nameShared}
}

// defaultNames are the names where Options say nothing.
var defaultNames = (&Options{}).SideNames()

// of returns the name of a side that JSON calls what Party.String returns, and "both" as it is.
func (n SideNames) of(party string) string {
	var p Party
	if p.UnmarshalText([]byte(party)) != nil {
		return party
	}
	return n[p]
}

// Standing returns what the side is called that stands in conflicts, and the other one. Where
// one stands here and the other there, no side can be named.
func (n SideNames) Standing(stands []Party) [2]string {
	if len(stands) == 0 || slices.ContainsFunc(stands, func(p Party) bool { return p != stands[0] }) {
		return [2]string{"in force", "the other side"}
	}
	return [2]string{n[stands[0]], n[stands[0].Other()]}
}
