package realfs

import "github.com/worldfs/worldfs/internal/support/lockorder"

// The locks, in their order: each is taken only while those above it are held. Those of
// package fsnode from rank 10 to 100 come before them, the others after them.
var (
	classCaches = lockorder.Class{Rank: 110, Name: "descCaches.mu"}
	classDescs  = lockorder.Class{Rank: 120, Name: "Cache.mu"}
	classInos   = lockorder.Class{Rank: 130, Name: "Inos.mu"}
	classHanded = lockorder.Class{Rank: 150, Name: "Handed.mu"}
)
