package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// asIn returns a world's entities, those whose text does not parse as another
// world has them: that they cannot be read here is no change, least of all a
// deletion.
func asIn(w *worldform.World, other entity.Source) entity.Source {
	unread := w.Unread()
	if len(unread) == 0 {
		return w.Source
	}
	instead := make(map[entity.ID]*entity.Entity, len(unread))
	for _, id := range unread {
		instead[id], _ = other.Get(id)
	}
	return entity.NewOverlay(w.Source, instead)
}

// tellUnread says which entities of a world could not be read.
func tellUnread(cmd *cobra.Command, name string, w *worldform.World) {
	for _, id := range w.Unread() {
		fmt.Fprintf(cmd.ErrOrStderr(), "worldfs: %s: entity %d does not parse; it counts as not changed there\n", name, id)
	}
}
