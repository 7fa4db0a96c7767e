package mount

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// concerning returns the findings that a game's person has to hear of, but for those that were
// told: what could not be loaded as it is written, what is in conflict, and what is wrong with
// a save.
func concerning(findings, told []entity.Finding) []entity.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f entity.Finding) bool {
		return !concerns(f) || slices.Contains(told, f)
	})
}

func concerns(f entity.Finding) bool {
	switch f.Code {
	case entity.CodeConflict, entity.CodeConflictFiles, entity.CodeDisk, entity.CodeSaveOld, entity.CodeBaseUnknown, entity.CodePoseDerived:
		return true
	}
	return f.Blocks || isSaveRefused(f)
}

// isSaveRefused reports whether a finding says that a save of the pack was not taken in.
func isSaveRefused(f entity.Finding) bool {
	return f.Code == entity.CodeSaveTorn || f.Code == entity.CodeSaveLoss || f.Code == entity.CodePackRefused
}

// isUnderWay reports whether a finding says that a save of the pack is not judged yet.
func isUnderWay(f entity.Finding) bool {
	return f.Code == entity.CodeSaveTorn && f.File == worlddir.PackName
}
