package events

import (
	"fmt"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// KeepDisputed returns what an entity is to go back to from is, nil where it is to be gone,
// without the properties about which conflicts are marked in its text of now, and says which
// those are: each has a value of either side, and it is not for an undo to choose one.
func KeepDisputed(text []byte, is, was *entity.Entity, types *entity.Types) (kept *entity.Entity, left []cache.Conflict) {
	if is == nil || !textcodec.HasMarkers(text) {
		return was, nil
	}
	fields, whole := textcodec.Disputed(text, is.ID, types)
	if whole || was == nil || was.Layout != is.Layout {
		return is, []cache.Conflict{disputed(is, "")}
	}
	kept, fields = textcodec.KeepFields(is, was, fields)
	for _, field := range fields {
		left = append(left, disputed(is, field))
	}
	return kept, left
}

// disputed says that an entity, or a field of it, is in conflict.
func disputed(e *entity.Entity, field string) cache.Conflict {
	what := "it"
	if field != "" {
		what = field
	}
	return cache.Conflict{
		Kind: merge.PropertyChanged, ID: e.ID, Field: field, Left: true,
		Words: fmt.Sprintf("%s: %s is in conflict: settle it with worldfs resolve", e, what),
	}
}
