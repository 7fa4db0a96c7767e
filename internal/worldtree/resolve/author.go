package resolve

import (
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
)

// findAuthors finds out by whom the entities with conflicts that are left, or that a policy
// has decided, were changed. What version control does not tell is not known.
func (r *Resolution) findAuthors(names map[entity.ID][]string) {
	var files []string
	ids := make(map[string]entity.ID)
	for _, c := range slices.Concat(r.Left, byPolicy{r}.conflicts()) {
		for _, name := range names[c.ID] {
			if _, known := ids[name]; !known {
				files = append(files, name)
				ids[name] = c.ID
			}
		}
	}
	for i := range r.authors {
		files, ids := slices.Clone(files), maps.Clone(ids)
		for id, from := range r.past.followed[i] { // by which the side has it
			name := r.dir.Settings.Shard.Name(from)
			files, ids[name] = append(files, name), id
		}
		r.authors[i] = make(map[entity.ID]leftconflict.Author)
		for name, c := range r.control.authors(i, files) {
			r.authors[i][ids[name]] = leftconflict.Author{Name: c.Author, Time: c.Time}
		}
	}
}
