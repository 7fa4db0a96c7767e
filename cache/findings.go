package cache

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/textcodec"
)

// brokenFindingLocked says that a file's text does not parse. The caller has mu.
func (t *table) brokenFindingLocked(id entity.ID, s *slot, err error) entity.Finding {
	f := entity.Finding{Code: entity.CodeBroken, Blocks: true, ID: id}
	var at *textcodec.Error
	if errors.As(err, &at) {
		f.Line, f.Field, f.Message = at.Line, at.Field, at.Reason
	} else {
		f.Message = err.Error()
	}
	if e := t.valuesLocked(id, s); e != nil {
		f = f.About(e)
		f.Message += "; the entity keeps its last good values until the text is mended"
	} else {
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

// Status is the state of a world.
type Status struct {
	Entities int              `json:"entities"` // that the world has
	Files    int              `json:"files"`    // in entities/
	Types    int              `json:"types"`
	Edits    int              `json:"edits"`     // entities whose last edit the pack does not have
	PackHash string           `json:"pack_hash"` // of the published pack
	PackSize int              `json:"pack_size"` // bytes
	Failure  string           `json:"failure,omitempty"`
	Loss     *Loss            `json:"loss,omitempty"` // a great loss that is not published
	Findings []entity.Finding `json:"findings"`
}

// Status reads all that has changed and returns the state of the world.
func (w *World) Status() (Status, error) {
	view, err := w.View()
	if err != nil {
		return Status{}, err
	}
	return w.statusOf(view), nil
}

// statusOf returns the state of the world with the findings of a view.
func (w *World) statusOf(view *View) Status {
	misplaced, format, lost := w.misplaced(), w.formatFinding(view.Types()), lossIn(view)
	w.mu.RLock()
	hash := w.pack.Hash()
	st := Status{
		Entities: view.Len(), Files: w.pack.Len() - w.gone + len(w.extra), Types: view.types.Len(),
		PackHash: fmt.Sprintf("%x", hash), PackSize: len(w.pack.Bytes()), Findings: []entity.Finding{},
	}
	if err := cmp.Or(w.failure, w.unpublishable); err != nil {
		st.Failure = err.Error()
	}
	if st.Loss = cmp.Or(w.plainLoss, lost); st.Loss != nil {
		st.Findings = append(st.Findings, w.lossFindingLocked(st.Loss))
	}
	st.Findings = append(st.Findings, w.decls.typeIn.findings...)
	for _, found := range [][]entity.Finding{w.plainNotes, misplaced, w.saves.saveFinding, w.saves.baseFindingLocked(), w.packs.Findings(), w.feed.historyFindingLocked(), format} {
		st.Findings = append(st.Findings, found...)
	}
	seen := make(map[entity.ID]bool, len(w.slots))
	for id, s := range w.slots {
		if s.unpublished {
			st.Edits++
		}
		seen[id] = len(s.findings) > 0
		st.Findings = append(st.Findings, s.findings...)
	}
	w.mu.RUnlock()
	st.Findings = append(st.Findings, newFindings(entity.CheckUpgrading(view, textcodec.Upgrade), seen)...)
	slices.SortStableFunc(st.Findings, func(a, b entity.Finding) int { return cmp.Compare(a.ID, b.ID) })
	return st
}

// newFindings drops what reading an entity's text has said already.
func newFindings(found []entity.Finding, seen map[entity.ID]bool) []entity.Finding {
	return slices.DeleteFunc(found, func(f entity.Finding) bool {
		return seen[f.ID] && (f.Code == entity.CodeTypeUnknown || f.Code == entity.CodeRevisionNewer ||
			f.Code == entity.CodeFieldUnknown || f.Code == entity.CodeKeyTwice)
	})
}

// formatFinding says that world.toml does not record the format that the types need.
func (w *World) formatFinding(types *entity.Types) []entity.Finding {
	format := worlddir.FormatFor(types.All()...)
	if recorded, err := w.dir.Records(format); recorded || err != nil {
		return nil // all commands report a world.toml that cannot be read
	}
	return []entity.Finding{{
		Code: entity.CodeFormatUnset, File: "world.toml",
		Message: fmt.Sprintf("the types need format %d, and without format = %d here an older worldfs takes their files for broken ones (worldfs fmt writes it)", format, format),
	}}
}

// misplaced returns findings about plain files that have the name of an
// entity's and are none. Those of a world that is mounted are scratch.
func (s *plainSync) misplaced() []entity.Finding {
	if s.world.isMounted() {
		return nil
	}
	s.world.mu.RLock()
	defer s.world.mu.RUnlock()
	return s.plainStray
}
