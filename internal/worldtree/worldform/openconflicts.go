package worldform

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// OpenConflicts are the texts of worlds that have conflict markers, by entity: what people
// have not decided yet.
type OpenConflicts map[entity.ID][][]byte

// OpenConflictsOf returns those of worlds.
func OpenConflictsOf(worlds ...*World) OpenConflicts {
	open := make(OpenConflicts)
	for _, w := range worlds {
		for id, text := range w.Texts {
			open.Add(id, text)
		}
	}
	return open
}

// Add adds a text, if it has conflict markers.
func (o OpenConflicts) Add(id entity.ID, text []byte) {
	if textcodec.HasMarkers(text) {
		o[id] = append(o[id], text)
	}
}

// Mark returns a text of an entity with those conflicts marked that it does not decide.
// Where one cannot be marked, the text says that there was one.
func (o OpenConflicts) Mark(text []byte, e *entity.Entity, types *entity.Types) []byte {
	if len(o[e.ID]) == 0 {
		return text
	}
	marked, err := textcodec.Remark(text, e.ID, types, o[e.ID]...)
	if err != nil {
		return textcodec.AppendMarked(nil, e, textcodec.Marks{Ours: "yours", Theirs: "shared", Whole: "a side had a conflict here already"})
	}
	return marked
}
