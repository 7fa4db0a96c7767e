package cache

import "github.com/worldfs/worldfs/entity"

// plainSync keeps the world and its plain files in step: it takes in what changed in
// them, and writes them.
type plainSync struct {
	world *World

	early       *earlyScan         // nil: there is none; guarded by World.publishing
	plainSeen   uint64             // edits, when the plain files were last found in step; 0: they were not; guarded by World.publishing
	plainBehind map[entity.ID]bool // those that were not, all the same; guarded by World.publishing
}
