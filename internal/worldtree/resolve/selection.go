package resolve

import (
	"errors"
	"slices"
	"strconv"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/savemarks"
	"github.com/worldfs/worldfs/merge"
)

// Selection says which conflicts a choice is about.
type Selection struct {
	Names  []string                           // IDs and types; none: all
	Fields []string                           // none: all
	Where  func(*entity.Entity) (bool, error) // nil: all
}

// ErrNoBase says that what was selected are declarations, which stand as one side has
// them.
var ErrNoBase = errors.New("a type's declaration stands as one side has it: take mine or shared, or edit its file in types/")

// Choices returns the choice of a side for each conflict that is left and selected, and
// for those named that were chosen before (of an operation that was begun anew since, also where
// nothing is named), or of entities named by ID whose files are left
// as they are or removed. Base is none about declarations: an ErrNoBase
// where nothing else is selected.
func (r *Resolution) Choices(side Side, s Selection) (choices []Choice, err error) {
	conflicts := slices.Clone(r.Left)
	if len(s.Names) > 0 || r.past.anew { // what is named is what a save has left there since
		conflicts = append(conflicts, slices.DeleteFunc(r.Chosen(), func(c merge.Conflict) bool { return savemarks.Has(r.saved[c.ID], c.Field) })...)
	}
	for _, c := range r.Merged.Conflicts {
		if c.Left && gaveUp(r, c.ID) && slices.Contains(s.Names, strconv.FormatUint(uint64(c.ID), 10)) {
			conflicts = append(conflicts, c)
		}
	}
	for id := range r.unread { // it is written anew where the sides are in no conflict, too
		if !slices.ContainsFunc(conflicts, func(c merge.Conflict) bool { return c.ID == id }) && slices.Contains(s.Names, id.String()) {
			conflicts = append(conflicts, merge.Conflict{ID: id})
		}
	}
	for _, c := range conflicts {
		if !s.names(c) || len(s.Fields) > 0 && !slices.Contains(s.Fields, c.Field) {
			continue
		}
		if has, err := r.holds(s, c); err != nil || !has {
			if err != nil {
				return nil, err
			}
			continue
		}
		if c.ID == 0 && side == Base {
			err = ErrNoBase
			continue
		}
		choices = append(choices, ChoiceOf(c, side))
	}
	if len(choices) > 0 {
		err = nil
	}
	return choices, err
}

// Chosen returns what there would be conflicts about, had no choice been made.
func (r *Resolution) Chosen() (conflicts []merge.Conflict) {
	for _, choice := range r.past.Choices {
		c := merge.Conflict{ID: choice.ID, Type: choice.Type, Field: choice.Field}
		for _, w := range r.sides {
			if e, ok := w.Source.Get(c.ID); ok {
				c.Type, c.Name = e.Type(), e.Name()
			}
		}
		conflicts = append(conflicts, c)
	}
	return conflicts
}

func (s *Selection) names(c merge.Conflict) bool {
	return len(s.Names) == 0 || slices.Contains(s.Names, c.Type) || c.ID != 0 && slices.Contains(s.Names, strconv.FormatUint(uint64(c.ID), 10))
}

// holds reports whether the condition holds of the entity as any of the sides has it.
func (r *Resolution) holds(s Selection, c merge.Conflict) (bool, error) {
	if s.Where == nil {
		return true, nil
	}
	for _, w := range r.sides {
		if e, ok := w.Source.Get(c.ID); ok {
			if has, err := s.Where(e); has || err != nil {
				return has, err
			}
		}
	}
	return c.ID == 0, nil
}
