package resolve

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/resolvelock"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// What is pulled is merged before version control has merged anything: it is looked at
// ahead (Ahead), and then may be taken in (TakeIn).

// Preview is a merge that version control has not begun.
type Preview struct {
	*Resolution
	besides map[string]besides // by the revision
}

// Ahead merges what an operation would bring together of which nothing was done yet: ours
// is what others have shared, theirs is all that the person has, committed or not. It
// writes nothing, and the working copy is not looked at.
func Ahead(root string, op *vcs.Operation, o Options) (*Preview, error) {
	return ahead(root, &gitControl{Git: vcs.Git{Dir: root}, op: op}, o)
}

// AheadOfSVN is Ahead of an update of svn: ours is what is here, theirs what comes in. svn
// makes that update; then Open resolves it.
func AheadOfSVN(root string, update *vcs.SVNAhead, o Options) (*Preview, error) {
	return ahead(root, newSVNControl(update.SVNMerge), o)
}

func ahead(root string, c control, o Options) (*Preview, error) {
	o.complete()
	dir, err := worlddir.Open(root)
	if err != nil {
		return nil, err
	}
	r := &Preview{&Resolution{Operation: c.operation(), dir: dir, control: c, note: o.Note, keepFile: o.Keep}, make(map[string]besides)}
	if err := r.readPast(); err != nil {
		return nil, err
	}
	if err := r.readSides(); err != nil {
		return nil, err
	}
	if r.sides[1].Source.Len() == 0 && r.sides[2].Source.Len() == 0 {
		return nil, fmt.Errorf("%w: on neither side does %s have an entity of this world (it sees them where the world is mounted or has plain files, and they were added)", ErrNothing, r.control.name())
	}
	r.readRules()
	if err := r.merge(); err != nil {
		return nil, err
	}
	for _, c := range r.Merged.Conflicts {
		if c.Left {
			r.Left = append(r.Left, c)
		}
	}
	r.findAuthors(r.namesAhead())
	return r, nil
}

// Sides returns the worlds that are brought together: the base, ours and theirs.
func (r *Preview) Sides() [3]*worldform.World { return r.sides }

// Conflicts returns what is left to people, in words and for programs.
func (r *Preview) Conflicts() []leftconflict.Conflict {
	left := []leftconflict.Conflict{}
	for _, c := range r.Left {
		left = append(left, r.left(c))
	}
	return left
}

// namesAhead returns the files of the entities with conflicts, where the layout has them.
func (r *Preview) namesAhead() map[entity.ID][]string {
	names := make(map[entity.ID][]string)
	for _, c := range r.Merged.Conflicts {
		names[c.ID] = []string{r.dir.Settings.Shard.Name(c.ID)}
	}
	return names
}

// Onto merges one of the person's commits with what others have shared, as all that the
// person has is merged; in a conflict the shared side stands: the history has no
// conflicts, and the person settles them once.
func (r *Preview) Onto(commit *worldform.World) (*merge.Result, error) {
	sides := worldform.Sides([3]*worldform.World{r.sides[0], r.sides[1], commit})
	options := r.rules
	options.Policy = merge.Shared
	if rules := r.rules.Rules; rules != nil {
		options.Rules = func(typ, field string) (merge.Policy, bool) {
			p, ok := rules(typ, field)
			if p == merge.Leave {
				p = merge.Shared
			}
			return p, ok
		}
	}
	return merge.Worlds(sides[0], sides[1], sides[2], options)
}

// OpenLike opens a commit of the person's.
func (r *Preview) OpenLike(commit string) (*worldform.World, error) {
	if commit == r.Operation.Theirs && len(r.past.earlier) == 0 {
		return r.sides[2], nil // by the IDs that the commit has
	}
	return worldform.Open("git:"+commit, worldform.Options{Dir: r.dir.Root, Types: r.sides[1].Types, Like: r.sides[:]})
}

// TakeIn has the working copy be as the merged world is, which was looked at ahead, and the
// index stay as it is. What a person has edited since stands. Killed in between, it is done
// by the same once more.
func (r *Preview) TakeIn() (d Done, err error) {
	r.taking = true
	unlock, err := resolvelock.Lock(r.dir.Root, r.note)
	if err != nil {
		return d, err
	}
	defer unlock()
	if err := r.takeFiles(); err != nil {
		return d, err
	}
	if r.dir, err = worlddir.Open(r.dir.Root); err != nil {
		return d, err
	}
	if r.index, err = r.control.index(indexQuery()); err != nil {
		return d, err
	}
	if r.files, err = readWorkingCopy(r.dir.Root, r.index, r.dir.Settings.Shard); err != nil {
		return d, err
	}
	if err := r.bringHome(); err != nil {
		return d, err
	}
	return r.Apply()
}

// UnmergeLeft has the index have the files in which conflicts are left as unmerged.
func (r *Preview) UnmergeLeft() error {
	clear(r.files.unmerged) // those of a call that was killed: the index has been set back since
	return r.unmerge(r.leftNames())
}
