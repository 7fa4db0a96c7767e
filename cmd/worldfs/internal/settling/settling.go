// Package settling has commands say which conflicts they decide: the value that a marked side
// has is nowhere else in the world, and goes with its markers.
package settling

import (
	"fmt"
	"slices"

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

// Around has do change a world, and says which of the conflicts that were marked in it before
// are marked no more. It is for what brings the values of entities, of one of the sides mostly.
func Around(dir *worlddir.Dir, w *daemon.World, note func(string), do func() error) error {
	before, err := left(dir, w)
	if err != nil {
		return err
	}
	if err := do(); err != nil || len(before) == 0 {
		return err
	}
	after, err := left(dir, w)
	if err != nil {
		return err
	}
	tell(note, slices.DeleteFunc(before, func(l leftconflict.Conflict) bool {
		return slices.ContainsFunc(after, func(now leftconflict.Conflict) bool { return now.ID == l.ID && now.Field == l.Field })
	}), "worldfs undo --any")
	return nil
}

// left returns the conflicts that are marked in the texts of a world.
func left(dir *worlddir.Dir, w *daemon.World) ([]leftconflict.Conflict, error) {
	st, err := w.Status()
	if err != nil {
		return nil, err
	}
	m, err := marked.Open(dir, st.Findings, w.Text)
	if err != nil {
		return nil, err
	}
	return m.Left(), nil
}

// Tell says which conflicts are decided, with both sides' values, and what brings each back.
func Tell(note func(string), decided []leftconflict.Conflict) { tell(note, decided, "worldfs undo") }

func tell(note func(string), decided []leftconflict.Conflict, back string) {
	for i, l := range decided {
		if i == maxTold {
			note(fmt.Sprintf("and %d more: worldfs history ID shows what each was", len(decided)-i))
			return
		}
		note(fmt.Sprintf("this decides a conflict: %s; %s %d brings it back", l, back, l.ID))
	}
}
