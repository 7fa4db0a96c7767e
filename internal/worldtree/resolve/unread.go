package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// classifyUnread adds the entities whose text does not parse, though all sides' do, and is
// what git has made of them: one side declares a field of which the other has lines that
// are no value.
func (r *Resolution) classifyUnread(working *worldform.World, states map[entity.ID]state) error {
	names := r.files.names()
	for _, id := range working.Unread() {
		if states[id] != untouched || r.isUnreadOnASide(id) {
			continue
		}
		git, err := r.isTaken(id, names[id]), error(nil)
		if !git {
			git, err = r.isByGit(id, names[id])
		}
		if err != nil {
			return err
		}
		if git {
			states[id] = gitsUnread
		}
	}
	return nil
}

func (r *Resolution) isUnreadOnASide(id entity.ID) bool {
	return slices.ContainsFunc(r.sides[:], func(w *worldform.World) bool { return slices.Contains(w.Unread(), id) })
}

// isTaken reports whether the file of an entity is that of a side.
func (r *Resolution) isTaken(id entity.ID, names []string) bool {
	return len(names) == 1 && slices.ContainsFunc(r.sides[:], func(w *worldform.World) bool {
		object, ok := w.Object(id)
		return ok && object == r.files.object(names[0])
	})
}
