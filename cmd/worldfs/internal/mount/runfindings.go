package mount

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// concerning returns the findings that a game's person has to hear of, but for those that were
// told: what could not be loaded as it is written, what is in conflict, and what was not taken
// in of a save.
func concerning(st, told daemon.Status) []entity.Finding {
	return slices.DeleteFunc(slices.Clone(st.Findings), func(f entity.Finding) bool {
		return !concerns(f) || slices.Contains(told.Findings, f) && !(isOfLastSave(f) && st.SaveNoted != told.SaveNoted)
	})
}

func concerns(f entity.Finding) bool {
	switch f.Code {
	case entity.CodeConflict, entity.CodeConflictFiles, entity.CodeDisk:
		return true
	}
	return f.Blocks || isOfLastSave(f) || isSaveRefused(f)
}

// isOfLastSave reports whether a finding is about the last save. Of two saves it may be the
// same.
func isOfLastSave(f entity.Finding) bool {
	switch f.Code {
	case entity.CodeSaveLoss, entity.CodeSaveOld, entity.CodeBaseUnknown:
		return true
	}
	return false
}

// isSaveRefused reports whether a finding says that a save of the pack was not taken in.
func isSaveRefused(f entity.Finding) bool {
	return f.Code == entity.CodeSaveTorn || f.Code == entity.CodeSaveLoss
}

// isUnderWay reports whether a finding says that a save of the pack is not judged yet.
func isUnderWay(f entity.Finding) bool {
	return f.Code == entity.CodeSaveTorn && f.File == worlddir.PackName
}
