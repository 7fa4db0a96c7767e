package table

import (
	"errors"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// Survey is what there is to say about all entities at one moment.
type Survey struct {
	Pack     *packfile.Pack     // the published one
	Files    int                // entities that have files
	Edits    int                // entities whose last edit the pack does not have
	Failure  error              // why edits cannot be kept at present, nil if they can
	Findings []entity.Finding   // about texts
	Found    map[entity.ID]bool // entities about which there are any
}

// Survey returns what there is to say about all entities.
func (ctl *Control) Survey() Survey {
	t := ctl.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	s := Survey{Pack: t.pack, Files: t.pack.Len() - t.gone + len(t.extra), Failure: t.failure, Found: make(map[entity.ID]bool, len(t.slots))}
	for id, slot := range t.slots {
		if slot.unpublished {
			s.Edits++
		}
		s.Found[id] = len(slot.findings) > 0
		s.Findings = append(s.Findings, slot.findings...)
	}
	return s
}

// IsInDoubt reports whether an entity's text does not parse, or has conflict
// markers in it.
func (ctl *Control) IsInDoubt(id entity.ID) bool { return ctl.table.isInDoubt(id) }

func (t *Table) isInDoubt(id entity.ID) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	s := t.slots[id]
	if s == nil {
		return false
	}
	for _, f := range s.findings {
		if f.Code == entity.CodeConflict || f.Code == entity.CodeBroken {
			return true
		}
	}
	return s.problem
}

// FormOf says how an entity's text was found: it does not parse, or is what rendering
// the entity's values gives.
func (ctl *Control) FormOf(id entity.ID) (broken, canonical bool) {
	ctl.table.mu.RLock()
	defer ctl.table.mu.RUnlock()
	if s := ctl.table.slots[id]; s != nil {
		return s.problem, s.canonical
	}
	return false, true
}

// NotCanonical returns the entities whose texts are not what rendering their values gives.
func (ctl *Control) NotCanonical() (ids []entity.ID) {
	ctl.table.mu.RLock()
	defer ctl.table.mu.RUnlock()
	for id, s := range ctl.table.slots {
		if s.file != nil && !s.canonical {
			ids = append(ids, id)
		}
	}
	return ids
}

// brokenFindingLocked says that a file's text does not parse. The caller has mu.
func (t *Table) brokenFindingLocked(id entity.ID, s *slot, err error) entity.Finding {
	f := entity.Finding{Code: entity.CodeBroken, Blocks: true, ID: id}
	var at *textcodec.Error
	if errors.As(err, &at) {
		f.Line, f.Field, f.Message = at.Line, at.Field, at.Reason
		if at.Marked { // an undo would take the conflict away with what cannot be read
			f.Mend = "worldfs resolve"
		}
	} else {
		f.Message = err.Error()
	}
	if !s.isEditedHereLocked() {
		f.Advice = entity.AdviceBrought
	}
	switch e := t.valuesLocked(id, s); {
	case e != nil && s.cause != nil && s.cause.By == ByTypes:
		f = f.About(e)
		f.Message += "; its type has changed, not the text: until one of them is mended the entity keeps those of its last good values that fit the type"
		f.Advice = entity.AdviceTypesChanged
	case e != nil:
		f = f.About(e)
		f.Message += "; the entity keeps its last good values until the text is mended"
		if s.cause != nil && s.cause.By == ByUndo {
			f.Advice = entity.AdviceUndone
		}
	default:
		f.Message += "; the entity is left out until the text is mended"
	}
	return f
}

func notCanonical(e *entity.Entity) entity.Finding {
	return entity.Finding{
		Code:    entity.CodeNotCanonical,
		Message: "the text is not as worldfs writes it; it is kept as it is (worldfs fmt rewrites it)",
	}.About(e)
}
