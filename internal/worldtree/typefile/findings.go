package typefile

import (
	"errors"
	"path/filepath"

	"github.com/worldfs/worldfs/entity"
)

// Findings returns the problems of a directory, as ReadDir returns them, as findings, one each.
// Files are named as seen from root, or as they are where it is "".
func Findings(root string, problems []error) (out []entity.Finding) {
	for _, p := range problems {
		f := entity.Finding{Code: entity.CodeTypeFile, Blocks: true, Message: p.Error()}
		var at *Error
		if errors.As(p, &at) {
			f.File, f.Line, f.Field, f.Message = at.File, at.Line, at.Field, at.Reason
			switch {
			case at.Conflict:
				f.Code = entity.CodeConflict
			case at.Condition:
				f.Code = entity.CodeCondition
			}
			if rel, err := filepath.Rel(root, at.File); err == nil && root != "" {
				f.File = rel
			}
		}
		out = append(out, f)
	}
	return out
}

// IsNotRead reports whether a problem of a directory is that of a file that declares
// nothing because of it.
func IsNotRead(problem error) bool {
	var at *Error
	return !errors.As(problem, &at) || !at.Conflict && !at.Condition
}
