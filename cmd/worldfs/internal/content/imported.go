package content

import (
	"fmt"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/rangecheck"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// coverImported gives the entities of a world that was empty before an import a range of
// their own, as far as they are in none: no person takes IDs from among them.
func coverImported(dir *worlddir.Dir, w *daemon.World, report cache.Report, note func(string)) error {
	if report.Created == 0 {
		return nil
	}
	reading, err := w.Read()
	if err != nil || reading.Source.Len() != report.Created {
		return err
	}
	added, err := rangecheck.Cover(idalloc.New(dir, reading.Source, note))
	for _, r := range added {
		note(fmt.Sprintf("id_ranges has a line for what came in now: %s", r))
	}
	return err
}
