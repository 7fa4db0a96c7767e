package cache

import "github.com/worldfs/worldfs/entity"

// plainSync keeps the world and its plain files in step: it takes in what changed in
// them, and writes them.
type plainSync struct {
	world *World

	early       *earlyScan         // nil: there is none; guarded by World.publishing
	plainSeen   uint64             // edits, when the plain files were last found in step; 0: they were not; guarded by World.publishing
	plainBehind map[entity.ID]bool // those that were not, all the same; guarded by World.publishing

	plainNotes []entity.Finding // plain files that could not be read; guarded by table.mu
	plainStray []entity.Finding // plain files that are misplaced; guarded by table.mu
	plainLoss  *Loss            // why the plain files are not taken in, nil if they are; guarded by table.mu
}
