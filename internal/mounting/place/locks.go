package place

import "github.com/worldfs/worldfs/internal/support/lockorder"

// The locks of package fsnode from rank 10 to 70 come before it, its others and those of
// package realfs after it.
var classTree = lockorder.Class{Rank: 80, Name: "place.Tree"}
