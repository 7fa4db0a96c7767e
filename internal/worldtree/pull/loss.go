package pull

import (
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/greatloss"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// Loss is what others have taken out of the world.
type Loss struct{ Had, Gone int }

// IsGreat reports whether a person is to be asked first.
func (l Loss) IsGreat() bool { return greatloss.Is(l.Had, l.Gone) }

// loss counts the entities that are gone in what comes in.
func (in *gitPull) loss() (l Loss, err error) {
	gone, is := make(map[entity.ID]bool), make(map[entity.ID]bool)
	for _, c := range in.coming {
		name, inside := strings.CutPrefix(c.name, in.git.Prefix()+layout.Prefix)
		if _, id, ok := layout.Of(name); inside && ok {
			if c.removed() {
				gone[id] = true
			} else {
				is[id] = true
			}
		}
	}
	for id := range is { // it lies elsewhere
		delete(gone, id)
	}
	if l.Gone = len(gone); l.Gone == 0 {
		return l, nil
	}
	was, err := in.listed(in.bases[0])
	l.Had = len(was)
	return l, err
}
