// Package chosen knows about which entities a person has settled conflicts with worldfs
// resolve, of what package resolve keeps: where a merge is over, version control does not tell
// a person's choice from its own work.
package chosen

import (
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// record is what is read of what package resolve keeps of an operation.
type record struct {
	Time    time.Time
	Applied []struct{ ID entity.ID }
}

// recent is how long ago an operation may have been settled.
const recent = 14 * 24 * time.Hour

// Entities returns the entities in whose conflicts a person has lately chosen a side or a value,
// and whose files have been written by that. It returns none where the file cannot be read.
func Entities(dir *worlddir.Dir) map[entity.ID]bool {
	records, _, err := keptfile.Read[record](dir, worlddir.ResolvedName)
	if err != nil {
		return nil
	}
	ids := make(map[entity.ID]bool)
	for _, r := range records {
		for _, c := range r.Applied {
			if c.ID != 0 && time.Since(r.Time) < recent {
				ids[c.ID] = true
			}
		}
	}
	return ids
}
