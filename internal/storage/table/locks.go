package table

import "github.com/worldfs/worldfs/internal/support/lockorder"

// The classes of the package's mutexes, in the order in which they are locked. All come
// after those of cache, which calls into the package with its own held.
var (
	classCommitting = lockorder.Class{Rank: 320, Name: "committer.committing"}
	classFeed       = lockorder.Class{Rank: 330, Name: "Feed.mu"}
	classTable      = lockorder.Class{Rank: 340, Name: "Table.mu"}
	classFile       = lockorder.Class{Rank: 350, Name: "File.mu"}
	classCounts     = lockorder.Class{Rank: 360, Name: "counts.mu"}
)
