package resolve

import (
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/merge"
)

// Side is whose value a person chose.
type Side string

// The sides of a conflict, as the person sees them.
const (
	Mine   Side = "mine"   // the person's own edit, in every operation
	Shared Side = "shared" // what others have published
	Base   Side = "base"   // neither: as it was
)

// ParseSide returns the side of that name.
func ParseSide(name string) (Side, error) {
	for _, s := range []Side{Mine, Shared, Base} {
		if name == string(s) {
			return s, nil
		}
	}
	return "", fmt.Errorf("side %q: it is one of mine, shared, base", name)
}

// Choice is what a person chose about a conflict.
type Choice struct {
	ID    entity.ID `json:"id,omitempty"` // 0: the declaration of a type
	Type  string    `json:"type,omitempty"`
	Field string    `json:"field,omitempty"` // "": the entity as a whole
	Take  Side      `json:"take"`
}

// choiceOf returns a choice about a conflict.
func choiceOf(c merge.Conflict, take Side) Choice {
	choice := Choice{ID: c.ID, Field: c.Field, Take: take}
	if c.ID == 0 {
		choice.Type = c.Type
	}
	return choice
}

func (c Choice) isAbout(o Choice) bool { return c.ID == o.ID && c.Type == o.Type && c.Field == o.Field }

// Party returns which side of an operation one is. Base is none.
func (s Side) party(op *vcs.Operation) merge.Party {
	mine := merge.Ours
	if op.Mine {
		mine = merge.Theirs
	}
	switch s {
	case Mine:
		return mine
	case Shared:
		return mine.Other()
	}
	return merge.Neither
}

// choose adds choices, in place of earlier ones about the same.
func (r *record) choose(choices []Choice) {
	for _, c := range choices {
		r.Choices = slices.DeleteFunc(r.Choices, c.isAbout)
		r.Choices = append(r.Choices, c)
	}
}

// chosen returns what tells a merge what was chosen.
func (r *record) chosen(op *vcs.Operation) func(entity.ID, string, string) merge.Party {
	choices := make(map[Choice]merge.Party)
	for _, c := range r.Choices {
		choices[Choice{ID: c.ID, Type: c.Type, Field: c.Field}] = c.Take.party(op)
	}
	return func(id entity.ID, typ, field string) merge.Party {
		c := Choice{ID: id, Field: field}
		if id == 0 {
			c.Type = typ
		}
		return choices[c]
	}
}

// amend has both sides be as the base is where a person chose that: then there is no
// conflict.
func (r *record) amend(sides *[3]merge.Side, op *vcs.Operation) error {
	changes := [2]map[entity.ID]*entity.Entity{{}, {}}
	for _, c := range r.Choices {
		if c.Take.party(op) != merge.Neither || c.ID == 0 {
			continue
		}
		base, had := sides[0].Entities.Get(c.ID)
		for i := range changes {
			e, ok := changes[i][c.ID]
			if !ok {
				e, _ = sides[i+1].Entities.Get(c.ID)
			}
			if c.Field == "" || !had || e == nil {
				changes[i][c.ID] = base
				continue
			}
			changes[i][c.ID] = withField(e, base, c.Field)
		}
	}
	for i, change := range changes {
		if len(change) > 0 {
			sides[i+1].Entities = entity.NewOverlay(sides[i+1].Entities, change)
		}
	}
	return nil
}

// withField returns an entity with a field as another entity has it.
func withField(e, from *entity.Entity, field string) *entity.Entity {
	to, at := e.Layout.Index(field), from.Layout.Index(field)
	if to < 0 || at < 0 || e.Layout.Fields[to].Kind != from.Layout.Fields[at].Kind {
		return e
	}
	e = e.Clone()
	e.Values[to] = from.Values[at]
	return e
}
