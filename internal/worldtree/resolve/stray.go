package resolve

import (
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// Where one side has moved the files into other shards, git takes that for directories that have
// a new name, and puts files that the other side made into these: in no layout is their place
// there. Such a stray counts as a file of its entity's while it is unmerged; any other is scratch.

// indexQuery asks git's index for what a world consists of, and for strays.
func indexQuery() vcs.Query {
	q := worldform.TextQuery()
	want := q.Want
	q.Want = func(name string) bool {
		_, stray := layout.StrayOf(name)
		return stray || want == nil || want(name)
	}
	return q
}
