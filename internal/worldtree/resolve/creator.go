package resolve

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/creators"
	"github.com/worldfs/worldfs/internal/worldtree/gitsides"
	"github.com/worldfs/worldfs/merge"
)

// creators returns what tells a merge for whom entities were created.
func (r *Resolution) creators(ranges []merge.Range) func(merge.Party, []entity.ID) map[entity.ID][]string {
	switch c := r.control.(type) {
	case *gitControl:
		return creators.Find(ranges, r.dir.Settings.Shard.Name, creators.InGit(c.Git, r.Operation))
	case svnControl:
		if theirs := c.Theirs(); theirs != "" && r.past.Given != nil {
			return creators.Find(ranges, r.dir.Settings.Shard.Name, r.past.Given.Creators.Of(creators.InSVN(r.dir.Root, theirs)))
		}
	}
	return nil
}

// program returns the side whose commits all are by programs, where git has them.
func program(r *Resolution, ranges []merge.Range) merge.Party {
	if git, ok := r.control.(*gitControl); ok {
		return gitsides.Program(git.Git, r.Operation, r.dir.Settings.Merge.Programs, ranges)
	}
	return merge.Neither
}
