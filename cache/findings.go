package cache

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/textcodec"
)

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
	lost, said, survey := lossIn(view), w.notes.read(), w.control.Survey()
	st := Status{
		Entities: view.Len(), Files: survey.Files, Types: view.Types().Len(), Edits: survey.Edits,
		PackHash: fmt.Sprintf("%x", survey.Pack.Hash()), PackSize: len(survey.Pack.Bytes()), Findings: []entity.Finding{},
	}
	if err := cmp.Or(survey.Failure, said.unpublishable); err != nil {
		st.Failure = err.Error()
	}
	if st.Loss = cmp.Or(said.plainLoss, lost); st.Loss != nil {
		st.Findings = append(st.Findings, w.lossFinding(st.Loss))
	}
	for _, found := range [][]entity.Finding{
		w.decls.findings(view), said.plain, w.misplaced(said.stray), said.save, derivedFindings(said.derived, view, w.now()), said.base.findings(w.now()), w.packs.Findings(),
		w.historyFinding(), w.formatFinding(view.Types()), survey.Findings,
		newFindings(entity.CheckUpgrading(view, textcodec.Upgrade), survey.Found),
	} {
		st.Findings = append(st.Findings, found...)
	}
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

// misplaced returns the findings about plain files that have the name of an
// entity's and are none, stray. Those of a world that is mounted are scratch.
func (w *World) misplaced(stray []entity.Finding) []entity.Finding {
	if w.control.IsWatched() {
		return nil
	}
	return stray
}
