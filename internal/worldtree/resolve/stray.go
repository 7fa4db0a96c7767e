package resolve

import (
	"path"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// Where one side has moved the files into other shards, git takes that for directories that
// have a new name, and puts files that the other side made into these: in no layout is
// their place there. Such a stray counts as a file of its entity's while it is unmerged.
// Any other is scratch.

// indexQuery asks git's index for what a world consists of, and for strays.
func indexQuery() vcs.Query {
	q := worldform.TextQuery()
	want := q.Want
	q.Want = func(name string) bool {
		_, stray := strayOf(name)
		return stray || want == nil || want(name)
	}
	return q
}

// strayOf returns the entity that a file in entities/ has the name of, if its place is
// there in no layout.
func strayOf(name string) (entity.ID, bool) {
	file, inside := strings.CutPrefix(name, layout.Prefix)
	if _, _, placed := layout.Of(file); !inside || placed {
		return 0, false
	}
	_, id, ok := layout.Of(path.Base(file))
	return id, ok
}
