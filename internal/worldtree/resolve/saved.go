package resolve

import (
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/savemarks"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/textcodec"
)

// What a game's save has marked in the text of an entity is no conflict of the merge, and what
// it holds is nowhere else: it stays marked in what the merge makes of the text.

// saved is what saves have marked in a text of the working copy.
type saved struct {
	text   []byte   // with these conflicts alone
	fields []string // that they are about, "" for the entity as a whole
}

// readSaved finds out what in the texts of the working copy a save has marked.
func (r *Resolution) readSaved(working *worldform.World) error {
	r.saved = make(map[entity.ID][]saved)
	marks, err := savemarks.Read(r.dir)
	switch {
	case errors.Is(err, keptfile.ErrDamaged):
		r.note(fmt.Sprintf("%v: what games have saved is not told from what is merged", err))
	case err != nil:
		return err
	}
	for _, m := range marks {
		text, fields, err := textcodec.StillMarked(m.Text, working.Texts[m.ID], m.ID, working.Types)
		if err == nil && len(fields) > 0 { // else the markers stand about no whole properties, and are no save's
			r.saved[m.ID] = append(r.saved[m.ID], saved{text, fields})
		}
	}
	return nil
}

// withoutSaved returns findings about an entity without those of what a save has marked.
func (r *Resolution) withoutSaved(id entity.ID, findings []entity.Finding) []entity.Finding {
	if len(r.saved[id]) == 0 {
		return findings
	}
	return slices.DeleteFunc(slices.Clone(findings), func(f entity.Finding) bool {
		return f.Code == entity.CodeConflict && f.ID == id &&
			slices.ContainsFunc(r.saved[id], func(s saved) bool { return slices.Contains(s.fields, f.Field) })
	})
}
