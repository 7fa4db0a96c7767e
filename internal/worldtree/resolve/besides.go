package resolve

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/savemarks"
	"github.com/worldfs/worldfs/merge"
)

// Markers returns findings about all files in which there were conflict markers before Apply,
// those of the merge and any others.
func (r *Resolution) Markers() (findings []entity.Finding) {
	for id := range r.marked {
		findings = append(findings, entity.Finding{Code: entity.CodeConflict, ID: id})
	}
	for name, is := range r.files.marked {
		if is && strings.HasPrefix(name, typesPrefix) {
			findings = append(findings, entity.Finding{Code: entity.CodeConflict, File: name})
		}
	}
	return findings
}

// IsBesides reports whether a conflict that is marked in a file is none of what is merged: a save
// has marked it, or it is not left by the merge, and no side has it.
func (r *Resolution) IsBesides(l leftconflict.Conflict) bool {
	if l.ID != 0 && savemarks.Has(r.saved[l.ID], l.Field) {
		return true
	}
	isLeft := func(c merge.Conflict) bool {
		return c.ID == l.ID && (c.ID == 0 && c.Type == l.Type || c.ID != 0 && (c.Field == l.Field || c.Field == ""))
	}
	if slices.ContainsFunc(r.Left, isLeft) {
		return false
	}
	for _, side := range r.sides[1:] {
		if slices.ContainsFunc(side.Findings, func(f entity.Finding) bool {
			return f.Code == entity.CodeConflict && f.ID == l.ID && f.Field == l.Field && (f.ID != 0 || f.Type == l.Type)
		}) {
			return false
		}
	}
	return true
}
