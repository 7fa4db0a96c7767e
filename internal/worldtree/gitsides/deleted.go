package gitsides

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitlog"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/textcodec"
)

// An entity that was deleted before the sides parted and is back on both is the same one,
// if its type is: each side has brought it back in its own way. The last that both had of it
// is what it was when it was deleted.

// wereDeleted returns entities that both sides have, each otherwise, and the base has not, as
// they were when they were deleted. git is asked only where there are any; what it does not
// tell, as in a history that was cut off, was not there.
func wereDeleted(root string, bases []string, sides *[3]*worldform.World) map[entity.ID]*entity.Entity {
	var names []string
	types := make(map[entity.ID]string)
	for ours, theirs := range entity.Differing(sides[1].Source, sides[2].Source) {
		if ours == nil || theirs == nil || ours.Type() != theirs.Type() {
			continue
		}
		if _, has := sides[0].Source.Get(ours.ID); !has {
			types[ours.ID] = ours.Type()
			names = append(names, layout.Places(ours.ID)...)
		}
	}
	if len(names) == 0 || len(bases) == 0 {
		return nil
	}
	git := vcs.Git{Dir: root}
	log, err := gitlog.Read(git, append([]string{"-m", "--diff-filter=D"}, bases...), names...)
	if err != nil || len(log) == 0 {
		return nil
	}
	q := worldform.TextQuery()
	q.Rev, q.Names = bases[0], names
	tree, err := git.Tree(q)
	if err != nil {
		return nil
	}
	deleted := make(map[entity.ID]*entity.Entity)
	for f, err := range tree.Read(deletedIn(log)) {
		if err != nil {
			break
		}
		id, _ := layout.EntityOf(f.Name)
		if read, err := textcodec.Decode(f.Data, id, sides[1].Types); err == nil && read.Entity.Type() == types[id] && deleted[id] == nil {
			deleted[id] = read.Entity // the newest comes first
		}
	}
	return deleted
}

// deletedIn returns the files that commits deleted, with what they had.
func deletedIn(log []gitlog.Commit) (files []vcs.Listed) {
	for _, c := range log {
		for _, change := range c.Changes {
			files = append(files, vcs.Listed{Name: change.Name, Kind: vcs.Regular, Object: change.Was})
		}
	}
	return files
}
