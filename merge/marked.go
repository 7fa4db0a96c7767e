package merge

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// Whole returns what the markers of a conflict say that is about an entity as a whole: which
// side deleted it, or else its kind. names are what the markers call the sides.
func (c Conflict) Whole(names SideNames) string {
	switch {
	case c.Ours.Entity == nil && c.Theirs.Entity != nil:
		return textcodec.DeletedBy(names[Ours])
	case c.Theirs.Entity == nil && c.Ours.Entity != nil:
		return textcodec.DeletedBy(names[Theirs])
	}
	return string(c.Kind)
}

// Marked returns the texts of the entities with conflicts that are left to
// people: canonical but for markers around each property in conflict, with both
// sides' lines. They read as ours, with a finding.
func (r *Result) Marked() map[entity.ID][]byte {
	marks := make(map[entity.ID]textcodec.Marks)
	for _, c := range r.Conflicts {
		if !c.Left || c.ID == 0 {
			continue
		}
		m := marks[c.ID]
		m.Ours, m.Theirs = r.names[Ours], r.names[Theirs]
		if c.Field == "" {
			m.Whole = c.Whole(r.names)
		} else if !slices.Contains(m.Fields, c.Field) {
			m.Fields = append(m.Fields, c.Field)
		}
		marks[c.ID] = m
	}
	texts := make(map[entity.ID][]byte, len(marks))
	for _, s := range r.slots {
		m, left := marks[s.id]
		if e, ok := r.Get(s.id); left && ok {
			m.Other = s.theirs
			texts[s.id] = textcodec.AppendMarked(nil, e, m)
		}
	}
	return texts
}
