package cli

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// IDsOf returns a world that is open, with the entities given, as the machinery of IDs has it.
func IDsOf(dir *worlddir.Dir, w *daemon.World, entities entity.Source, note func(string)) *idalloc.World {
	ids := idalloc.New(dir, entities, note)
	ids.Keep = daemon.Keep
	if !w.IsMounted() && !dir.WantsPlain() { // no file in entities/ shows a text that never parsed
		ids.Taken = func(id entity.ID) bool {
			_, err := w.Text(id)
			return err == nil
		}
	}
	return ids
}
