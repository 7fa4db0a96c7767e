// Package settling has commands say which conflicts they decide: the value that a marked side
// has is nowhere else in the world, and goes with its markers.
package settling

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/marked"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// few is of how many entities the texts are read. Where more are changed, the findings say which
// texts have markers.
const few = 100

// By returns the conflicts, marked in texts of a world, about what a change set changes.
func By(dir *worlddir.Dir, w *daemon.World, set entity.ChangeSet) (decided []leftconflict.Conflict, err error) {
	type matter struct {
		id    entity.ID
		field string // "" for the entity as a whole
	}
	about, ids := make(map[matter]bool), make(map[entity.ID]bool)
	for _, c := range set {
		about[matter{c.ID, c.Field}], ids[c.ID] = true, true
	}
	var may []entity.Finding
	if len(ids) <= few {
		for id := range ids {
			may = append(may, entity.Finding{Code: entity.CodeConflict, ID: id})
		}
	} else {
		st, err := w.Status()
		if err != nil {
			return nil, err
		}
		may = st.Findings
	}
	m, err := marked.Open(dir, may, w.Text)
	if err != nil {
		return nil, err
	}
	for _, l := range m.Left() {
		if about[matter{l.ID, l.Field}] || about[matter{l.ID, ""}] {
			decided = append(decided, l)
		}
	}
	return decided, nil
}

// maxTold is how many conflicts are told one by one.
const maxTold = 10

// Tell says which conflicts are decided, with both sides' values, and what brings each back.
func Tell(note func(string), decided []leftconflict.Conflict) {
	for i, l := range decided {
		if i == maxTold {
			note(fmt.Sprintf("and %d more: worldfs history ID shows what each was", len(decided)-i))
			return
		}
		note(fmt.Sprintf("this decides a conflict: %s; worldfs undo %d brings it back", l, l.ID))
	}
}
