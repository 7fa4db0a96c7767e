package resolve

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
	"github.com/worldfs/worldfs/interchange"
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

// Choice is what a person chose about a conflict: a side, or a value of their own.
type Choice struct {
	ID    entity.ID       `json:"id,omitempty"` // 0: the declaration of a type
	Type  string          `json:"type,omitempty"`
	Field string          `json:"field,omitempty"` // "": the entity as a whole
	Take  Side            `json:"take,omitempty"`
	Value json.RawMessage `json:"value,omitempty"` // as in the interchange form, instead of Take
}

// ChoiceOf returns the choice of a side about a conflict.
func ChoiceOf(c merge.Conflict, take Side) Choice {
	choice := Choice{ID: c.ID, Field: c.Field, Take: take}
	if c.ID == 0 {
		choice.Type = c.Type
	}
	return choice
}

// ValueOf returns the choice of the value that an entity has of the field that a conflict
// is about.
func ValueOf(c merge.Conflict, e *entity.Entity) Choice {
	i := e.Layout.Index(c.Field)
	return Choice{ID: c.ID, Field: c.Field, Value: interchange.AppendValue(nil, &e.Layout.Fields[i].Shape, e.Values[i])}
}

// matter is what a choice is about.
type matter struct {
	id         entity.ID
	typ, field string
}

func (c *Choice) matter() matter { return matter{c.ID, c.Type, c.Field} }

// Choose merges again with choices, which take the place of earlier ones about the same.
// Nothing is written but the choices: those that were made are made for good, and Apply
// does as they say, in this call or the next.
//
// A file of an entity that is chosen about and that would be left as it is, or is removed,
// gives way: what the person made of it is no value.
func (r *Resolution) Choose(choices []Choice) error {
	for _, c := range choices {
		if gaveUp(r, c.ID) && !r.files.dropped[c.ID] {
			r.files.dropped[c.ID] = true
			r.note(fmt.Sprintf("%s is written anew from both sides; what you made of it since is dropped", r.dir.Settings.Shard.Name(c.ID)))
		}
	}
	r.past.choose(choices)
	r.chosen = len(r.past.Choices) - len(choices)
	return r.settle()
}

// Remember keeps a choice for the next call, and returns what takes it back.
func (r *Resolution) Remember(c Choice) (undo func() error, err error) {
	same := func(o Choice) bool { return o.matter() == c.matter() }
	before := slices.DeleteFunc(slices.Clone(r.past.Choices), func(o Choice) bool { return !same(o) })
	r.past.choose([]Choice{c})
	return func() error {
		r.past.Choices = append(slices.DeleteFunc(r.past.Choices, same), before...)
		return r.keep()
	}, r.keep()
}

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
		r.Choices = slices.DeleteFunc(r.Choices, func(o Choice) bool { return o.matter() == c.matter() })
		r.Choices = append(r.Choices, c)
	}
}

// chosen returns what tells a merge which sides were chosen.
func chosen(choices []Choice, op *vcs.Operation) func(entity.ID, string, string) merge.Party {
	parties := make(map[matter]merge.Party)
	for _, c := range choices {
		parties[c.matter()] = c.Take.party(op)
	}
	return func(id entity.ID, typ, field string) merge.Party {
		if id != 0 {
			typ = ""
		}
		return parties[matter{id, typ, field}]
	}
}

// amend has both sides be as the base is, or have a value, where a person chose that, and
// returns where: then there is no conflict.
func amend(choices []Choice, sides *[3]merge.Side, op *vcs.Operation) map[merge.Amendment]bool {
	changes := [2]map[entity.ID]*entity.Entity{{}, {}}
	amended := make(map[merge.Amendment]bool)
	for _, c := range choices {
		if c.Take.party(op) != merge.Neither || c.ID == 0 {
			continue
		}
		amended[merge.Amendment{ID: c.ID, Field: c.Field}] = true
		base, _ := sides[0].Entities.Get(c.ID)
		for i := range changes {
			e, ok := changes[i][c.ID]
			if !ok {
				e, _ = sides[i+1].Entities.Get(c.ID)
			}
			changes[i][c.ID] = c.amended(e, base)
		}
	}
	for i, change := range changes {
		if len(change) > 0 {
			maps.Copy(change, follow.Of(sides[i+1].Entities, change, nil).Carried)
			sides[i+1].Entities = entity.NewOverlay(sides[i+1].Entities, change)
		}
	}
	return amended
}

// amended returns an entity as a choice has it that is of neither side.
func (c *Choice) amended(e, base *entity.Entity) *entity.Entity {
	switch {
	case c.Value != nil:
		return c.withValue(e)
	case c.Field == "" || base == nil || e == nil:
		return base
	}
	return e.WithField(c.Field, base)
}

// withValue returns an entity with the chosen value. One that has no such field, or of
// another kind than it was chosen for, stays as it is: that is a conflict still.
func (c *Choice) withValue(e *entity.Entity) *entity.Entity {
	if e == nil {
		return nil
	}
	at := e.Layout.Index(c.Field)
	if at < 0 {
		return e
	}
	v, err := interchange.ParseValue(c.Value, &e.Layout.Fields[at].Shape)
	if err != nil {
		return e
	}
	e = e.Clone()
	e.Values[at] = v
	return e
}
