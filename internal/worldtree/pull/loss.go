package pull

import (
	"github.com/worldfs/worldfs/internal/worldtree/greatloss"
)

// Loss is what others have taken out of the world.
type Loss struct{ Had, Gone int }

// IsGreat reports whether a person is to be asked first.
func (l Loss) IsGreat() bool { return greatloss.Is(l.Had, l.Gone) }

// loss counts the entities that are gone in what comes in.
func (in *Incoming) loss() (l Loss, err error) {
	was, err := in.listed(in.bases[0])
	if err != nil {
		return l, err
	}
	is, err := in.listed(in.shared)
	if err != nil {
		return l, err
	}
	l.Had = len(was)
	for id := range was {
		if _, ok := is[id]; !ok {
			l.Gone++
		}
	}
	return l, nil
}
