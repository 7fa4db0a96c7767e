package backing

import "github.com/worldfs/worldfs/internal/support/lockorder"

// The locks, in their order: each is taken only while those above it are held.
// Of package fsnode, ranks 10 to 50 come before the first, and File.mu and place.Tree
// between it and the others.
var (
	classFlushing = lockorder.Class{Rank: 60, Name: "Store.flushing"}
	classMem      = lockorder.Class{Rank: 90, Name: "Memory.mu"}
	classMemFiles = lockorder.Class{Rank: 100, Name: "Store.mu"}
)
