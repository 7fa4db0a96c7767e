package daemon

import (
	"errors"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

type formatCall struct {
	IDs     []entity.ID `json:"ids"` // null: all
	Upgrade bool        `json:"upgrade"`
}

var formatCommand = define(command[formatCall, cache.Report]{name: "format", changes: true, waits: true, do: service.format})

// Format rewrites the texts of the entities, nil for all, canonically.
func (w *World) Format(ids []entity.ID, upgrade bool) (cache.Report, error) {
	return formatCommand.on(w, formatCall{ids, upgrade})
}

func (s service) format(c formatCall) (cache.Report, error) {
	report, err := s.world.Format(c.IDs, c.Upgrade)
	if errors.Is(err, entity.ErrInvalid) { // an entity that cannot be upgraded; the others are done
		err = &Failure{Message: err.Error(), Exit: ExitProblems}
	}
	return report, err
}
