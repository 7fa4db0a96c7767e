package replay

import "github.com/worldfs/worldfs/internal/support/lockorder"

// The locks, in their order: each is taken only while those above it are held. The first
// comes before those of package fsnode, the others after them.
var (
	classTurn    = lockorder.Class{Rank: 10, Name: "Replayer.turn"}
	classAnswers = lockorder.Class{Rank: 160, Name: "Answers.mu"}
	classQueue   = lockorder.Class{Rank: 170, Name: "eventQueue.mu"}
	classKill    = lockorder.Class{Rank: 180, Name: "Replayer.mu"}
)
