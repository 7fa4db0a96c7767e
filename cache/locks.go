package cache

import "github.com/worldfs/worldfs/internal/support/lockorder"

// The classes of the package's mutexes, in the order in which they are locked. All come
// after those of fsnode, which calls into the package with its own held. Those of package
// table come between the first and the others.
var (
	classPublishing = lockorder.Class{Rank: 310, Name: "World.publishing"}
	classTypes      = lockorder.Class{Rank: 370, Name: "declarations.mu"}
	classNotes      = lockorder.Class{Rank: 380, Name: "notes.mu"}
)
