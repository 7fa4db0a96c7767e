package resolve

import (
	"fmt"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
)

// Author is by whom a side was changed, and when. The zero Author is not known.
type Author struct {
	Name string    `json:"name"`
	Time time.Time `json:"time"`
}

// String returns the author in brackets, after a space: " (Ann, yesterday)".
func (a Author) String() string {
	if a.Name == "" {
		return ""
	}
	return fmt.Sprintf(" (%s, %s)", a.Name, ago(a.Time, time.Now()))
}

// ago returns when something was: the time of day today, or the day.
func ago(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	switch days := int(day(now).Sub(day(t)) / (24 * time.Hour)); days {
	case 0:
		return t.Format("15:04")
	case 1:
		return "yesterday"
	}
	return t.Format(time.DateOnly)
}

// findAuthors finds out by whom the entities with conflicts that are left, or that a policy
// has decided, were changed. What version control does not tell is not known.
func (r *Resolution) findAuthors(names map[entity.ID][]string) {
	var files []string
	ids := make(map[string]entity.ID)
	for _, c := range slices.Concat(r.Left, r.decided()) {
		for _, name := range names[c.ID] {
			if _, known := ids[name]; !known {
				files = append(files, name)
				ids[name] = c.ID
			}
		}
	}
	for i := range r.authors {
		r.authors[i] = make(map[entity.ID]Author)
		commits := r.control.authors(i, files)
		for name, c := range commits {
			r.authors[i][ids[name]] = Author{c.Author, c.Time}
		}
	}
}
