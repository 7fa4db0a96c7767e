package resolve

import (
	"slices"
	"strconv"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// Selection says which conflicts a choice is about.
type Selection struct {
	Names  []string                           // IDs and types; none: all
	Fields []string                           // none: all
	Where  func(*entity.Entity) (bool, error) // nil: all
}

// Choices returns the choice of a side for each conflict that is left and selected.
func (r *Resolution) Choices(side Side, s Selection) (choices []Choice, err error) {
	for _, c := range r.Left {
		if !s.names(c) || len(s.Fields) > 0 && !slices.Contains(s.Fields, c.Field) {
			continue
		}
		if has, err := r.holds(s, c); err != nil || !has {
			if err != nil {
				return nil, err
			}
			continue
		}
		choices = append(choices, choiceOf(c, side))
	}
	return choices, nil
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
